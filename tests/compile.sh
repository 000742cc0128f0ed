#!/bin/sh
# compile.sh - every header twice, all of them in two orders, every generator, in each language, for a target of each
# generation; with EVERY=1 for every target. Compiles only, needs no GPU.
#     tests/compile.sh [directory to write to, default build/tests/compile]
# Variables: NVCC (nvcc), CC (gcc), CXX (g++), JOBS (2), EVERY, CUDA (where include/ lies; found from NVCC).
# One line a case, "ok what" or "FAIL what" with the first lines of the output; ends with "N passed, N failed".

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/compile}
NVCC=${NVCC:-nvcc} CC=${CC:-gcc} CXX=${CXX:-g++} JOBS=${JOBS:-2}
CUDA=${CUDA:-$(dirname "$(dirname "$(command -v "$NVCC" || echo /usr/local/cuda/bin/nvcc)")")}
warn="-Wall -Wextra -Wpedantic -Werror"
use=$root/tests/compile/use.cu
headers=$(cd "$root" && ls tc*.h)
rm -rf "$out/cases" "$out/own" && mkdir -p "$out/cases" "$out/own" || exit 1
out=$(cd "$out" && pwd)

# Targets that this nvcc has, of these: plain ones, and the arch- and family-specific ones.
targets="" all_targets=""
few=" 75 80 90 90a 100a 120a "
known=$("$NVCC" --list-gpu-arch | sed 's/compute_//' | tr '\n' ' ')
for a in 75 80 86 87 88 89 90 90a 100 100a 103 103a 107 107a 110 120 120a 121 100f 107f 120f; do
    case " $known " in *" $(echo "$a" | tr -d af) "*) all_targets="$all_targets $a" ;; *) continue ;; esac
    case ${EVERY:+1}$few in 1* | *" $a "*) targets="$targets $a" ;; esac
done

# add WHAT COMMAND...: writes one case; the long ones are added first, so that the two jobs end together
count=0
add()
{
    what=$1
    shift
    count=$((count + 1))
    printf '# %s\n%s\n' "$what" "$*" > "$out/cases/$(printf %03d $count).sh"
}

# Targets for which a text is the same need one front end between them. What nvcc defines for a target decides; the C
# preprocessor, once for each target, makes of every header what stands in $out/own/TARGET/HEADER, of the file that it
# went through $out/own/TARGET/whole.
defines() { # defines TARGET: the flags that nvcc hands to the host's preprocessor for it
    "$NVCC" --dryrun -ptx -gencode "arch=compute_$1,code=compute_$1" "$out/all.cu" -o "$out/none.ptx" 2>&1 |
        grep -oE -- '-D__CUDA_ARCH_(_|FEAT_[A-Z0-9_]+|SPECIFIC__|FAMILY_SPECIFIC__)(=[0-9]+)?' | sort -u | tr '\n' ' '
}
{ echo "#include \"$use\""; for i in $headers; do echo "#include \"$i\""; done; } > "$out/all.cu"
for a in $targets; do
    mkdir -p "$out/own/$a" # a header of the host has no line there
    for h in $headers; do : > "$out/own/$a/$h"; done
    flags=$(defines "$a")
    # shellcheck disable=SC2086
    case $flags in *-D__CUDA_ARCH__=*)
        "$CC" -E -x c++ -std=c++17 -D__CUDACC__ -D__CUDACC_RTC__ $flags -I"$root" "$out/all.cu" |
            awk -v dir="$out/own/$a/" '
            /^# [0-9]/ { file = $3; gsub(/"/, "", file); sub(/.*\//, "", file); next }
            NF { print > (dir file); print > (dir "whole") }' ;;
    esac
    [ -s "$out/own/$a/whole" ] || { echo "FAIL what nvcc defines for $a: $flags"; echo "0 passed, 1 failed"; exit 1; }
done
kinds() # kinds NAME: a line for each kind of target that the text under that name knows, its targets
{
    for a in $targets; do
        case $a:$1 in *f:whole) call=f ;; *) call= ;; esac # sm_100 and sm_100f have no PTX in common
        echo "$(cksum < "$out/own/$a/$1")$call $a"
    done | awk '{ if (!(($1 $2) in of)) order[++n] = $1 $2; of[$1 $2] = of[$1 $2] " " $NF }
        END { for (i = 1; i <= n; i++) print substr(of[order[i]], 2) }'
}
ptx() { for a in "$@"; do printf -- '-gencode arch=compute_%s,code=compute_%s ' "$a" "$a"; done; } # no ptxas
ptxas=$(dirname "$(command -v "$NVCC" || echo "$CUDA/bin/nvcc")")/ptxas

# PTX that nobody runs needs no optimiser, where nvcc can do without; what that makes of the generators
# tests/check_ptx.sh looks at.
. "$root/tests/quick.sh"

# assemble FILE TARGET...: a shell command. ptxas reads all of the file, and refuses what a target lacks in any kernel;
# it makes machine code of two of them
cat > "$out/assemble.sh" <<'RUN'
ptxas=$1 file=$2
shift 2
some=$(grep -oE '\.entry _Z[0-9]+(use_tcgen05|use_gemm_sm80_small)[A-Za-z0-9_]*' "$file" | cut -d' ' -f2 |
    paste -s -d ,)
[ -n "$some" ] || { echo "error: $file has none of the kernels to assemble"; exit 1; }
for a in "$@"; do "$ptxas" -arch="sm_$a" -e "$some" -o "$file.cubin" "$file" || exit 1; done
RUN

