#!/bin/sh
# compile.sh - every header twice and first in the row, every generator, for every target and language. Compiles only,
# needs no GPU.
#     tests/compile.sh [directory to write to, default build/tests/compile]
# Variables: NVCC (nvcc), CC (gcc), CXX (g++), JOBS (2), CUDA (where include/ lies; found from NVCC).
# One line a case, "ok what" or "FAIL what" with the first lines of the output; ends with "N passed, N failed".

root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-build/tests/compile}
NVCC=${NVCC:-nvcc} CC=${CC:-gcc} CXX=${CXX:-g++} JOBS=${JOBS:-2}
CUDA=${CUDA:-$(dirname "$(dirname "$(command -v "$NVCC" || echo /usr/local/cuda/bin/nvcc)")")}
warn="-Wall -Wextra -Wpedantic -Werror"
use=$root/tests/compile/use.cu
headers=$(cd "$root" && ls tc*.h)
rm -rf "$out/cases" && mkdir -p "$out/cases" || exit 1
out=$(cd "$out" && pwd)

# Targets that this nvcc has, of these: plain ones, and the arch- and family-specific ones.
targets=""
known=$("$NVCC" --list-gpu-arch | sed 's/compute_//' | tr '\n' ' ')
for a in 75 80 86 87 88 89 90 90a 100 100a 103 103a 107 107a 110 120 120a 121 100f 107f 120f; do
    case " $known " in *" $(echo "$a" | tr -d af) "*) targets="$targets $a" ;; esac
done

# gencode A...: the flags for several targets in one call
gencode() { for a in "$@"; do printf -- '-gencode arch=compute_%s,code=sm_%s ' "$a" "$a"; done; }

# add WHAT COMMAND...: writes one case; the long ones are added first, so that the two jobs end together
count=0
add()
{
    what=$1
    shift
    count=$((count + 1))
    printf '# %s\n%s\n' "$what" "$*" > "$out/cases/$(printf %03d $count).sh"
}

# Targets for which a text is the same need one front end between them. kinds FILE prints a line for each such kind, its
# targets; kinds FILE own: of the file's own lines, without what it includes. What nvcc defines for a target decides.
: > "$out/empty.cu"
for a in $targets; do
    "$NVCC" -E -Xcompiler -dM -gencode arch=compute_$a,code=sm_$a "$out/empty.cu" | grep '^#define __CUDA_ARCH' \
        > "$out/target_$a.h"
    [ -s "$out/target_$a.h" ] || { echo "FAIL what nvcc defines for $a"; echo "0 passed, 1 failed"; exit 1; }
done
kinds()
{
    for a in $targets; do
        case $a:$2 in *f:) call=f ;; *) call= ;; esac # sm_100 and sm_100f have no PTX in common
        "$CC" -E -x c++ -std=c++17 -D__CUDACC__ -D__CUDACC_RTC__ -include "$out/target_$a.h" -I"$root" "$1" \
            > "$out/text" || { echo "FAIL $1 for $a" >&2; exit 1; }
        echo "$(awk -v own="${2:+\"$1\"}" '/^# [0-9]/ { on = own == "" || $3 == own; next } on && NF' "$out/text" \
            | cksum)$call $a"
    done | awk '{ if (!(($1 $2) in of)) order[++n] = $1 $2; of[$1 $2] = of[$1 $2] " " $NF }
        END { for (i = 1; i <= n; i++) print substr(of[order[i]], 2) }'
}
ptx() { for a in "$@"; do printf -- '-gencode arch=compute_%s,code=compute_%s ' "$a" "$a"; done; } # no ptxas

# Each generator in one file: PTX of each kind, assembled for each of its targets. The kernels of sm_75 are stubs, and
# go with those of sm_80. What a chip's a and f targets alone have are a few instructions, which need no tile of their
# own.
kinds "$use" > "$out/use_kinds"
while read -r kind; do
    case $kind in 75*) stubs="$kind" && continue ;; esac
    only= also=
    case $kind in 80*) also=$(gencode $stubs) what="$stubs $kind" ;; *) what=$kind ;; esac
    case $kind in 90a*) ;; *a* | *f*) only=-DUSE_GENERAL_ONLY ;; esac
    first=${kind%% *}
    add "generators, sm $what" \
        "$NVCC -std=c++17 -c -o $out/use_$first.o $also" \
        "-gencode arch=compute_$first,code=[$(for a in $kind; do printf 'sm_%s,' "$a"; done | sed 's/,$//')]" \
        "$only -Werror all-warnings -I$root $use"
