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
  step =
    half:
    import ./step.nix { inherit toolchain; } {
      variant = name;
      inherit half;
      places = builtins.mapAttrs (_: part) parts;
    };
in
step "library" {
  files = staged library.files;
  objects = step "objects" {
    source = staged objects.source;
    files = staged objects.files;
    made = objects.made;
  };
  made = library.made;
}