# Each generator in one file: PTX of each kind, for each of its targets. The kernels of sm_75 are stubs.
kinds whole > "$out/use_kinds"
while read -r kind; do
    first=${kind%% *}
    f=$out/use_$first.ptx
    add "generators, sm $kind" \
        "$NVCC -std=c++17 $quick -ptx -o $f $(ptx $first) -Werror all-warnings -I$root $use" \
        "&& sh $out/assemble.sh $ptxas $f $kind"
done < "$out/use_kinds"
# with the host's part, in the oldest and the newest language
add "generators, nvcc -std=c++14" \
    "$NVCC -std=c++14 $quick -c -o $out/std_14.o $(ptx 75) -DUSE_GENERAL_ONLY -Werror all-warnings -I$root $use"
add "generators, nvcc -std=c++20" \
    "$NVCC -std=c++20 $quick -c -o $out/std_20.o $(ptx 80) -Werror all-warnings -I$root $use"
add "generators, TC_DEBUG, nvcc -std=c++20" \
    "$NVCC -std=c++20 $quick -c -o $out/debug.o $(ptx 90a) -DUSE_GENERAL_ONLY -DTC_DEBUG" \
    "-Werror all-warnings -I$root $use"

# the gates beside the table of chips; nvcc takes an f target and its chip's plain one in two calls only
for letter in '[0-9a]' f; do
    some=$(for a in $all_targets; do case $a in *$letter) echo "$a" ;; esac; done)
    first=$(echo $some | cut -d" " -f1)
    [ -z "$some" ] || add "targets.cu, sm $(echo $some)" \
        "$NVCC -std=c++17 -c -o $out/targets_$first.o $(ptx $some) -Werror all-warnings -I$root" \
        "$root/tests/compile/targets.cu"
done

# CUDA 12.6's PTX: what a generator makes needs none newer. ptxas says so where a form does. By the optimiser: without
# it branches stay that no kernel takes. Small shapes: the others differ in tiles alone.
# Hopper's, four fifths of that, with EVERY=1 alone.
for a in 80 ${EVERY:+90a}; do
    f=$out/old_$a.ptx
    add "generators in PTX 8.5, sm $a, nvcc -std=c++14" \
        "$NVCC -std=c++14 -ptx -o $f $(ptx $a) -DTC__PTX_86=0 -DUSE_SHAPES=TC_SHAPES_SMALL -I$root $use" \
        "&& sed -i 's/^\.version .*/.version 8.5/' $f && sh $out/assemble.sh $ptxas $f $a"
done

# Each header twice, for the target that has most of its lines; with EVERY=1 for each kind of target that they know
# (tc.h: that any header knows). A header that compiles twice compiles alone. Two orders of them all have each header
# before each other one.
most() { # most HEADER: the target whose preprocessed text of it is the longest
    for a in $targets; do echo "$(wc -c < "$out/own/$a/$1") $a"; done | sort -s -k 1,1nr | head -n 1 | cut -d' ' -f2
}
for h in $headers; do
    b=${h%.h}
    printf '#include "%s"\n#include "%s"\nint used_%s;\n' "$h" "$h" "$b" > "$out/twice_$b.cu"
    cp "$out/twice_$b.cu" "$out/twice_$b.c"
    case ${EVERY:+1}$h in *tc.h) of=$(kinds whole) ;; 1*) of=$(kinds "$h") ;; *) of=$(most "$h") ;; esac
    for a in $(echo "$of" | sed 's/ .*//'); do
        add "$h twice, sm $a" \
            "$NVCC -std=c++17 $quick -ptx -o $out/twice_${b}_$a.ptx $(ptx $a) -Werror all-warnings -I$root" \
            "$out/twice_$b.cu"
    done
done
for order in sort 'sort -r'; do
    f=$out/$(echo "$order" | tr -d ' ')
    { for i in $headers; do echo "$i"; done | $order | sed 's/.*/#include "&"/'; echo 'int used;'; } > "$f.cu"
    cp "$f.cu" "$f.c"
    add "headers by $order, sm 80 90a" \
        "$NVCC -std=c++17 -c -o $f.o $(ptx 80 90a) -Werror all-warnings -I$root $f.cu"
done

# The host parts without nvcc: each header alone in C11 and in C++, all of them in each language.
for language in c11 c++11 c++14 c++17 c++20; do
    case $language in c11) compiler="$CC -std=c11" ;; *) compiler="$CXX -x c++ -std=$language" ;; esac
    case $language in c11 | c++17) for h in $headers; do
        add "$h twice, $language" "$compiler $warn -fsyntax-only -I$root -I$CUDA/include $out/twice_${h%.h}.c"
    done ;; esac
    for order in sort sort-r; do
        add "headers by $order, $language" "$compiler $warn -fsyntax-only -I$root -I$CUDA/include $out/$order.c"
    done
    add "use.c, $language" \
        "$compiler $warn -O2 -c -o $out/use_$language.o -I$root -I$CUDA/include $root/tests/compile/use.c"
done

cat > "$out/one.sh" <<'RUN'
what=$(head -1 "$1" | cut -c3-)
if sh "$1" > "$1.log" 2>&1; then
    echo "ok $what"
else
    {
        echo "FAIL $what"
        grep -E "error|warning|fatal" "$1.log" | head -4 | cut -c1-300
        echo "    $(tail -1 "$1")"
    } > "$1.fail"
    cat "$1.fail"
fi
RUN
ls "$out"/cases/*.sh | xargs -P "$JOBS" -n 1 sh "$out/one.sh"
failed=$(ls "$out"/cases/*.fail 2>/dev/null | wc -l)
echo "$((count - failed)) passed, $((failed)) failed"
[ "$failed" -eq 0 ]
