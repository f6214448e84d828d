# The outputs of a kernel's flake.
{ forSystems, packagesOf }:
{
  # The kernel's directory, and its flake.
  path,
  self,
  # Python packages for the test shells, as functions of a Python package set.
  pythonCheckInputs ? _: [ ],
  pythonNativeCheckInputs ? _: [ ],
  # Known to other builders: here the checks always run, and `build.toml` says which torch is built for.
  doGetKernelCheck ? true,
  torchVersions ? null,
  # The commit, where the flake cannot know its own.
  rev ? null,
}:
let
  manifest = builtins.fromTOML (builtins.readFile (path + "/build.toml"));
  name = manifest.general.name;
  source = import ./source.nix { inherit path manifest; };
  known = builtins.attrValues (import ./variants.nix { inherit manifest; });
  revision =
    if self ? rev then
      { commit = self.rev; dirty = false; }
    else if self ? dirtyRev then
      { commit = builtins.head (builtins.split "-" self.dirtyRev); dirty = true; }
    else if rev != null then
      { commit = rev; dirty = false; }
    else
      { };
  ofSystem = make: forSystems (pkgs: make (kernelOn pkgs));

  kernelOn =
    pkgs:
    let
      packages = packagesOf pkgs;
      system = packages.toolchain.system;
      here = builtins.filter (variant: variant.system == null || variant.system == system) known;
      described = map (
        variant: variant // { stable = builtins.match "torch-stable-.*" variant.name != null; }
      ) here;
      make = import ./variant.nix { inherit packages source revision; };
      named = list: builtins.listToAttrs (map (variant: { inherit (variant) name; value = make variant; }) list);
      gathered =
        title: list:
        let
          built = builtins.filter (variant: (make variant).unsupported == null) list;
          left = builtins.filter (variant: (make variant).unsupported != null) list;
          told =
            variant: rest:
            builtins.trace "`${variant.name}` is left out of ${title}: ${(make variant).unsupported}" rest;
        in
        builtins.foldl' (rest: variant: told variant rest) (pkgs.runCommand "${name}-${title}" { } ''
          mkdir $out
          ${builtins.concatStringsSep "\n" (map (variant: "cp -r ${make variant} $out/${variant.name}") built)}
        '') left;
      bundle = gathered "bundle" (builtins.filter (variant: variant.bundled) described);
      shell =
        inputs: variant:
        pkgs.mkShell {
          packages =
            [ packages.program pkgs.ninja ]
            ++ [ (packages.python.withPackages (python: pythonCheckInputs python ++ pythonNativeCheckInputs python)) ]
            ++ inputs;
          shellHook = if variant == null then "" else "export KERNEL_BUILDER_VARIANT=${variant.name}";
        };
    in
    {
      packages = {
        default = bundle;
        inherit bundle;
        # Puts the bundle where `kernel-builder test` and `upload` look for variants.
        build-and-copy = pkgs.writeShellScriptBin "build-and-copy" ''
          set -eu
          mkdir -p build
          for variant in ${bundle}/*; do
            place=build/''${variant##*/}
            rm -rf "$place.new"
            cp -r --no-preserve=mode "$variant" "$place.new"
            rm -rf "$place"
            mv "$place.new" "$place"
          done
        '';
      };
      # Nested sets, which `packages` may not hold.
      legacyPackages = {
        variants = named described;
        redistributable = named described;
        backendBundle = builtins.mapAttrs (backend: gathered backend) (builtins.groupBy (variant: variant.backend) described);
      };
      devShells =
        let
          shells = builtins.listToAttrs (
            builtins.concatMap (variant: [
              { inherit (variant) name; value = shell [ ] variant; }
              { name = "test-${variant.name}"; value = shell [ (make variant) ] variant; }
            ]) described
          );
        in
        shells // { default = shell [ ] null; test = shell [ bundle ] null; };
      formatter = pkgs.nixfmt-tree or pkgs.nixfmt;
    };
  every = builtins.mapAttrs (output: _: ofSystem (kernel: kernel.${output}));
in
every { packages = null; legacyPackages = null; devShells = null; formatter = null; }
