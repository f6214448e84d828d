# The part of a kernel's directory that variants are made of: without what never matters to them, so that a change of it
# builds nothing again. What the manifest names is never left out.
{ path, manifest }:
let
  top = file: builtins.head (builtins.filter (part: part != "" && part != ".") (builtins.filter builtins.isString (builtins.split "/" "${file}/.")) ++ [ "." ]);
  sections = builtins.attrValues (manifest.kernel or { }) ++ map (name: manifest.${name} or { }) [ "torch" "tvm-ffi" ];
  named = builtins.concatMap (section: map top ((section.src or [ ]) ++ (section.include or [ ]))) sections;
  aside = [
    ".git"
    ".github"
    ".kernel-builder"
    "benchmarks"
    "build"
    "docs"
    "flake.lock"
    "flake.nix"
    "result"
    "tests"
  ];
  base = toString path + "/";
  relative = file: builtins.substring (builtins.stringLength base) (builtins.stringLength file) file;
  matters =
    file: _:
    let
      name = relative (toString file);
      document = builtins.match "[^/]*\\.md" name != null;
    in
    builtins.elem name named || !(builtins.elem name aside || document);
in
"${builtins.path {
  inherit path;
  name = "kernel";
  filter = matters;
}}"
