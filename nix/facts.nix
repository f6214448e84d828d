# What the compiler is, for the identity that the program writes down: its own words, and the files that decide what it
# makes. `toolchain` is the set, or the path of a file that evaluates to it.
{ toolchain }:
let
  tools = if builtins.isAttrs toolchain then toolchain else import (/. + toolchain);
in
derivation {
  name = "toolchain.json";
  inherit (tools) system ar;
  builder = tools.shell;
  args = [ "-eu" ./facts.sh ];
  PATH = builtins.concatStringsSep ":" tools.path;
  cxx = builtins.concatStringsSep " " tools.cxx;
  files = builtins.toJSON tools.files;
  LANG = "C.UTF-8";
}
