#!/bin/sh
# lattice.sh - random legal configurations of the generators, compiled in batches and run on small ragged problems
# against fp64.
#     make lattice N=200 SEED=1         N configurations (96) from seed SEED (the clock's); or: LIMIT=60, as many as fit
#     in so many seconds
#     make lattice FAMILY='^attn'       of those families alone whose line below the expression finds
# usage: tests/lattice.sh BUILD_DIR [TCEMU], from the repository's root. TCEMU: where there is no GPU.
#
# A batch is BATCH (8) configurations of one family, which its seed picks along with all else: `make lattice N=1 SEED=S`
# is batch S again, and its files lie in BUILD_DIR/lattice/S. tests/lattice/draw.cu draws it by the generators' own
# rules; the family's test runs it (gemm_fuzz, gemm_quant and so on, attn_fuzz), PROBLEMS (4) problems a configuration.
# In tcemu the kernels of sm_80 run as sm_80 and as sm_90a, in one of three orders of what runs side by side, and a
# report is a failure too.
build=$1 tcemu=$2
out=$build/lattice batch=${BATCH:-8}
nvcc=${NVCC:-nvcc} jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}
seed=${SEED:-$(date +%s)} n=${N:-96}

families='gemm80 80
gemm90 90a
attn90 90a
attn80 80
gemm80 90a
attn90 90a
gemm90 90a
attn80 90a
quant80 80
tiles90 90a
groups90 90a
weights90 90a
sparse90 90a
quant90 90a
tiles80 80
groups80 90a
sparse80 80
conv90 90a
gemm100 100a
gemm120 120a
quant100 100a
sparse120 120a
conv80 80
decode80 80
decode80 90a
sparse100 100a
each80 80
each80 90a
weights80 80
attn120 120a
gate80 80
gate90 90a
gate100 100a
gate120 120a
each90 90a
attn100 100a
bwd90 90a
e90 90a
bwd80 80
bwd80 90a
rows90 90a
rows80 80
bits80 80
bits80 90a
outputs80 80
outputs90 90a
outputs90 90a
outputs100 100a'
kinds=$(echo "$families" | wc -l)

one() { # one SEED: a batch
    dir=$out/$1 name=
    rm -rf "$dir"
    [ -n "$deadline" ] && [ "$1" != "$FIRST" ] && [ "$(date +%s)" -ge "$deadline" ] && return
    name=$(echo "$families" | sed -n "$(($1 % kinds + 1))p")
    family=${name% *} arch=${name#* }
    case $family in
        gemm*) source=tests/gemm_fuzz.cu ;;
        attn*) source=tests/attn_fuzz.cu ;;
        bwd*) source=tests/attn_bwd.cu ;;
        e90) source=tests/attn_fp8.cu ;;
        weights80) source=tests/gemm_mixed_sm80.cu ;;
        weights*) source=tests/gemm_mixed.cu ;;
        conv*) source=tests/conv.cu ;;
        decode*) source=tests/attn_decode.cu ;;
        *) source=tests/gemm_${family%%[0-9]*}.cu ;;
    esac
    if [ -z "$tcemu" ]; then # the GPU that is here
        case $family:$gpu in *90:90 | *100:100 | *120:12?) ;; *90:* | *100:* | *120:*) return ;; esac
        arch=$gpu
        [ "$gpu" -ge 90 ] && arch=${gpu}a
        code="[sm_$arch,compute_$arch]"
    else
        code=compute_$arch
    fi
    case $arch in 80 | 87) smem=166912 ;; 90a | 10*) smem=232448 ;; *) smem=101376 ;; esac
    host=-O3 # of the host's part, for which nobody waits in tcemu
    [ -z "$tcemu" ] || host="-Xcompiler -O1"
    mkdir -p "$dir"
    "$out/draw" "$family" "$1" "$batch" "$smem" > "$dir/kernels.inc" || {
        echo "FAIL batch $1 $family: draw ended with $?" > "$dir/result"
        return
    }
    # shellcheck disable=SC2086
    if ! "$nvcc" -std=c++17 $host -lineinfo -gencode "arch=compute_$arch,code=$code" -cudart shared --no-compress \
        -DFUZZ_KERNELS="\"$PWD/$dir/kernels.inc\"" "$source" -o "$dir/run" -ldl > "$dir/log" 2>&1; then
        echo "FAIL batch $1 $family sm_$arch does not compile: $(grep -m 1 error "$dir/log")" > "$dir/result"
        return
    fi
    start=$((problems * batch))
    set -- "$1" "$start" "$1"
    case $family in gemm*) set -- "$@" 300 ;; esac
    s=$1
    shift
    if [ -n "$tcemu" ]; then
        timeout 900 "$tcemu" --device "sm_$arch" --sms 8 --schedule $((s / 32 % 3)) "$dir/run" "$@" > "$dir/log" 2>&1
    else
        timeout 900 "$dir/run" "$@" > "$dir/log" 2>&1
    fi
    code=$?
    rm -f "$dir/run"
    awk -v batch="$s" -v family="$family" -v arch="$arch" -v code=$code '
        FNR == NR { if (match($0, /\(k[0-9]+,/)) define[substr($0, RSTART + 1, RLENGTH - 2)] = $0; next }
        /^SKIP/ && !/cuBLAS/ { skipped++ }
        /^tcemu: error/ { report = $0 }
        /^FAIL/ || (report != "" && /kernel k[0-9]+,/) {
            match($0, /k[0-9]+,/)
            k = substr($0, RSTART, RLENGTH - 1)
            if (!(k in first)) { first[k] = report != "" ? report : $0; order[++bad] = k }
            if (report != "") reports++
            report = ""
        }
        /^[0-9]+ passed, [0-9]+ failed/ { line = $0; passed = $1; failed = $3 }
        END {
            for (i = 1; i <= bad; i++) {
                text = first[order[i]]
                if ((at = match(text, / m [0-9]+ n [0-9]+| batch [0-9]+ heads /)) > 0) text = substr(text, at)
                printf "FAIL batch %s sm_%s %s:%s\n", batch, arch, define[order[i]], text
            }
            if (line == "")
                printf "FAIL batch %s %s sm_%s ended with %d and counted nothing\n", batch, family, arch, code
            else if (!passed && !failed) printf "FAIL batch %s %s sm_%s checked nothing\n", batch, family, arch
            else if (code && !failed && !bad) printf "FAIL batch %s %s sm_%s ended with %d\n", batch, family, arch, code
            if (!(passed + failed) || (code && !failed)) failed = 1 + reports
            printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        }' "$dir/kernels.inc" "$dir/log" > "$dir/result"
}

