#!/bin/sh
# Installs svc {version}: sh install.sh [--dir FOLDER] [--from FOLDER or URL]
# It checks the SHA-256 of what it downloads, and writes one file: FOLDER/svc.
set -eu

from='{url}'
dir=
fail() { echo "svc: $*" >&2; exit 1; }
while [ $# -gt 0 ]; do
  case "$1" in
    --dir) dir=${2:?--dir needs a folder}; shift 2 ;;
    --from) from=${2:?--from needs a folder or a URL}; shift 2 ;;
    *) fail "unknown option $1. Usage: sh install.sh [--dir FOLDER] [--from FOLDER or URL]" ;;
  esac
done

case "$(uname -s)" in Linux) os=linux ;; Darwin) os=darwin ;; *) fail "there is no svc for $(uname -s)" ;; esac
case "$(uname -m)" in
  x86_64|amd64) cpu=x64 ;;
  arm64|aarch64) cpu=arm64 ;;
  *) fail "there is no svc for $(uname -m)" ;;
esac
platform=$os-$cpu
if [ $os = linux ] && ! getconf GNU_LIBC_VERSION >/dev/null 2>&1; then platform=$platform-musl; fi

case "$platform" in
{cases}
  *) fail "this release has no svc for $platform. It has: {names}" ;;
esac

if [ -z "$dir" ]; then
  if [ "$(id -u)" = 0 ]; then dir=/usr/local/bin; else dir=$HOME/.local/bin; fi
fi
if [ -z "$from" ]; then from=$(cd "$(dirname "$0")" && pwd); fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
case "$from" in
  http://*|https://*)
    if command -v curl >/dev/null; then curl -fsSL -o "$work/$file" "$from/$file"
    elif command -v wget >/dev/null; then wget -q -O "$work/$file" "$from/$file"
    else fail "install curl or wget first"
    fi || fail "cannot download $from/$file" ;;
  *) cp "$from/$file" "$work/$file" 2>/dev/null || fail "$from/$file does not exist" ;;
esac

if command -v sha256sum >/dev/null; then actual=$(sha256sum "$work/$file")
else actual=$(shasum -a 256 "$work/$file")
fi || fail "install sha256sum or shasum first"
[ "${actual%% *}" = "$sum" ] || fail "$file is damaged: its SHA-256 is ${actual%% *}, expected $sum"

tar -xf "$work/$file" -C "$work" svc 2>"$work/errors" ||
  fail "cannot unpack $file ($(head -n 1 "$work/errors")). If xz is missing, install it (xz-utils or xz)"
mkdir -p "$dir" && cp "$work/svc" "$dir/.svc.new" && chmod 755 "$dir/.svc.new" &&
  mv "$dir/.svc.new" "$dir/svc" || fail "cannot write to $dir. Choose another folder: --dir FOLDER"
"$dir/svc" --version >/dev/null || fail "$dir/svc does not start on this machine"

echo "Installed svc {version} to $dir/svc"
case ":$PATH:" in
  *":$dir:"*) ;;
  *) echo "Add it to your PATH: export PATH=\"$dir:\$PATH\"" ;;
esac
