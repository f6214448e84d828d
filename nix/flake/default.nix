# The flake's outputs: a function that makes those of a kernel's flake, and the program itself.
{ self, nixpkgs }:
let
  systems = [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" ];
  forSystems =
    make:
    builtins.listToAttrs (map (system: { name = system; value = make nixpkgs.legacyPackages.${system}; }) systems);
  packagesOf = pkgs: import ./packages.nix { inherit pkgs self; };
in
{
  lib.genKernelFlakeOutputs = import ./kernel.nix { inherit forSystems packagesOf; };
  packages = forSystems (pkgs: rec {
    kernel-builder = (packagesOf pkgs).program;
    default = kernel-builder;
  });
  formatter = forSystems (pkgs: pkgs.nixfmt-tree or pkgs.nixfmt);
}
