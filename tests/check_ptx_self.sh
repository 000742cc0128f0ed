#!/bin/sh
# check_ptx_self.sh - does tests/check_ptx.sh find what it is for: a stack frame, a spill, a call, .local and serialised
# wgmma, planted one at a time, in PTX that it compiles and in PTX out of a program; and does it believe no program that
# is older than its source or was built otherwise? Needs nvcc, no GPU.
# usage: tests/check_ptx_self.sh [BUILD_DIR, default build], from the repository's root, after make. Ends with "N
# passed, N failed".
build=$(cd "${1:-build}" && pwd)
check=$PWD/tests/check_ptx.sh work=$build/check_ptx_self
NVCC=${NVCC:-nvcc}
rm -rf "$work" && mkdir -p "$work/examples" "$work/tests" "$work/build/examples" "$work/build/tests" || exit 1
cd "$work" || exit 1
passed=0 failed=0

# what a tree has that a program may be older than, and what make writes down of the flags
: > tc.h; : > examples/example.h; : > tests/test.h; : > tests/gemm_fuzz.cu
made="-std=c++17 -O3 -lineinfo -I. -gencode arch=compute_80,code=compute_80 -gencode arch=compute_90a,code=compute_90a"
made="$made -cudart shared --no-compress"
echo "$made" > build/nvccflags
cp "$build/tests/ptx_of" build/tests/

cat > examples/clean.cu <<'CU'
__global__ void clean(float *p) { *p += 1.f; }
CU
cat > examples/call.cu <<'CU'
__device__ __noinline__ void add(float *p) { *p += 1.f; }
__global__ void calls(float *p) { add(p), add(p + 1); }
CU
cat > examples/local.cu <<'CU'
__global__ void local(float *p, int n)
{
    float x[8];
    for (int i = 0; i < 8; i++) x[i * n & 7] = p[i];
    *p = x[n & 7];
}
CU
cat > examples/spill.cu <<'CU'
__global__ void __launch_bounds__(1024, 2) spills(float *p) /* 64 values in 32 registers */
{
    float x[64];
#pragma unroll
    for (int i = 0; i < 64; i++) x[i] = p[i * 1024];
    asm volatile("membar.cta;");
#pragma unroll
    for (int i = 0; i < 64; i++) p[i * 1024] = x[63 - i];
}
CU
cat > examples/serial.cu <<'CU'
__global__ void serial(float *p, unsigned long long a, unsigned long long b) /* touches what wgmma has in flight */
{
    float x = p[0], y = p[1], z = p[2], w = p[3];
    for (int i = 0; i < 4; i++) {
        asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                     : "+f"(x), "+f"(y), "+f"(z), "+f"(w) : "l"(a), "l"(b));
        x += p[i];
    }
    p[0] = x, p[1] = y, p[2] = z, p[3] = w;
}
CU
echo 'int nothing;' > examples/nothing.cu
cat > examples/clamped.cu <<'CU'
__global__ void clamped(int *p, int n)
{
    const int x = p[threadIdx.x], e = max(min(x, n), 0);
    if (e == n) p[threadIdx.x] = e + 1000;
    else for (int i = 0; i < e; i++) atomicAdd(p + threadIdx.x + 64, i + n);
}
CU
cat > tests/hooks.cu <<'CU'
#ifdef FUZZ_BARE
__device__ void count(float *) {}
#else
__device__ __noinline__ void count(float *p) { *p += 1.f; }
#endif
__global__ void hooks(float *p) { count(p), count(p + 1); *p *= 2.f; }
CU
cp tests/hooks.cu examples/hooks.cu

program() { # program NAME...: as make would build them, as far as it matters here: a fat binary in a file
    for name in "$@"; do
        "$NVCC" -std=c++17 -O3 -lineinfo -fatbin --no-compress -gencode arch=compute_90a,code=compute_90a \
            -o "build/$name" "$name.cu" && chmod +x "build/$name"
    done
}
run() { # run BUILD_DIR NAME...: check_ptx on these
    of=$1
    shift
    SOURCES=$(for name in "$@"; do echo "90a $name.cu"; done) NVCC=$NVCC sh "$check" out "$of" > said 2>&1
    status=$?
}
says() { # says WHAT PATTERN: a line of it has the pattern
    if grep -q -- "$2" said; then passed=$((passed + 1)); else
        failed=$((failed + 1))
        echo "FAIL $1: no line \"$2\" in:"
        sed 's/^/    /' said
    fi
}
found() { # found FROM: everything planted was found in PTX from there, and nothing else
    says "a call" "^FAIL examples/call.cu sm_90a, $1: .*call"
    says "an array by a runtime index" "^FAIL examples/local.cu sm_90a, $1: .*local"
    says "a spill" "^FAIL examples/spill.cu sm_90a, $1: .*bytes spill stores"
    says "serialised wgmma" "^FAIL examples/serial.cu sm_90a, $1: .*C75[0-9][0-9]"
    says "no kernel" "^FAIL examples/nothing.cu sm_90a, $1: no kernel"
    says "a clean kernel" "^ok examples/clean.cu sm_90a, $1 (1 kernels"
    says "the sum" "^1 passed, 5 failed"
}
all="examples/clean examples/call examples/local examples/spill examples/serial"

# shellcheck disable=SC2086
run "" $all examples/nothing
found compiled
# shellcheck disable=SC2086
program $all examples/hooks tests/hooks
# shellcheck disable=SC2086
run build $all examples/nothing
sed -i '/nothing/s/compiled/as built/' said # it has no PTX to take out
found "as built"
SOURCES="90a,80 examples/clean.cu" NVCC=$NVCC sh "$check" out build > said 2>&1
says "what ptxas refuses" "^FAIL examples/clean.cu sm_90a,80, as built: ptxas refuses it for sm_80: ptxas fatal"

# ptxas 13.0 gets it wrong, 13.5 does not, and others say themselves what they do
run build examples/clamped
case $("$(dirname "$(command -v "$NVCC")")/ptxas" --version) in
*"release 13.0"*) says "a clamped number's predicate" "^FAIL examples/clamped.cu sm_90a, compiled: .*VIMNMX.RELU" ;;
*"release 13.5"*) says "no predicate of it" "^ok examples/clamped.cu sm_90a, compiled" ;;
esac

# a test's own hooks may call; an example's may not, whatever it defines
run build tests/hooks examples/hooks
says "the bare form of a test" "^ok tests/hooks.cu sm_90a, compiled"
says "an example has none" "^FAIL examples/hooks.cu sm_90a, as built: .*call"

# a program that is not what make would build now
cat examples/call.cu >> examples/clean.cu
touch -d '+2 seconds' examples/clean.cu
run build examples/clean
says "a source newer than its program" "^FAIL examples/clean.cu sm_90a, compiled: .*call"
for flags in "$made -G" "$made -DTC_DEBUG" "$(echo "$made" | sed 's/-O3/-O1/')"; do
    echo "$flags" > build/nvccflags
    touch -d '-1 hour' build/nvccflags
    run build examples/hooks
    says "built with $flags" "^ok examples/hooks.cu sm_90a, compiled"
done
[ $status = 0 ] || { echo "FAIL exits with $status, and all is well" && failed=$((failed + 1)); }
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
