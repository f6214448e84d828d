# The framework that a variant is compiled against, out of the pinned wheels of `wheels.tsv`: a directory of Python packages
# with headers and versions and no libraries. `null` where no wheel is pinned.
{ pkgs }:
let
  split = separator: text: builtins.filter builtins.isString (builtins.split separator text);
  lines = builtins.filter (line: line != "" && builtins.substring 0 1 line != "#") (
    split "\n" (builtins.readFile ./wheels.tsv)
  );
  keys = split "\t" (builtins.head lines);
  row =
    line:
    let
      fields = split "\t" line;
    in
    builtins.listToAttrs (
      builtins.genList (at: { name = builtins.elemAt keys at; value = builtins.elemAt fields at; }) (builtins.length keys)
    );
  pins = map row (builtins.tail lines);
  wheel =
    pin:
    let
      parts = split "-" (builtins.replaceStrings [ ".whl" ] [ "" ] pin.url);
      part = builtins.elemAt parts;
    in
    # A file name alone is one of the Python Package Index.
    if builtins.match ".*/.*" pin.url == null then
      pkgs.fetchPypi {
        pname = part 0;
        version = part 1;
        python = part 2;
        dist = part 2;
        abi = part 3;
        platform = part 4;
        format = "wheel";
        inherit (pin) hash;
      }
    else
      pkgs.fetchurl {
        inherit (pin) url hash;
        name = builtins.replaceStrings [ "%2B" "+" ] [ "_" "_" ] (builtins.baseNameOf pin.url);
      };
  headers =
    pin:
    pkgs.runCommand "${pin.framework}-${pin.version}-headers" { nativeBuildInputs = [ pkgs.unzip ]; } ''
      mkdir $out
      unzip -q ${wheel pin} '*/__init__.py' '*/version.py' '*/_version.py' '*/include/*' '*.dist-info/RECORD' -d $out
    '';
in
{ framework, version, compute, system, stable, ... }:
let
  fits =
    pin:
    pin.framework == framework
    && pin.system == system
    # TVM-FFI's headers are the same for all.
    && (framework == "tvm-ffi" || pin.compute == compute)
    && (stable || pin.version == version);
  found = builtins.sort (one: other: builtins.compareVersions one.version other.version > 0) (builtins.filter fits pins);
in
if found == [ ] then null else headers (builtins.head found)
