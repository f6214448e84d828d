{
  description = "Build, prove and publish compute kernels";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/ec1a11210589d294f0ac99d3290a27e6c73dfa1d";
  outputs = { self, nixpkgs }: import ./nix/flake { inherit self nixpkgs; };
}
