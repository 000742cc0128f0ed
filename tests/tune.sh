#!/bin/sh
# tune.sh - tc_tune: what it lists, what it refuses and in which words, that its candidates compile, and that trials
# find right results right and wrong ones wrong. Trials need a GPU or tcemu, compiling NVRTC; the rest needs neither.
# usage: tests/tune.sh [BUILD_DIR, default build] [TCEMU], from the repository's root, after make.
# Ends with "N passed, N failed, N skipped".
build=${1:-build} tcemu=$2
work=$build/tune
rm -rf "$work" && mkdir -p "$work" || exit 1
build=$(cd "$build" && pwd) work=$(cd "$work" && pwd)
tool=$build/tc_tune
mkdir "$work/tmp" && export TMPDIR="$work/tmp"
passed=0 failed=0 skipped=0
ok() { passed=$((passed + 1)); }
bad() { failed=$((failed + 1)); echo "FAIL $*"; }

run() { # run "ARGUMENTS": stdout to out, stderr to err, its status to code
    (eval "$on \"$tool\" $1") > "$work/out" 2> "$work/err"
    code=$?
}
says() { # says "ARGUMENTS" PATTERN...: exit 0, and each pattern is in what it prints
    arguments=$1
    shift
    run "$arguments"
    [ $code -eq 0 ] || { bad "$arguments: exits with $code: $(head -n 2 "$work/err")"; return; }
    for text in "$@"; do
        if grep -qE -- "$text" "$work/out"; then ok
        else bad "$arguments: no \"$text\" in: $(head -n 5 "$work/out")"; fi
    done
}
refuses() { # refuses STATUS "ARGUMENTS" TEXT: nothing on stdout, one sentence on stderr that has the text
    run "$2"
    sentences=$(grep -c '^tc_tune: ' "$work/err")
    if [ $code -ne "$1" ] || [ -s "$work/out" ] || [ "$sentences" -ne 1 ]; then
        bad "$2: exit $code: $(head -n 2 "$work/err")"
    elif grep '^tc_tune: ' "$work/err" | grep -qF -- "$3"; then ok
    else bad "$2: \"$3\" is not in: $(grep '^tc_tune: ' "$work/err")"
    fi
}
rows() { grep -cE '^ +[0-9.]+ .* SM[89]0 ' "$work/out"; }
only() { # only PATTERN: every row that was listed has it, and there are some
    others=$(grep -E '^ +[0-9.]+ .* SM[89]0 ' "$work/out" | grep -vcE -- "$1")
    if [ "$(rows)" -gt 0 ] && [ "$others" -eq 0 ]; then ok
    else bad "$arguments: $others of $(rows) rows are without \"$1\""; fi
}

cat > "$work/hooks.h" << 'END'
#include "tc.h"
typedef struct { const float *bias; float scale; int n; long long ld; } my_args;
TC_DEV float mine(float x, tc_gemm_at at, const void *args)
{
    const my_args *p = (const my_args *)args;
    return tc_relu(x * p->scale + p->bias[at.col] + p->bias[at.row * p->ld]) + (float)p->n;
}
TC_DEV tc_f32x2 swapped(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const tc_f32x2 r = {x.y + (float)at.col, x.x};
    (void)args;
    return r;
}
/* one value in the reference's blocks of 256 threads, another in the candidates' */
TC_DEV float unlike(float x, tc_gemm_at at, const void *args)
{
    (void)args;
    return blockDim.x != 256 && at.row == 3 && at.col == 5 ? x + 1.f : x;
}
TC_DEV double of_another_type(double x) { return x; }
END

# ---- lists: without a GPU, also where there is one ----
on=
says "--help" "^usage: tc_tune" "--epi2 FILE:NAME" "SM90  cluster_m +default 2 4"
says "--list --arch sm_90a 4096 4096 4096" "^4096 x 4096 x 4096: 24 of [0-9]+ legal candidates for sm_90a" \
    "SM90 .bm = 128, .bn = 256, .cluster_m = 2, .step = 16, .split = 1 \(wide of TC_GEMM_DEFINE\)" \
    "SM90 .bm = 128, .bn = 192, .schedule = TC_PINGPONG, .cluster_m = 2, .step = 64 \(pair of TC_GEMM_DEFINE\)" \
    "SM90 .bm = 64, .bn = 128, .cluster_m = 2, .step = 32, .split = 1 \(small of TC_GEMM_DEFINE\)" \
    "SM90 .bm = 64, .bn = 64, .cluster_n = 2, .step = 16, .swap = 1, .split = 1 \(few of TC_GEMM_DEFINE\)" \
    "SM90 .bm = 256, .bn = 128, .cluster_n = 2, .step = 16, .swap = 1, .split = 1 \(flat of TC_GEMM_DEFINE\)"
