#!/bin/sh
# Install kernel-builder for one user, or take it away again. Needs no root.
#
#     scripts/install.sh --from URL [--version V] [--prefix DIR] [--sha256 HEX]    a release: https://, http:// or file://
#     scripts/install.sh --from-source [--prefix DIR]                             this checkout, with Rust
#     scripts/install.sh --uninstall [--prefix DIR]
#     --force, with the first two, also replaces a DIR/bin/kernel-builder that this script did not put there
#
# URL is the directory of a release: `kernel-builder-V-x86_64-linux.tar.gz` (or aarch64) with `kernel-builder` in it, and
# `SHA256SUMS`. Nothing is installed whose hash is not that of the list, and that of --sha256 where it is given; both are of
# the archive. DIR is `~/.local`; the program goes to DIR/bin. What was installed is written down in
# DIR/share/kernel-builder/installed, and only that is replaced or taken away, unless somebody changed it.
set -eu

fail() { echo "install: $1" >&2; exit "${2:-1}"; }

from='' version='' prefix='' wanted='' source=no uninstall=no force=no
while [ $# -gt 0 ]; do
    case "$1" in
        --from) from=${2:?"install: --from needs a URL"}; shift ;;
        --version) version=${2:?"install: --version needs a version"}; shift ;;
        --prefix) prefix=${2:?"install: --prefix needs a directory"}; shift ;;
        --sha256) wanted=${2:?"install: --sha256 needs a hash"}; shift ;;
        --from-source) source=yes ;;
        --uninstall) uninstall=yes ;;
        --force) force=yes ;;
        -h | --help) sed -n '2,13s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "unknown argument: $1" 2 ;;
    esac
    shift
done
[ -n "$prefix" ] || prefix=${HOME:?"install: HOME is not set; give --prefix"}/.local
program=$prefix/bin/kernel-builder
receipt=$prefix/share/kernel-builder/installed

hash_of() { sha256sum "$1" | cut -d ' ' -f 1; }

if [ "$uninstall" = yes ]; then
    [ -f "$receipt" ] || fail "nothing that this script installed is in $prefix" 4
    if [ ! -e "$program" ]; then
        echo "install: $program is gone already"
    elif [ "$(hash_of "$program")" = "$(cat "$receipt")" ]; then
        rm -f "$program"
        echo "removed $program"
    else
        fail "$program was changed since it was installed, and stays" 6
    fi
    rm -f "$receipt"
    rmdir "$prefix/share/kernel-builder" 2>/dev/null || true
    exit 0
fi

if [ -e "$program" ] || [ -L "$program" ]; then
    if [ "$force" = no ]; then
        instead='move it away, or replace it with --force'
        [ -f "$receipt" ] || fail "$program is there and not from this script; $instead" 6
        if [ ! -f "$program" ] || [ "$(hash_of "$program")" != "$(cat "$receipt")" ]; then
            fail "$program was changed since it was installed; $instead" 6
        fi
    fi
    [ ! -d "$program" ] || fail "$program is a directory" 6
fi

case "$(uname -s)" in
    Linux) ;;
    Darwin) fail "there is no binary for macOS; build with --from-source" 4 ;;
    *) fail "only Linux is supported; on Windows use WSL 2" 4 ;;
esac
case "$(uname -m)" in
    x86_64 | amd64) machine=x86_64 ;;
    aarch64 | arm64) machine=aarch64 ;;
    *) fail "there is no binary for the processor $(uname -m)" 4 ;;
esac

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

if [ "$source" = yes ]; then
    [ -z "$from" ] || fail "--from and --from-source exclude each other" 2
    command -v cargo >/dev/null || fail "Rust is missing; install it with rustup" 4
    root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
    (cd "$root" && cargo build --release --locked --quiet -p kernel-builder)
    cp "${CARGO_TARGET_DIR:-$root/target}/release/kernel-builder" "$scratch/kernel-builder"
else
    [ -n "$from" ] || fail "say where from: --from URL of a release, or --from-source" 2
    # The binary needs glibc 2.28, which every system since 2018 has.
    libc=$(getconf GNU_LIBC_VERSION 2>/dev/null | cut -d ' ' -f 2) || libc=''
    case "$libc" in
        '') fail "this system has no glibc; build with --from-source" 4 ;;
        2.[0-9] | 2.[0-9].* | 2.1[0-9] | 2.1[0-9].* | 2.2[0-7] | 2.2[0-7].*)
            fail "glibc $libc is older than 2.28; build with --from-source" 4 ;;
    esac

    fetch() {
        case "$from" in
            file://*) cp -- "${from#file://}/$1" "$2" ;;
            https://* | http://*)
                if command -v curl >/dev/null; then
                    curl --fail --silent --show-error --location --output "$2" "$from/$1"
                elif command -v wget >/dev/null; then
                    wget --quiet --output-document="$2" "$from/$1"
                else
                    fail "neither curl nor wget is there" 4
                fi ;;
            *) fail "$from is no https://, http:// or file:// address" 2 ;;
        esac || fail "$from/$1 cannot be fetched" 8
    }

    fetch SHA256SUMS "$scratch/SHA256SUMS"
    if [ -n "$version" ]; then
        archive=kernel-builder-$version-$machine-linux.tar.gz
    else
        archive=$(sed -n "s/^[0-9a-f]\{64\}  \(kernel-builder-[0-9A-Za-z.+-]*-$machine-linux\.tar\.gz\)\$/\1/p" "$scratch/SHA256SUMS")
        [ "$(printf '%s\n' "$archive" | grep -c .)" = 1 ] || fail "SHA256SUMS does not name exactly one release for $machine; give --version" 4
    fi
    listed=$(sed -n "s/^\([0-9a-f]\{64\}\)  $archive\$/\1/p" "$scratch/SHA256SUMS")
    [ -n "$listed" ] || fail "SHA256SUMS does not name $archive" 6
    [ -z "$wanted" ] || [ "$wanted" = "$listed" ] || fail "SHA256SUMS has another hash of $archive than --sha256" 6
    fetch "$archive" "$scratch/archive"
    [ "$(hash_of "$scratch/archive")" = "$listed" ] || fail "$archive is not what SHA256SUMS says; nothing was installed" 6
    # One named file, so that nothing else in the archive can go anywhere.
    tar -xzf "$scratch/archive" -C "$scratch" kernel-builder || fail "$archive holds no kernel-builder" 6
fi

if [ -L "$scratch/kernel-builder" ] || [ ! -f "$scratch/kernel-builder" ]; then
    fail "kernel-builder is no regular file there" 6
fi
chmod 755 "$scratch/kernel-builder"
said=$("$scratch/kernel-builder" -V) || fail "it does not run on this system; nothing was installed" 4
mkdir -p "$prefix/bin" "$prefix/share/kernel-builder"
cp "$scratch/kernel-builder" "$program.new"
mv -f "$program.new" "$program"
hash_of "$program" >"$receipt"
echo "installed $said as $program"
case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "add $prefix/bin to PATH to call it by its name" ;;
esac
