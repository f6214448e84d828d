# Set the loader and the library path of every program of a part.
cp -r --no-preserve=mode "$part" "$out"
libraries=$toolchain/usr/lib/x86_64-linux-gnu
shopt -s globstar nullglob
for file in "$part"/**; do
    if [ ! -f "$file" ] || [ -L "$file" ] || [ ! -x "$file" ]; then continue; fi
    copy=$out/${file#"$part"/}
    chmod +x "$copy"
    if patchelf --print-interpreter "$copy" >/dev/null 2>&1; then
        patchelf --set-interpreter "$libraries/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$libraries:$out/lib" "$copy"
    # A Python's own library may have a path of its own, and then takes no heed of the program's.
    elif [[ $file == */libpython3*.so* ]]; then
        patchelf --force-rpath --set-rpath "$libraries" "$copy"
    fi
done
