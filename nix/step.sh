# Run one half of a variant's `build.ninja`; the other half is empty here.
if [ -e /usr ] || [ -e /home ]; then
    echo "this derivation is not confined: it sees /usr or /home" >&2
    exit 1
fi
# What a plan made in Nix lays out, as the program does where it asks for the build.
if [ -n "${plan-}" ]; then
    if [ "$half" = objects ]; then source=$plan/source; fi
    files=$plan/$half
    made=$(<"$plan/$half.made")
    links+=$'\n'$(<"$plan/links")
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
    if [ -z "$place" ]; then continue; fi
    mkdir -p "$(dirname "$build/tc/$place")"
    ln -s "$target" "$build/tc/$place"
done <<<"$links"
printf '%s' "$tools" >"$build/toolchain.ninja"
: >"$build/toolchain.stamp"
case $half in objects) : >"$build/link.ninja" ;; library) : >"$build/objects.ninja" ;; esac
printf 'builddir = .kernel-builder\npool heavy\n  depth = %s\nsubninja %s/build.ninja\n' \
    "$NIX_BUILD_CORES" "$build" >.kernel-builder/build.ninja
# Nix gives a terminal to builders, on which Ninja would write each status over the one before.
export TERM=dumb
ninja -f .kernel-builder/build.ninja -j "$NIX_BUILD_CORES"
mkdir "$out"
cd "$build"
cp --parents $made "$out"
