# One variant: a plan, its objects, its library, and the sealed directory. The program makes the plan and the seal; between
# them runs the same `build.ninja` as with the other engines. Only the seal sees the revision, so a commit that changes
# none of the kernel's files stamps anew and compiles nothing.
{ packages, source, revision }:
variant:
let
  inherit (packages) toolchain python program;
  named = name: attributes: commands: derivation (
    {
      name = "${variant.name}-${name}";
      inherit (toolchain) system;
      builder = toolchain.shell;
      # The shell must be the last to go: Nix ends a builder as soon as its output is closed.
      args = [ "-euc" "${commands}\n:" ];
      PATH = builtins.concatStringsSep ":" ([ "${program}/bin" ] ++ toolchain.path);
      LANG = "C.UTF-8";
      KERNEL_BUILDER_OFFLINE = "1";
      inherit source;
      variant = variant.name;
    }
    // attributes
  );
  compiles = variant.system != null;
  framework = if compiles then packages.frameworks variant else null;
  unsupported =
    if builtins.match ".*-linux" toolchain.system == null then
      "this door builds on Linux"
    else if compiles && variant.backend != "cpu" then
      "this door has no toolkit for ${variant.backend} yet"
    else if compiles && framework == null then
      "no wheel of ${variant.framework} ${variant.version} is pinned for it"
    else
      null;

  # Laid out as a virtual environment, which is how the program knows Pythons.
  environment = named "python" { inherit python framework; } ''
    mkdir -p $out/bin
    ln -s $python/bin/python3 $out/bin/python
    printf 'home = %s/bin\ninclude-system-site-packages = false\n' "$python" >$out/pyvenv.cfg
    version=$(echo $python/include/python3.*)
    mkdir -p $out/lib/''${version##*/}/site-packages
    if [ -n "$framework" ]; then ln -s "$framework"/* $out/lib/''${version##*/}/site-packages/; fi
  '';
  step = which: rest: ''
    export HOME=$PWD KERNEL_BUILDER_CACHE_DIR=$PWD/cache
    kernel-builder nix-step ${which} "$source" --variant "$variant" --facts "$facts" --python "$environment" ${rest}
  '';
  facts = import ../facts.nix { inherit toolchain; };
  plan = named "plan" { inherit environment facts; } (step "plan" "--out $out >/dev/null");
  half = half: import ../step.nix { inherit toolchain; } { variant = variant.name; inherit half; places = { }; };
  objects = half "objects" { inherit plan; };
  library = half "library" { inherit plan objects; };
  sealed = named "variant"
    {
      inherit environment facts;
      library = if compiles then library else "";
      commit = revision.commit or "";
      dirty = if revision.dirty or false then "--dirty" else "";
    }
    ''
      ${step "seal" ''''${library:+--library "$library"} ''${commit:+--commit "$commit" $dirty} --out sealed''}
      cp -r "sealed/$variant" "$out"
    '';
  refused = named "unsupported" { } ''
    echo "\`${variant.name}\` cannot be built here: ${unsupported}" >&2
    echo "build it with \`kernel-builder build --variant ${variant.name}\`" >&2
    exit 1
  '';
in
(if unsupported == null then sealed else refused)
// {
  inherit plan objects library environment unsupported;
  passthru = { inherit variant; };
  meta = { description = "The kernel's variant ${variant.name}"; };
}
