# Set the loader and the library path of every program of a part.
cp -r --no-preserve=mode "$part" "$out"
libraries=$toolchain/usr/lib/x86_64-linux-gnu
shopt -s globstar nullglob
for file in "$part"/**; do
    if [ ! -f "$file" ] || [ ! -x "$file" ]; then continue; fi
    copy=$out/${file#"$part"/}
    chmod +x "$copy"
    if patchelf --print-interpreter "$copy" >/dev/null 2>&1; then
        patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries" "$copy"
    fi
done