if [ "$(rows)" -eq 24 ]; then ok; else bad "24 rows are $(rows)"; fi
says "--list --arch sm_90a --candidates 5 16 28672 4096 64 64 64" "^16 x 28672 x 4096: 5 of" "^64 x 64 x 64: 5 of"
if [ "$(rows)" -eq 10 ]; then ok; else bad "2 x 5 rows are $(rows)"; fi
says "--list --arch sm_90a 64 64 33" " SM80 " && only SM80 # TMA wants rows of 16 bytes
says "--list --arch sm_90a 64 66 64" " SM80 " && only SM80
says "--list --arch sm_80 512 512 512" "for sm_80" && only SM80
says "--list --arch sm_90a --generator sm90 --try bn=64,96 --try schedule=pingpong 512 512 512" "for sm_90a" &&
    only 'SM90 .*\.bn = (64|96),.* \.schedule = TC_PINGPONG'
says "--list --arch sm_90a --try bm=128 --try raster=n --try stages=3 --generator sm90 512 512 512" \
    "\.stages = 3, .*\.raster = TC_RASTER_N"
says "--list --csv --generator sm90 --arch sm_90a --candidates 2 512 512 512" "^m,n,k,a,d,generator,fields," \
    '^512,512,512,bf16,bf16,TC_GEMM_SM90_DEFINE,"\.bm'
says "--list --json --a f16 --d f32 --epi tc_epi_residual_f32 --arch sm_90a --candidates 3 512 512 512" \
    '"fields": "\.a = TC_F16, \.b = TC_F16, \.d = TC_F32, .*\.epi = tc_epi_residual_f32, \.epi_size = 16"'
if command -v python3 > /dev/null; then
    if python3 -c 'import json, sys; assert len(json.load(sys.stdin)["candidates"]) == 3' < "$work/out"; then ok
    else bad "--json is no JSON"; fi
fi

# ---- refusals ----
refuses 2 "" "give a shape: M N K"
refuses 2 "1 2" "a shape is three numbers, M N K, and 2 are given"
refuses 2 "0 2 3" "M = 0: must be a whole number in 1.."
refuses 2 "1 2 3x" "K = 3x: must be a whole number"
refuses 2 "--a f64 1 2 3" "--a f64: the types are bf16 and f16"
refuses 2 "--d e4m3 1 2 3" "--d e4m3: the types are bf16, f16 and f32"
refuses 2 "--foo 1 2 3" "there is no option --foo"
refuses 2 "1 2 3 --time" "--time needs a value"
refuses 2 "--time soon 1 2 3" "--time soon: must be a number of seconds"
refuses 2 "--arch sm_75 1 2 3" "--arch sm_75: must be a target from sm_80 on"
refuses 2 "--try bq=1 1 2 3" "there is no field \"bq\"; the fields are bm bn bk schedule"
refuses 2 "--try schedule=fast 1 2 3" \
    "\"fast\" is no value of .schedule: a whole number or one of TC_COOPERATIVE TC_PINGPONG"
refuses 2 "--list --arch sm_90a --generator sm90 --try bm=100 512 512 512" "none of the candidates is legal"
refuses 2 "--list --arch sm_90a --generator sm90 512 512 33" "none of the candidates is legal"
refuses 2 "--epi $work/none.h:mine 1 2 3" "there is no file $work/none.h"
refuses 2 "--epi relu 1 2 3" "give it as FILE:NAME"
refuses 2 "--epi tc_epi2_bias_col 1 2 3" "this is a hook on pairs, so say --epi2 tc_epi2_bias_col"
refuses 2 "--epi2 $work/hooks.h:swapped 1 3 8" "N = 3 is odd, but a pair hook (--epi2) needs an even N"
refuses 2 "--epi $work/hooks.h:mine --epi2 $work/hooks.h:swapped 1 2 3" "one hook a kernel"
refuses 2 "--epi $work/hooks.h:mine --epi-size 257 1 2 3" "--epi-size 257: must be 1 to 256 bytes"
refuses 2 "--epi $work/hooks.h:mine --epi-args p,q 1 2 3" "\"q\" is none of p (address of zeros)"
refuses 2 "--epi $work/hooks.h:mine --epi-args p,f=fast 1 2 3" "in \"f=fast\" the value must be a number"
refuses 2 "--epi-size 8 1 2 3" "belong to a hook: give --epi or --epi2"
refuses 2 "--list --compile-only 1 2 3" "give --list or --compile-only, not both"
refuses 2 "--include $work/none 1 2 3" "--include $work/none: there is no such directory"
refuses 1 "--compile-only --cuda $work 64 64 64" \
    "NVRTC compiles the candidates, and is not here (no libnvrtc.so in $work/lib64"
