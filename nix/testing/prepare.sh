# Make programs that were built for `/usr` run from the store: interpreter, library path, absolute links.
busybox=$files/bootstrap/busybox
mkdir -p /build/bin
$busybox --install -s /build/bin
export PATH=/build/bin
cp -a "$files" "$out"
chmod -R u+w "$out"
rm -rf "$out/bootstrap"
libraries=$out/usr/lib/x86_64-linux-gnu
loader=$libraries/ld-linux-x86-64.so.2
cp "$out/usr/bin/patchelf" /build/patchelf
patch() { "$loader" --library-path "$libraries" /build/patchelf "$@"; }
find "$out" -type l | while read -r link; do
    target=$(readlink "$link")
    case $target in /*) ln -sfn "$out$target" "$link" ;; esac
done
find "$out/usr/bin" "$out/usr/lib" -type f -size +0 | while read -r file; do
    case $file in *.o | *.a | *.so | *.so.* | *.h) continue ;; esac
    if [ "$(head -c 4 "$file" | od -An -tx1 | tr -d ' \n')" != 7f454c46 ]; then continue; fi
    if patch --print-interpreter "$file" >/dev/null 2>&1; then
        patch --set-interpreter "$loader" --force-rpath --set-rpath "$libraries" "$file"
    fi
done
