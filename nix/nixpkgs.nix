# The compilers of a pinned nixpkgs, unwrapped: every flag that its wrappers would add is the program's to state.
# Another toolchain is a file that evaluates to a set like the one below.
let
  pin = {
    owner = "NixOS";
    repo = "nixpkgs";
    rev = "ec1a11210589d294f0ac99d3290a27e6c73dfa1d";
    narHash = "sha256-tiQ8/qi8I45OOaBBYlVbXoAVkeQzvvTQOv5I45rMw5o=";
  };
  nixpkgs = builtins.fetchTarball {
    url = "https://github.com/${pin.owner}/${pin.repo}/archive/${pin.rev}.tar.gz";
    sha256 = pin.narHash;
  };
in
import ./nixpkgs-toolchain.nix { pkgs = import nixpkgs { config = { }; overlays = [ ]; }; }
