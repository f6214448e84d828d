# What of nixpkgs a kernel's flake needs, made of things of this machine that `stored.json` names in the store: the
# Debian compiler, a Python, the installed frameworks, and the program that is tested.
{ system }:
let
  stored = builtins.mapAttrs (name: if name == "version" then (text: text) else import ./stored.nix) (
    builtins.fromJSON (builtins.readFile ./stored.json)
  );
  toolchain = import ./toolchain.nix {
    inherit system;
    inherit (stored) files version;
  };
  run =
    name: attributes: commands:
    derivation (
      {
        inherit name system;
        builder = toolchain.shell;
        args = [ "-euc" "${commands}\n:" ];
        PATH = builtins.concatStringsSep ":" toolchain.path;
      }
      // attributes
    );
in
{
  kernelBuilder = {
    inherit toolchain;
    program = toolchain.adopt stored.program;
    python = toolchain.adopt stored.python // {
      withPackages = _: run "python-with-packages" { } "mkdir -p $out/bin";
    };
    frameworks =
      { framework, version, stable, ... }:
      # One torch is installed, whatever the variant is called.
      if framework == "tvm-ffi" then stored.tvm-ffi else stored.torch;
  };
  runCommand = run;
  writeShellScriptBin =
    name: text:
    run name { inherit text; } ''
      mkdir -p $out/bin
      printf '#!%s\n%s' ${toolchain.shell} "$text" >$out/bin/${name}
      chmod +x $out/bin/${name}
    '';
  mkShell = attributes: run "shell" attributes "mkdir $out";
  ninja = run "ninja" { } "mkdir $out";
  nixfmt = run "nixfmt" { } "mkdir $out";
}
