#!/bin/sh
# single.sh - is build/tc_single.h what tc*.h are? The preprocessor makes the same of both; nvcc, C and C++ compilers
# take it without a warning, with no other header of tc in reach; an example built on it runs; NVRTC takes it as one
# string. usage: tests/single.sh BUILD_DIR [TCEMU], from the repository's root, after make. Ends with "N passed, N
# failed".
build=$(cd "${1:-build}" && pwd)
root=$PWD
tcemu=$2
work=$build/single
NVCC=${NVCC:-nvcc} CC=${CC:-cc} CXX=${CXX:-g++}
CUDA=${CUDA:-$(dirname "$(dirname "$(command -v "$NVCC" || echo /usr/local/cuda/bin/nvcc)")")}
warn="-Wall -Wextra -Wpedantic -Werror"
rm -rf "$work" && mkdir -p "$work" || exit 1
. tests/works.sh
. tests/quick.sh # tests/compile.sh compiles the same text with the optimiser

works "make single" sh -c \
    "sh tools/single.sh > '$build/tc_single.new' && mv '$build/tc_single.new' '$build/tc_single.h'"

# what the preprocessor makes of it. tc.h leaves out no header, so that each stands there once
for file in tc*.h; do echo "#include \"$file\""; done > "$work/many.h"
same() { # same OPTION...: the same as of the many
    "$CC" -E -P "$@" -I. -I"$CUDA/include" "$work/many.h" > "$work/many.i" || return 1
    "$CC" -E -P "$@" -I"$CUDA/include" "$build/tc_single.h" > "$work/single.i" || return 1
    [ -s "$work/many.i" ] && cmp "$work/many.i" "$work/single.i"
}
works "C11: the same text" same -x c -std=c11
works "C++17: the same text" same -x c++ -std=c++17
for arch in 750 800 900:SM90 1000:SM100 1030:SM103 1200:SM120; do
    feature=
    case $arch in *:*) feature="-D__CUDA_ARCH_FEAT_${arch#*:}_ALL -D__CUDA_ARCH_SPECIFIC__=${arch%:*}" ;; esac
    # shellcheck disable=SC2086
    works "device, $arch: the same text" same -x c++ -D__CUDACC__ -D__CUDACC_RTC__ -D__CUDA_ARCH__="${arch%:*}" $feature
done
once() { for file in tc*.h; do grep -c "^/\* $file " "$build/tc_single.h"; done | sort -u | grep -x 1; }
works "each header's manual stands there once" once
licence() { grep -n 'MIT license' "$build/tc_single.h" | grep "^1:.*$(grep -m 1 ^Copyright LICENSE)"; }
works "one line of licence" licence

# what compilers make of it, where there is no other header of tc
for file in tests/compile/use.c tests/compile/use.cu examples/02_first_gemm.cu; do
    sed 's/#include "tc.h"/#include "tc_single.h"/' $file > "$work/${file##*/}"
done
# the example's kernels for small problems alone, a third of what nvcc has to do
small='s/\.d = TC_BF16)/.d = TC_BF16, .shapes = TC_SHAPES_SMALL)/'
sed -i "$small" "$work/02_first_gemm.cu"
works "02_first_gemm is as it was" grep -q TC_SHAPES_SMALL "$work/02_first_gemm.cu"
cp "$build/tc_single.h" "$work/"
[ -z "$tcemu" ] || tcemu=$(realpath "$tcemu")
cd "$work" || exit 1
gencode() { for a in "$@"; do printf -- '-gencode arch=compute_%s,code=compute_%s ' "$a" "$a"; done; } # no ptxas
# shellcheck disable=SC2046,SC2086
{
    works "use.c, C11" "$CC" -std=c11 $warn -O2 -c -o use_c.o -I"$CUDA/include" use.c
    for std in 11 17 20; do
        works "use.c, C++$std" "$CXX" -x c++ -std=c++$std $warn -O2 -c -o use_cxx.o -I"$CUDA/include" use.c
    done
    works "use.cu, sm_90a" "$NVCC" -std=c++17 $quick -Werror all-warnings $(gencode 90a) -c -o use.o use.cu
    works "02_first_gemm builds" "$NVCC" -std=c++17 -O3 -cudart shared -DTC__GEMM_ONE_TILE -Werror all-warnings \
        $(gencode 80 90a) 02_first_gemm.cu -o first
}
if [ -n "$tcemu" ]; then
    for device in sm_80 sm_90a; do
        works "02_first_gemm runs, tcemu $device" "$tcemu" --device $device "$work/first"
    done
else
    works "02_first_gemm runs" "$work/first"
fi

# what it refuses to put together, rather than put together wrongly
mkdir -p "$work/headers"
broken() { # broken WORDS LINE...: tc_a.h with these lines
    words=$1
    shift
    printf '#define TC_VERSION_MAJOR 0\n' > "$work/headers/tc_core.h"
    printf '#ifndef TC_H\n#define TC_H\n#include "tc_a.h"\n#endif\n' > "$work/headers/tc.h"
    { printf '#ifndef TC_A_H\n#define TC_A_H\n'; printf '%s\n' "$@"; printf '#endif\n'; } > "$work/headers/tc_a.h"
    printf '#ifndef TC_B_H\n#define TC_B_H\nint b;\n#endif\n' > "$work/headers/tc_b.h"
    sh "$root/tools/single.sh" "$work/headers" > "$work/headers.out" 2> "$work/headers.err"
    code=$?
    if [ -n "$words" ]; then
        [ $code != 0 ] && grep -F "$words" "$work/headers.err"
    else
        [ $code = 0 ] && [ ! -s "$work/headers.err" ] && [ "$(grep -c 'int b' "$work/headers.out")" = 1 ]
    fi
}
works "an include in the middle" broken "" 'int a;' '#include "tc_b.h"' '#include "tc.h"'
works "a header that tc.h does not include" broken "" 'int a;'
works "an include under an #if is refused" \
    broken "tc_a.h:4 includes tc_b.h under an #if" '#if 1' '#include "tc_b.h"' '#endif'
works "an unknown include is refused" broken "tc_a.h:3 includes tc_c.h, which is not" '#include "tc_c.h"'

"$build/tests/single_nvrtc" "$build/tc_single.h" > "$work/out" 2>&1
grep '^FAIL' "$work/out"
# shellcheck disable=SC2046
set -- $(tail -n 1 "$work/out" | tr -d ,)
echo "NVRTC: $*"
passed=$((passed + ${1:-0})) failed=$((failed + ${3:-1}))
counted
