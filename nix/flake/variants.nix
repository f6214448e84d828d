# Every variant of a kernel, as `kernel-builder variants` lists them: the manifest's backends and bounds, multiplied with
# the program's own matrix. Pure: no package set is looked at.
{ manifest }:
let
  matrix = builtins.fromTOML (builtins.readFile ../../crates/kernel-spec/data/matrix.toml);

  components = version: map builtins.fromJSON (builtins.filter builtins.isString (builtins.split "\\." version));
  at = list: place: if place < builtins.length list then builtins.elemAt list place else 0;
  longer = one: other: if builtins.length one > builtins.length other then builtins.length one else builtins.length other;
  # -1, 0 or 1, missing components counted as 0.
  compare =
    one: other:
    let
      differ = builtins.filter (place: at one place != at other place) (builtins.genList (place: place) (longer one other));
      first = builtins.head differ;
    in
    if differ == [ ] then 0 else if at one first < at other first then -1 else 1;
  reaches = version: minimum: compare (components version) (components minimum) >= 0;
  # An upper bound covers its whole series: 2.12.1 stays within 2.12.
  within =
    version: maximum:
    let
      bound = components maximum;
      own = components version;
      length = if builtins.length own < builtins.length bound then builtins.length own else builtins.length bound;
    in
    compare (builtins.genList (builtins.elemAt own) length) bound <= 0;
  allowed = table: version: (table ? minver -> reaches version table.minver) && (table ? maxver -> within version table.maxver);
  digits = version: let parts = components version; in "${toString (at parts 0)}${toString (at parts 1)}";

  general = manifest.general;
  torch = manifest.torch or { };
  framework = if manifest ? tvm-ffi then "tvm-ffi" else if manifest ? torch then "torch" else "torch-noarch";
  compiledBackends = [ "cpu" "cuda" "metal" "rocm" "xpu" ];
  withToolkit = { cuda = "cu"; rocm = "rocm"; xpu = "xpu"; };
  hasComponents =
    backend: builtins.any (component: component.backend == backend) (builtins.attrValues (manifest.kernel or { }));
  compiles =
    backend:
    builtins.elem backend compiledBackends
    && (framework == "tvm-ffi" || framework == "torch" && hasComponents backend);
  stableAbi =
    backend:
    let
      said = torch.stable-abi or null;
    in
    if builtins.isAttrs said then said.${backend} or null else said;

  noarch = backend: {
    name = "torch-${if backend == "cann" then "npu" else backend}";
    inherit backend;
    framework = "torch-noarch";
    system = null;
    compute = null;
    toolkit = null;
    version = null;
    bundled = true;
  };
  ofRow =
    backend: row:
    let
      abi = stableAbi backend;
      toolkits = builtins.filter (toolkit: backend != "cuda" || allowed (general.cuda or { }) toolkit) (row.toolkits or [ ]);
      computes = if withToolkit ? ${backend} then toolkits else [ null ];
      fits = framework == "tvm-ffi" || allowed torch row.version && (abi != null -> reaches row.version abi);
      variant =
        toolkit: system:
        let
          compute = if toolkit == null then backend else "${withToolkit.${backend}}${digits toolkit}";
          binding =
            if framework == "tvm-ffi" then
              "tvm-ffi${digits row.version}"
            else if abi != null then
              "torch-stable-abi${digits abi}"
            else
              "torch${digits row.version}${if builtins.match ".*-linux" system != null then "-cxx11" else ""}";
        in
        {
          name = "${binding}-${compute}-${system}";
          inherit backend framework system compute toolkit;
          # Of the framework that it is built with; for a stable ABI the newest that has the toolkit.
          version = row.version;
          bundled = row.bundled or false;
        };
    in
    if fits then builtins.concatMap (toolkit: map (variant toolkit) row.systems) computes else [ ];
  compiled =
    backend:
    builtins.concatMap (ofRow backend) (
      builtins.filter (row: row.backend == backend) matrix.${if framework == "tvm-ffi" then "tvm-ffi" else "torch"}
    );
  ofBackend =
    backend:
    if compiles backend then
      compiled backend
    else if framework == "tvm-ffi" then
      [ ]
    else
      [ (noarch backend) ];
  newer = one: other: if one.version != null && !reaches one.version other.version then other else one;
  # One variant can come from several rows: the newest builds it.
  merge =
    same:
    builtins.foldl' newer (builtins.head same) same // { bundled = builtins.any (variant: variant.bundled) same; };
in
builtins.mapAttrs (_: merge) (
  builtins.groupBy (variant: variant.name) (builtins.concatMap ofBackend general.backends)
)