[ -z "$tcemu" ] || refuses 1 "64 64 64" "no device to run on"

# ---- compiling ----
two="--compile-only --arch sm_90a --candidates 2"
run "$two 512 512 512"
if grep -q 'NVRTC compiles the candidates, and is not here' "$work/err"; then
    echo "SKIP compiling and trials: NVRTC is not here"
    echo "$passed passed, $failed failed, $((skipped + 1)) skipped"
    [ $failed -eq 0 ]
    exit
fi
says "$two --generator sm90 --epi $work/hooks.h:mine --epi-size 24 512 512 512" "^sm_90a: registers  spill bytes" \
    "^ +[1-9][0-9]+ +0 +[0-9]+ .*SM90 \.bm"
if [ "$(rows)" -eq 2 ]; then ok; else bad "2 compiled candidates are $(rows)"; fi
says "--compile-only --arch sm_80 --candidates 1 --d f32 --epi2 tc_epi2_bias_gelu_tanh --csv 64 64 64" \
    'TC_GEMM_SM80_DEFINE,".*",0\.000,.*,[1-9][0-9]*,0,""$'
refuses 2 "$two --epi $work/hooks.h:yours 512 512 512" "there is no function yours in $work/hooks.h (tc_tune.cu("
refuses 2 "$two --epi $work/hooks.h:of_another_type 512 512 512" "cannot be used to initialize an entity of type"
echo "this is no C" > "$work/broken.h"
refuses 2 "$two --epi $work/broken.h:mine 512 512 512" "broken.h(1): error:"
# installed: the headers are found beside the program; others than its own are refused
mkdir -p "$work/bin" "$work/include" && cp "$tool" "$work/bin/" && cp tc*.h "$work/include/"
tool=$work/bin/tc_tune
says "--compile-only --arch sm_80 --candidates 1 64 64 64" "SM80"
sed 's/^    int raster, raster_group;/    int of_tomorrow;\n&/' tc_gemm_config.h > "$work/include/tc_gemm_config.h"
refuses 1 "--compile-only --arch sm_80 --candidates 1 64 64 64" "these are not the headers that tc_tune was built with"
tool=$build/tc_tune
refuses 1 "--compile-only --arch sm_80 --include $work/include 64 64 64" "these are not the headers"
# stopped while its compilers run: they and what they have written go along
"$tool" --compile-only --arch sm_90a --candidates 200 --jobs 2 512 512 512 > "$work/out" 2> "$work/err" &
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(ls "$TMPDIR")" ] || sleep 1; done
kill $! 2> /dev/null
wait $!
if [ ! -s "$work/out" ] && grep -qx 'tc_tune: stopped' "$work/err" && [ -z "$(ls "$TMPDIR")" ]; then ok
else bad "SIGTERM: $(cat "$work/err") $(ls "$TMPDIR")"; fi

# ---- trials ----
trial="--time 0.1 --no-cublas"
hopper=1
if [ -n "$tcemu" ]; then
    on="\"$tcemu\" --device sm_90a"
else
    run "--list 64 64 64"
    grep -q 'for sm_90a' "$work/out" || hopper=
fi
right() { # right N "ARGUMENTS": N candidates are measured, none is wrong, and there is a line to paste
    run "$trial --candidates $1 $2"
    measured=$(grep -cE '^ +[0-9.]+ +[0-9.]+ +[0-9.]+ +\([0-9.]+-[0-9.]+\) .* SM[89]0 ' "$work/out")
    if [ $code -eq 0 ] && [ "$measured" -eq "$1" ] && grep -q '^TC_GEMM_SM[89]0_DEFINE(my_gemm, ' "$work/out"; then ok
    else bad "$2: exit $code, $measured of $1 measured: $(head -n 3 "$work/err") $(grep -m 1 WRONG "$work/out")"; fi
}
if [ -n "$hopper" ]; then
    fixed="--try step=0 --try swap=0 --try split=0"
    sm90="--generator sm90 --try bm=128 $fixed"
    right 2 "$sm90 --try bn=64 --try schedule=pingpong --try cluster_m=2 --try cluster_n=1,2 200 136 200"
    right 2 "$sm90 --try bn=64 --try schedule=cooperative --try cluster_k=1,2 --a f16 --d f32 100 72 264"
    right 1 "$sm90 --try bn=32,48 --epi $work/hooks.h:mine --epi-args p,f=0.5,i=3,l=n 130 40 64"
    right 1 "$sm90 --try bn=64 --epi2 $work/hooks.h:swapped 130 40 64"
    # widths that a call picks, D on its side, k split between blocks: with a workspace
    sm90="--generator sm90 --try cluster_m=1 --try cluster_n=1 --try cluster_k=1 --try schedule=cooperative"
    right 1 "$sm90 --try bm=128 --try bn=128 --try step=32 --try swap=0 --try split=0 200 136 200"
    right 1 "$sm90 --try bm=64 --try bn=64 --try step=16 --try swap=1 --try split=0 24 136 200"
    right 1 "$sm90 --try bm=128 --try bn=64 --try step=0 --try swap=0 --try split=1 400 128 1024"
