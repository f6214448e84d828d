# A toolchain made of this Debian system's own packages (see `tree`): the stand-in for nixpkgs in tests without network.
# It shows that the engine works; it proves nothing about the compilers of nixpkgs.
# `files` is the path of the tree in the store, `version` the major one of its GCC.
{
  files,
  version ? builtins.head (builtins.attrNames (builtins.readDir "${files}/usr/lib/gcc/x86_64-linux-gnu")),
  system ? builtins.currentSystem,
}:
let
  stored = import ./stored.nix files;
  prepared = derivation {
    name = "debian-toolchain";
    inherit system;
    files = stored;
    builder = "${stored}/bootstrap/busybox";
    args = [ "sh" "-eu" ./prepare.sh ];
  };
  machine = "x86_64-linux-gnu";
  program = name: "${prepared}/usr/bin/${name}";
  gcc = "${prepared}/usr/lib/gcc/${machine}/${version}";
  libc = "${prepared}/usr/lib/${machine}";
in
{
  inherit system;
  shell = program "bash";
  path = [ "${prepared}/usr/bin" ];
  ninja = program "ninja";
  # The driver finds its own parts; the headers of the C library and the assembler lie where the root is.
  cxx = [ (program "${machine}-g++-${version}") "--sysroot=${prepared}" "-B${prepared}/usr/bin/" ];
  ar = program "${machine}-ar";
  prefix = "${prepared}/usr";
  # Programs of another system, made to run with the loader and the libraries of this one.
  adopt = part: derivation {
    name = "adopted";
    inherit system part;
    toolchain = "${prepared}";
    builder = program "bash";
    args = [ "-eu" ./adopt.sh ];
    PATH = "${prepared}/usr/bin";
  };
  files = {
    "crti.o" = "${libc}/crti.o";
    "crtn.o" = "${libc}/crtn.o";
    "libc_nonshared.a" = "${libc}/libc_nonshared.a";
    "crtbeginS.o" = "${gcc}/crtbeginS.o";
    "crtendS.o" = "${gcc}/crtendS.o";
    "libgcc.a" = "${gcc}/libgcc.a";
    "libstdc++.a" = "${gcc}/libstdc++.a";
  };
}
