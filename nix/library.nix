# One variant: its objects, then its library. Neither sees the plan, the commit or the program that asked, so neither is
# built again when only those change; a changed Python file changes the library alone, and objects stay.
{ toolchain, directory }:
name:
{ parts, objects, library }:
let
  staged = path: "${builtins.path { path = directory + "/${path}"; name = builtins.baseNameOf path; }}";
  # A hash tells Nix that the part is in its store already, without reading it again.
  part =
    {
      path,
      sha256,
      programs,
    }:
    let
      kept = "${builtins.path { inherit path sha256; name = "part"; }}";
    in
    if programs then "${toolchain.adopt kept}" else kept;
  places = builtins.mapAttrs (_: part) parts // toolchain.files;
  links = builtins.concatStringsSep "\n" (map (place: "${place} ${places.${place}}") (builtins.attrNames places));
  map' = "-ffile-prefix-map=${toolchain.prefix}/=/toolchain/";
  host = map (argument: "-Xcompiler=${argument}") (builtins.tail toolchain.cxx ++ [ map' ]);
  step =
    which: rest:
    derivation (
      {
        name = "${name}-${which}";
        inherit (toolchain) system;
        builder = toolchain.shell;
        args = [ "-eu" ./step.sh ];
        PATH = builtins.concatStringsSep ":" toolchain.path;
        variant = name;
        inherit links;
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
      // rest
    );
  compiled = step "objects" {
    source = staged objects.source;
    files = staged objects.files;
    other = "link.ninja";
    made = objects.made;
  };
in
step "library" {
  files = staged library.files;
  objects = compiled;
  other = "objects.ninja";
  made = library.made;
}
