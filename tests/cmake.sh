#!/bin/sh
# cmake.sh - examples/cmake as a user builds it: with tc's sources by FetchContent, and with an installed tc by
# find_package; its tests run under tcemu by CTest. Needs cmake, nvcc and tcemu, no GPU. usage: tests/cmake.sh
# [BUILD_DIR, default build], from the repository's root, after make. Ends with "N passed, N failed, N skipped".
build=$(cd "${1:-build}" && pwd)
work=$build/cmake
NVCC=${NVCC:-nvcc}
if ! command -v cmake > /dev/null; then
    echo "SKIP cmake is not installed"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
rm -rf "$work" && mkdir -p "$work" || exit 1
unset MAKEFLAGS MAKELEVEL MFLAGS CUDAARCHS CUDAFLAGS
version=$(sed -n 's/^#define TC_VERSION_\(MAJOR\|MINOR\|PATCH\) *\([0-9]*\).*/\2/p' tc_core.h | paste -s -d .)
nvcc=$(command -v "$NVCC")

. tests/works.sh
told() {
    grep -iE 'error|fail|warning' "$work/out" | head -n 4
    tail -n 20 "$work/out" | sed 's/^/    /'
}
fails() { # fails WHAT TEXT COMMAND...: it fails, and says TEXT
    what=$1 text=$2
    shift 2
    said() { ! "$@" > "$work/said" 2>&1 && tr -s ' \n' ' ' < "$work/said" | grep -F "$text"; }
    works "$what" said "$@"
}
project() { # project DIRECTORY [-DOPTION...]: configures examples/cmake there, without a word of warning
    at=$1
    shift
    cmake -S "$source" -B "$at" -DCMAKE_CUDA_COMPILER="$nvcc" \
        -DCMAKE_CUDA_FLAGS="-Werror=all-warnings -DTC__GEMM_ONE_TILE" \
        -DCMAKE_C_FLAGS="-Wall -Wextra -Wpedantic -Werror" "$@" > "$work/configured" 2>&1
    code=$?
    if [ $code -ne 0 ]; then cat "$work/configured"; else grep -i warning "$work/configured" && code=1; fi
    return $code
}
uses() { grep -q "^$2" "$work/$1/CMakeCache.txt"; } # uses DIRECTORY LINE_OF_THE_CACHE

# from the sources
source=examples/cmake
works "FetchContent: configures" project "$work/fetch" -DCMAKE_DISABLE_FIND_PACKAGE_tc=ON -DTC_TCEMU="$build/tcemu"
works "FetchContent: the sources are the repository's" uses fetch "tc_SOURCE_DIR:STATIC=$PWD\$"
works "FetchContent: builds without a warning" cmake --build "$work/fetch"
both() { (cd "$work/fetch" && ctest --output-on-failure && ctest -N | grep 'Total Tests: 2'); }
works "FetchContent: its tests pass under tcemu" both

# installed by make and by cmake, the example copied away from the sources
source=$work/copy
cp -R examples/cmake "$source"
sed -i 's/\.d = TC_BF16)/.d = TC_BF16, .shapes = TC_SHAPES_SMALL)/' "$source/layer.cu" # nvcc has done all of it above
works "layer.cu is as it was" grep -q TC_SHAPES_SMALL "$source/layer.cu"
works "make install" make B="$build" NVCC="$NVCC" PREFIX="$work/made" install
works "find_package: configures" project "$work/found" -DCMAKE_PREFIX_PATH="$work/made" -DCMAKE_CUDA_ARCHITECTURES=90a
works "find_package: finds what was installed" uses found "tc_DIR:PATH=$work/made/share/cmake/tc\$"
works "find_package: finds the tcemu that was installed" uses found "TC_TCEMU:FILEPATH=$work/made/bin/tcemu\$"
works "find_package: builds without a warning" cmake --build "$work/found"
hopper() { (cd "$work/found" && ctest --output-on-failure -R hopper); }
works "find_package: its test passes under tcemu" hopper
works "cmake --install: configures" cmake -S . -B "$work/own" -DCMAKE_INSTALL_PREFIX="$work/cmade"
works "cmake --install" cmake --install "$work/own"
same() {
    (cd "$work/made" && find include share/cmake share/pkgconfig -type f -exec cmp {} "$work/cmade/{}" \;) \
        > "$work/other" 2>&1
    cat "$work/other"
    [ ! -s "$work/other" ]
}
works "cmake --install brings the same headers and package as make install" same

# which version serves whom
mkdir -p "$work/ask"
cat > "$work/ask/CMakeLists.txt" <<'LIST'
cmake_minimum_required(VERSION 3.18)
project(ask LANGUAGES NONE)
find_package(tc ${WANTED} REQUIRED)
if(NOT TARGET tc::tc)
  message(FATAL_ERROR "no tc::tc")
endif()
if(WRONG)
  tc_add_emulated_test(TARGET me)
endif()
LIST
ask() { cmake -S "$work/ask" -B "$work/asked" -DCMAKE_PREFIX_PATH="$work/made" "$@"; }
major=${version%%.*} minor=${version#*.}
minor=${minor%%.*}
for wanted in "$major" "$major.$minor" "$version" "$version;EXACT"; do
    works "version $version serves who wants $wanted" ask "-DWANTED=$wanted"
done
for wanted in "$((major + 1))" "$major.$((minor + 1))" "$major.$minor.99" "$major.$minor.99;EXACT"; do
    fails "version $version does not serve who wants $wanted" "$version" ask "-DWANTED=$wanted"
done
fails "a test without a name" "takes NAME test TARGET program" ask "-DWANTED=$version" -DWRONG=1
echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
