#!/bin/sh
# warnings.sh - a user's file with every generator under -Wall -Wextra: no compiler may say a word. Compiles only, needs
# no GPU.
#     tests/warnings.sh [directory to write to, default build/tests/warnings]
# nvcc with its host compiler, for targets alone and together; clang as a host compiler that reads CUDA and clangd, both
# by compile_flags.txt, where one of CLANGS and CLANGDS reads this toolkit (Debian 12's clang 14 does not: apt-get
# install clang-22 clangd-22). Variables: NVCC, CLANGS, CLANGDS. Ends with "N passed, N failed, N skipped".
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/warnings}
NVCC=${NVCC:-nvcc} CLANGS=${CLANGS:-clang++ clang++-22} CLANGDS=${CLANGDS:-clangd clangd-22}
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
echo 'int nothing;' > "$out/clangd/nothing.cu"
cd "$out/clangd" || exit 1
flags=$(cat compile_flags.txt)
reads() { # reads PROGRAM: is it there, and can it read a file in which nothing is but what CUDA brings?
    command -v "$1" > /dev/null || { echo "$1: not here" && return 1; }
    # shellcheck disable=SC2086
    case $1 in
    *clangd*) "$1" --check=nothing.cu > "$out/nothing.log" 2>&1 && ! grep -m 1 '^E\[' "$out/nothing.log" ;;
    *) "$1" $flags -fsyntax-only nothing.cu > "$out/nothing.log" 2>&1 || head -n 1 "$out/nothing.log" ;;
    esac
}
look() { # look WHAT PROGRAM...: the first of them that reads CUDA reads the file
    what=$1 why=
    shift
    for program in "$@"; do
        said=$(reads "$program" | cut -c1-160)
        [ -z "$said" ] || { why="$why${why:+; }$said" && continue; }
        case $program in
        *clangd*)
            "$program" --check=user.cu > clangd.log 2>&1
            status=$?
            grep '^[EW]\[' clangd.log > "$out/clangd.log"
            silent "$program --check by compile_flags.txt" "$out/clangd.log" $status ;;
        *) # the flags have the last word
            # shellcheck disable=SC2086
            "$program" -Wextra $flags -fsyntax-only user.cu > "$out/clang.log" 2>&1
            silent "$program -Wall -Wextra by compile_flags.txt" "$out/clang.log" $? ;;
        esac
        return
    done
    echo "SKIP no $what here that reads CUDA with this toolkit: $why"
    skipped=$((skipped + 1))
}
# shellcheck disable=SC2086
look clang $CLANGS
# shellcheck disable=SC2086
look clangd $CLANGDS
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
