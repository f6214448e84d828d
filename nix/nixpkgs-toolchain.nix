# A toolchain out of a package set: what `library.nix` and `facts.nix` need of one.
{ pkgs }:
let
  gcc = pkgs.gcc14.cc;
  libc = pkgs.stdenv.cc.libc;
  binutils = pkgs.binutils-unwrapped;
  own = "${gcc}/lib/gcc/${pkgs.stdenv.hostPlatform.config}/${gcc.version}";
in
{
  inherit (pkgs.stdenv.hostPlatform) system;
  # What runs the steps, and the programs that they find: shell, Ninja, copying and linking of files.
  shell = "${pkgs.bash}/bin/bash";
  path = map (package: "${package}/bin") [ pkgs.coreutils pkgs.ninja gcc binutils ];
  # The compiler with what it is always given, and the archiver.
  cxx = [ "${gcc}/bin/g++" "-B${binutils}/bin/" "-idirafter" "${libc.dev}/include" ];
  ar = "${binutils}/bin/ar";
  # Whose paths become `/toolchain/` in what is compiled.
  prefix = "${gcc}";
  # Programs that were built for other systems, such as a toolkit's, made to run in the store.
  adopt =
    part:
    pkgs.stdenv.mkDerivation {
      name = "adopted";
      src = part;
      nativeBuildInputs = [ pkgs.autoPatchelfHook ];
      buildInputs = [ gcc.lib ];
      dontConfigure = true;
      dontBuild = true;
      dontStrip = true;
      installPhase = "cp -r . $out";
    };
  # What a link by hand needs.
  files = {
    "crti.o" = "${libc}/lib/crti.o";
    "crtn.o" = "${libc}/lib/crtn.o";
    "libc_nonshared.a" = "${libc}/lib/libc_nonshared.a";
    "crtbeginS.o" = "${own}/crtbeginS.o";
    "crtendS.o" = "${own}/crtendS.o";
    "libgcc.a" = "${own}/libgcc.a";
    "libstdc++.a" = "${gcc}/lib/libstdc++.a";
  };
}
