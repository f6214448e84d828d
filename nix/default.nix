# What `kernel-builder build --engine nix` builds: two derivations for each variant, objects and library, out of what the
# program has staged beside `request.json`. The program decides everything; nothing here knows a flag.
{ request, toolchain }:
let
  tools = import (/. + toolchain);
  file = /. + request;
  asked = builtins.fromJSON (builtins.readFile file);
  library = import ./library.nix {
    toolchain = tools;
    directory = builtins.dirOf file;
  };
  libraries = builtins.mapAttrs library asked;
  # One output for all, so that one answer of Nix names everything.
  links = builtins.concatStringsSep "\n" (
    map (name: "ln -s ${libraries.${name}} $out/${name}") (builtins.attrNames libraries)
  );
in
derivation {
  name = "kernel-builder-libraries";
  inherit (tools) system;
  builder = tools.shell;
  # The shell must be the last to go: Nix ends a builder as soon as its output is closed, and `ln` closes it itself.
  args = [ "-euc" "mkdir $out\nln -s $facts $out/toolchain.json\n${links}\n:" ];
  PATH = builtins.concatStringsSep ":" tools.path;
  facts = import ./facts.nix { inherit toolchain; };
  preferLocalBuild = true;
  allowSubstitutes = false;
}
