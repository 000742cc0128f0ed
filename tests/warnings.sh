#!/bin/sh
# warnings.sh - a user's file with every generator under -Wall -Wextra: no compiler may say a word. Compiles only, needs
# no GPU.
#     tests/warnings.sh [directory to write to, default build/tests/warnings]
# nvcc with its host compiler, for targets alone and together; clang as a host compiler that reads CUDA and clangd, both
# by compile_flags.txt, where they are installed. Variables: NVCC, CLANG, CLANGD. Ends with "N passed, N failed, N
# skipped".
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/warnings}
NVCC=${NVCC:-nvcc} CLANG=${CLANG:-clang++} CLANGD=${CLANGD:-clangd}
CUDA=$(dirname "$(dirname "$(command -v "$NVCC" || echo /usr/local/cuda/bin/nvcc)")")
mkdir -p "$out" || exit 1
out=$(cd "$out" && pwd)
file=$root/tests/warnings/user.cu
passed=0 failed=0 skipped=0

silent() { # silent WHAT LOG STATUS
    if [ "$3" -eq 0 ] && [ ! -s "$2" ]; then
        echo "ok $1"
        passed=$((passed + 1))
    else
        echo "FAIL $1: status $3, $(grep -cE 'warning|error' "$2") lines of warnings and errors:"
        grep -E 'warning|error' "$2" | head -4 | cut -c1-300
        failed=$((failed + 1))
    fi
}

# PTX: ptxas has its say in tests/compile.sh and tests/check_ptx.sh. What nvcc's optimiser has to say of every generator
# tests/compile.sh asks for: here it is left out, where nvcc can do without, as nobody looks at the PTX
. "$root/tests/quick.sh"
nvcc_says() { # nvcc_says NAME FILE TARGET...: of the file with its host compiler, into $out/NAME.log
    name=$1 from=$2
    shift 2
    gencode=$(for a in "$@"; do printf -- '-gencode arch=compute_%s,code=compute_%s ' "$a" "$a"; done)
    # shellcheck disable=SC2086
    "$NVCC" -std=c++17 $quick $gencode -I"$root" -Xcompiler -Wall,-Wextra -c -o "$out/$name.o" "$from" \
        > "$out/$name.log" 2>&1
}
for targets in 90a "80 120a"; do
    name=nvcc_$(echo "$targets" | tr ' ' _)
    # shellcheck disable=SC2086
    nvcc_says "$name" "$file" $targets
    silent "nvcc -Xcompiler -Wall,-Wextra, sm $targets" "$out/$name.log" $?
done

# and would it say a word? One of nvcc's in a kernel, one of the host compiler's
{
    cat "$file"
    echo '__global__ void planted(float *p) { int in_kernel; *p = 0.f; }'
    echo 'int planted_too(int i, unsigned u) { return i < u; }'
} > "$out/planted.cu"
nvcc_says planted "$out/planted.cu" 90a
for word in 'planted.cu([0-9]*): warning #177-D: .*"in_kernel"' 'planted.cu:[0-9]*:.*warning: .*-Wsign-compare'; do
    if grep -q "$word" "$out/planted.log"; then
        echo "ok a planted warning is found: $word"
        passed=$((passed + 1))
    else
        echo "FAIL nobody says: $word"
        failed=$((failed + 1))
    fi
done

# the flags of the repository, its paths made whole; in a directory of its own, where clangd finds them. clang's word on
# a toolkit that is newer than itself is no matter of ours
mkdir -p "$out/clangd"
sed "s|^-I\.\$|-I$root|; s|^--cuda-path=.*|--cuda-path=$CUDA|" "$root/compile_flags.txt" \
    > "$out/clangd/compile_flags.txt"
cp "$file" "$out/clangd/user.cu"
echo 'int nothing;' > "$out/nothing.cu"
if command -v "$CLANG" > /dev/null && "$CLANG" $(cat "$out/clangd/compile_flags.txt") -fsyntax-only "$out/nothing.cu" \
    > "$out/clang.log" 2>&1; then
    "$CLANG" $(cat "$out/clangd/compile_flags.txt") -Wextra -fsyntax-only "$file" > "$out/clang.log" 2>&1
    silent "$CLANG -Wall -Wextra by compile_flags.txt" "$out/clang.log" $?
else
    why=$(head -n 1 "$out/clang.log" 2> /dev/null | cut -c1-120)
    echo "SKIP no $CLANG here that can read CUDA with this toolkit: $why"
    skipped=$((skipped + 1))
fi
if command -v "$CLANGD" > /dev/null; then
    (cd "$out/clangd" && "$CLANGD" --check=user.cu > clangd.log 2>&1)
    status=$?
    grep '^[EW]\[' "$out/clangd/clangd.log" > "$out/clangd.log"
    silent "$CLANGD --check by compile_flags.txt" "$out/clangd.log" $status
else
    echo "SKIP no $CLANGD here"
    skipped=$((skipped + 1))
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
