#!/bin/sh
# toolkits.sh - puts another CUDA toolkit into build/toolkits/VERSION: nvcc, ptxas, cudart, NVRTC and the headers that
# they need, from the Python package index, by pip. Needs no GPU and no root; one version takes about 400 MB, NVRTC of
# one 60 to 90. make test NVCC=build/toolkits/13.5/bin/nvcc then builds and tests all of tc with it.
#     tests/toolkits.sh 13.5 [directory, default build/toolkits]
#     tests/toolkits.sh nvrtc 12.8 [directory]       NVRTC alone, into build/toolkits/nvrtc-12.8; 12.x too
# Prints the path of that nvcc, or of the directory of NVRTC, or why there is none: "SKIP ..." and status 1; the reason
# stands in build/toolkits/VERSION.why too, for the tests that are skipped for it. What is there already is not asked
# for again. tests/with_toolkit.sh tests tc with it; tests/cover_*.sh and tests/must_fail.sh look at what the toolkit in
# PATH is too old for.
# Compilers of 13.0 and later: their packages lie side by side, those of 12 do not.
what=nvcc
[ "$1" != nvrtc ] || { what=nvrtc && shift; }
version=$1 into=${2:-build/toolkits}
case $what:$version in
nvcc:1[3-9].* | nvrtc:1[2-9].*) ;;
*) echo "usage: tests/toolkits.sh [nvrtc] VERSION [DIRECTORY], as 13.5, nvrtc 12.8"; exit 2 ;;
esac
case $version in *.*.*) ;; *) version=$version.* ;; esac
name=$(echo "$1" | cut -d. -f1,2)
dir=$into/$name
[ $what = nvcc ] || dir=$into/nvrtc-$name
nvcc=$dir/bin/nvcc
has_nvrtc() { [ -f "$1/include/nvrtc.h" ] && [ -e "$1/lib/libnvrtc.so" ]; }
works() {
    if [ $what = nvrtc ]; then has_nvrtc "$dir"; return; fi
    [ -x "$nvcc" ] && "$nvcc" --version > /dev/null 2>&1 && [ -x "$dir/bin/ptxas" ] && [ -x "$dir/nvvm/bin/cicc" ] &&
        has_nvrtc "$dir"
}
links() { # the names that a linker looks for, which wheels leave out
    for lib in "$dir"/lib/libcudart.so.* "$dir"/lib/libnvrtc.so.*; do
        link=${lib%%.so.*}.so
        [ ! -e "$lib" ] || [ -e "$link" ] || ln -s "${lib##*/}" "$link"
    done
    [ -e "$dir/lib64" ] || ln -s lib "$dir/lib64"
}
finished() {
    rm -f "$dir.why"
    if [ $what = nvrtc ]; then echo "$dir"; else echo "$nvcc"; fi
    exit 0
}
works && finished
# a whole toolkit has its NVRTC
[ $what = nvcc ] || ! has_nvrtc "$into/$name" || { dir=$into/$name && finished; }
skip() { echo "SKIP CUDA $name: $1"; echo "$1" > "$dir.why"; exit 1; }
python=${PYTHON:-python3}
mkdir -p "$into" || exit 1
"$python" -m pip --version > /dev/null 2>&1 || skip "$python has no pip"
tmp=$(mktemp -d "$into/.new.XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
set -- nvidia-cuda-nvcc nvidia-nvvm nvidia-cuda-crt nvidia-cuda-runtime nvidia-cuda-nvrtc nvidia-cuda-profiler-api
case $what:$name in nvrtc:12.*) set -- nvidia-cuda-nvrtc-cu12 ;; nvrtc:*) set -- nvidia-cuda-nvrtc ;; esac
for package in "$@"; do
    "$python" -m pip download -q --disable-pip-version-check --retries 1 --timeout 15 --no-deps \
        --only-binary :all: -d "$tmp" "$package==$version" > "$tmp/log" 2>&1 ||
        skip "pip got no $package: $(grep -m 1 -oE 'connection broken by.*|ERROR.*' "$tmp/log" |
            sed 's,<[^>]*>: ,,' | cut -c1-160)"
done
for wheel in "$tmp"/*.whl; do
    "$python" -m zipfile -e "$wheel" "$tmp/all" || skip "$(basename "$wheel") cannot be unpacked"
done
case $what in
nvcc) found=$(find "$tmp/all" -path '*/bin/nvcc' | head -n 1) ;;
nvrtc) found=$(find "$tmp/all" -path '*/lib/libnvrtc.so.*' | head -n 1) ;;
esac
[ -n "$found" ] || skip "its packages hold no $what"
top=$(dirname "$(dirname "$found")")
chmod +x "$top"/bin/* "$top"/nvvm/bin/* 2> /dev/null # a zip keeps no modes
rm -rf "$dir"
mv "$top" "$dir" || exit 1
links
[ $what != nvrtc ] || finished
works || skip "its nvcc does not start: $("$nvcc" --version 2>&1 | tail -n 1 | cut -c1-160)"
finished
