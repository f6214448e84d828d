# One half of a variant's `build.ninja` in the sandbox: `half` is `objects` or `library`.
{ toolchain }:
{ variant, half, places }:
rest:
let
  links = places // toolchain.files;
  map' = "-ffile-prefix-map=${toolchain.prefix}/=/toolchain/";
  host = map (argument: "-Xcompiler=${argument}") (builtins.tail toolchain.cxx ++ [ map' ]);
in
derivation (
  {
    name = "${variant}-${half}";
    inherit (toolchain) system;
    builder = toolchain.shell;
    args = [ "-eu" ./step.sh ];
    PATH = builtins.concatStringsSep ":" toolchain.path;
    inherit variant half;
    links = builtins.concatStringsSep "\n" (map (place: "${place} ${links.${place}}") (builtins.attrNames links));
    tools = ''
      cxx = ${builtins.concatStringsSep " " toolchain.cxx}
      ar = ${toolchain.ar}
      prefix_map = ${map'}
      nvcc_host = -ccbin ${builtins.head toolchain.cxx} ${builtins.concatStringsSep " " host}
    '';
    LANG = "C.UTF-8";
    # Which the program reads as it reads a Ninja of its own.
    NINJA_STATUS = builtins.fromJSON ''"\u001f%f/%t\u001f"'';
  }
  # Compiling may belong on certain machines; linking takes a moment anywhere.
  // (if half == "objects" && toolchain ? features then { requiredSystemFeatures = toolchain.features; } else { })
  // rest
)