if [ "$3" = batch ]; then
    one "$4"
    exit 0
fi

mkdir -p "$out"
rm -rf "$out"/[0-9]*
gpu=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d .)
[ -n "$tcemu" ] || [ -n "$gpu" ] || { echo "FAIL lattice: neither a GPU nor tcemu"; echo "0 passed, 1 failed"; exit 1; }
problems=${PROBLEMS:-4} deadline=
if ! [ "$out/draw" -nt tests/lattice/draw.cu ] || [ -n "$(find tc*.h tests/test.h -newer "$out/draw")" ]; then
    "$nvcc" -std=c++17 -gencode arch=compute_90a,code=compute_90a -cudart shared tests/lattice/draw.cu -o "$out/draw" \
        > "$out/draw.log" 2>&1 \
        || {
            echo "FAIL draw.cu does not compile: $(grep -m 1 error "$out/draw.log")"
            echo "0 passed, 1 failed"
            exit 1
        }
fi
[ -n "$LIMIT" ] && deadline=$(($(date +%s) + LIMIT)) n=100000 # of batches alone, and the first has as long as it takes
export NVCC="$nvcc" BATCH="$batch" FIRST="$seed" gpu problems deadline
echo "$families" | awk -v seed="$seed" -v need="$((n / batch + (n % batch > 0)))" -v family="${FAMILY:-.}" '
    { taken[NR - 1] = $0 ~ family; some += $0 ~ family }
    END { for (s = seed; some && need > 0; s++) if (taken[s % NR]) { print s; need-- } }
' | xargs -r -P "$jobs" -n 1 sh "$0" "$build" "$tcemu" batch

cat "$out"/[0-9]*/result 2>/dev/null > "$out/results"
grep ^FAIL "$out/results"
configurations=$(cat "$out"/[0-9]*/kernels.inc 2>/dev/null | grep -c '^TC_')
echo "lattice: $configurations configurations in $(ls -d "$out"/[0-9]*/ 2>/dev/null | wc -l) batches from seed $seed"
awk '
    /^FAIL.*(compile|draw ended)/ { failed++ }
    /^[0-9]+ passed/ { passed += $1; failed += $3; skipped += $5 }
    END {
        if (!passed && !failed) failed = 1
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }' "$out/results"