done < "$out/use_kinds"
# the oldest and the newest language: the host's part with stubs, the kernels' in PTX of both kinds. PTX that nobody
# looks at needs no optimiser, where nvcc can do without
quick=
if "$NVCC" --help | grep -q '(-Ofc)'; then quick="-Ofc max"; fi
for std in 14 20; do
    add "generators, nvcc -std=c++$std" \
        "$NVCC -std=c++$std $quick -c -o $out/std_$std.o $(ptx 75) -DUSE_GENERAL_ONLY -Werror all-warnings -I$root $use"
done
add "generators, TC_DEBUG, nvcc -std=c++20" \
    "$NVCC -std=c++20 $quick -c -o $out/debug.o $(ptx 90a) -DUSE_GENERAL_ONLY -DTC_DEBUG" \
    "-Werror all-warnings -I$root $use"

# CUDA 12.6's PTX: what a generator makes needs none newer. ptxas says so where a form does.
ptxas=$(command -v ptxas || echo "$CUDA/bin/ptxas")
for a in 80 90a; do
    f=$out/old_$a.ptx
    add "generators in PTX 8.5, sm $a, nvcc -std=c++14" \
        "$NVCC -std=c++14 -ptx -o $f -gencode arch=compute_$a,code=compute_$a -DTC__PTX_86=0 -I$root $use" \
        "&& sed -i 's/^\.version .*/.version 8.5/' $f && $ptxas -arch=sm_$a -o $f.o $f"
done

# Each header twice, for each kind of target that its own lines know (tc.h: that any header knows), and before all the
# others. A header that compiles twice compiles alone.
targets=$(kinds "$root/tc.h" | sed 's/ .*//')
for h in $headers; do
    b=${h%.h}
    printf '#include "%s"\n#include "%s"\nint used_%s;\n' "$h" "$h" "$b" > "$out/twice_$b.cu"
    { for i in $h $headers; do printf '#include "%s"\n' "$i"; done; printf 'int used_%s;\n' "$b"; } > "$out/first_$b.cu"
    for case in twice first; do cp "$out/${case}_$b.cu" "$out/${case}_$b.c"; done
    case $h in tc.h) of=$targets ;; *) of=$(kinds "$root/$h" own | sed 's/ .*//') ;; esac
    # nvcc takes sm_100 and sm_100f in two calls only
    family=$(for a in $of; do case $a in *f) echo "$a" ;; esac; done)
    others=$(for a in $of; do case $a in *f) ;; *) echo "$a" ;; esac; done)
    add "$h twice, sm $(echo $others)" \
        "$NVCC -std=c++17 -c -o $out/twice_$b.o $(ptx $others) -Werror all-warnings -I$root $out/twice_$b.cu"
    [ -z "$family" ] || add "$h twice, sm $(echo $family)" \
        "$NVCC -std=c++17 -c -o $out/twicef_$b.o $(ptx $family) -Werror all-warnings -I$root $out/twice_$b.cu"
    add "$h first, sm 90a" \
        "$NVCC -std=c++17 -ptx -o $out/first_$b.ptx $(ptx 90a) -Werror all-warnings -I$root $out/first_$b.cu"
done
{ for i in $headers; do echo "$i"; done | sort -r | sed 's/.*/#include "&"/'; echo 'int used;'; } > "$out/reverse.cu"
cp "$out/reverse.cu" "$out/reverse.c"
add "headers in reverse order, sm 80 90a" \
    "$NVCC -std=c++17 -c -o $out/reverse.o $(gencode 80 90a) -Werror all-warnings -I$root $out/reverse.cu"

# The host parts without nvcc.
for language in c11 c++11 c++14 c++17 c++20; do
    case $language in c11) compiler="$CC -std=c11" ;; *) compiler="$CXX -x c++ -std=$language" ;; esac
    case $language in c11 | c++17) cases="twice first" ;; *) cases=twice ;; esac
    for h in $headers; do
        b=${h%.h}
        for case in $cases; do
            add "$h $case, $language" "$compiler $warn -fsyntax-only -I$root -I$CUDA/include $out/${case}_$b.c"
        done
    done
    add "headers in reverse order, $language" "$compiler $warn -fsyntax-only -I$root -I$CUDA/include $out/reverse.c"
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
