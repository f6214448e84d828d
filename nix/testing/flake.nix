{
  description = "A stand-in for nixpkgs, for the tests of the flake without a network";
  outputs = { self }: {
    legacyPackages = builtins.listToAttrs (
      map (system: { name = system; value = import ./nixpkgs.nix { inherit system; }; }) [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ]
    );
  };
}
