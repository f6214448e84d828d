# Run one half of a variant's `build.ninja`; the other half is empty here.
if [ -e /usr ] || [ -e /home ]; then
    echo "this derivation is not confined: it sees /usr or /home" >&2
    exit 1
fi
mkdir project
cd project
if [ -n "${source-}" ]; then cp -r --no-preserve=mode "$source/." .; fi
build=.kernel-builder/$variant
mkdir -p "$build"
for from in $files ${objects-}; do
    cp -r --no-preserve=mode "$from/." "$build/"
done
mkdir -p "$build/tc"
while read -r place target; do
    mkdir -p "$(dirname "$build/tc/$place")"
    ln -s "$target" "$build/tc/$place"
done <<<"$links"
printf '%s' "$tools" >"$build/toolchain.ninja"
: >"$build/toolchain.stamp"
: >"$build/$other"
printf 'builddir = .kernel-builder\npool heavy\n  depth = %s\nsubninja %s/build.ninja\n' \
    "$NIX_BUILD_CORES" "$build" >.kernel-builder/build.ninja
# Nix gives a terminal to builders, on which Ninja would write each status over the one before.
export TERM=dumb
ninja -f .kernel-builder/build.ninja -j "$NIX_BUILD_CORES"
mkdir "$out"
cd "$build"
cp --parents $made "$out"
