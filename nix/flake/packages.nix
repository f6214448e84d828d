# What the flake's door needs of a package set. Another set may bring its own of any of these as `kernelBuilder`, as the
# stand-in of the tests does.
{ pkgs, self }:
{
  toolchain = import ../nixpkgs-toolchain.nix { inherit pkgs; };
  frameworks = import ./wheels.nix { inherit pkgs; };
  # Whose headers torch's bindings read, and whose interpreter is asked for them.
  python = pkgs.python313 or pkgs.python3;
  # The program itself, of the same revision as these files.
  program = pkgs.rustPlatform.buildRustPackage {
    pname = "kernel-builder";
    version = (builtins.fromTOML (builtins.readFile ../../Cargo.toml)).workspace.package.version;
    src = self;
    cargoLock.lockFile = ../../Cargo.lock;
    nativeBuildInputs = [ pkgs.cmake pkgs.pkg-config ];
    cargoBuildFlags = [ "--package" "kernel-builder" ];
    KERNEL_BUILDER_COMMIT = builtins.substring 0 12 (self.rev or "unknown");
    # They want compilers, Git and a Python with torch.
    doCheck = false;
  };
}
// pkgs.kernelBuilder or { }