else
    echo "SKIP trials of TC_GEMM_SM90_DEFINE: this device is no Hopper"
    skipped=$((skipped + 1))
fi
right 2 "--generator sm80 33 35 31" # rows of any alignment
right 2 "--generator sm80 --a f16 --epi $work/hooks.h:mine --epi-args p,f=0.5,i=3,l=n 33 40 64"
right 1 "--generator sm80 --epi tc_epi_residual_bf16 33 40 64"
right 1 "--generator sm80 --epi2 tc_epi2_bias_col --d f32 33 40 64"
says "$trial --generator sm80 --candidates 1 33 40 64 64 64 72" "^33 x 40 x 64: 1 of" "^64 x 64 x 72: 1 of"
says "$trial --generator sm80 --candidates 1 --json 64 64 64" '"ratio": [0-9.]+, .*"ratio_to": "first candidate"' \
    '"registers": [1-9]'
[ -n "$tcemu" ] || says "--time 0.1 --candidates 3 1024 1024 1024" "TC_GEMM_SM[89]0_DEFINE\(my_gemm"

# a wrong result is marked, is not measured and is an error
run "$trial --generator sm80 --candidates 2 --try bm=64 --try bn=64 --try warps_m=2 --epi $work/hooks.h:unlike 64 64 64"
wrong=$(grep -c 'WRONG: 1 elements differ from the reference, the first at row 3, column 5' "$work/out")
if [ $code -eq 1 ] && [ "$wrong" -eq 2 ] && ! grep -q my_gemm "$work/out"; then ok
else bad "a hook that differs: exit $code, $wrong of 2 are marked: $(head -n 3 "$work/out")"; fi
# arguments that are all zeros, where the hook reads through a pointer
run "$trial --generator sm80 --candidates 1 --epi $work/hooks.h:mine --epi-size 24 64 64 64"
why='^tc_tune: .*hooks.h:mine: a kernel with this hook fails: .*--epi-args'
if [ $code -eq 1 ] && grep -q "$why" "$work/err"; then ok
else bad "a null pointer in a hook: exit $code: $(grep tc_tune "$work/err")"; fi

# beside cuBLASLt, in tcemu one of this test's own, which only writes: what it is asked, and the words of a ratio to it
if [ -n "$tcemu" ]; then
    toolkit=${CUDA_HOME:-/usr/local/cuda}
    mkdir -p "$work/toolkit/lib64"
    ln -sf "$toolkit"/lib64/libnvrtc* "$work/toolkit/lib64/"
    if [ -f "$toolkit/include/cublasLt.h" ] && [ -e "$work/toolkit/lib64/libnvrtc.so" ] \
        && ${CC:-cc} -std=c11 -D_GNU_SOURCE -isystem "$toolkit/include" -shared -fPIC tests/tune_blas.c \
            -o "$work/toolkit/lib64/libcublasLt.so"; then
        says "--time 0.1 --cuda $work/toolkit --d f32 --generator sm80 --candidates 1 33 40 64" \
            "; cuBLASLt [0-9.]+ us, " "ratio to cuBLASLt"
        if [ "$(grep -c '^layout ' "$work/err")" -eq 3 ] && grep -qx 'layout 14 64 x 40, 64' "$work/err" \
            && grep -qx 'layout 14 64 x 33, 64' "$work/err" && grep -qx 'layout 0 40 x 33, 40' "$work/err"; then ok
        else bad "cuBLASLt is asked for $(grep '^layout' "$work/err" | tr '\n' ' ')"; fi
    else
        echo "SKIP a cuBLASLt of the test's own: no cublasLt.h in $toolkit"
        skipped=$((skipped + 1))
    fi
fi

if [ -z "$(ls "$TMPDIR")" ]; then ok; else bad "left in TMPDIR: $(ls "$TMPDIR")"; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
