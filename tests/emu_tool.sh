#!/bin/sh
# emu_tool.sh - tcemu as its users meet it: what it says, in which words, how often, and the exit status. Small
# programs, each with a sentence that must or must not come. Needs nvcc, gcc and tcemu, no GPU.
#     tests/emu_tool.sh BUILD_DIR [TCEMU, default BUILD_DIR/tcemu]
# One line for each failure; ends with "N passed, N failed, N skipped".
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-build} tcemu=$(realpath "${2:-${1:-build}/tcemu}")
NVCC=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! "$NVCC" --version > /dev/null 2>&1 || [ ! -x "$tcemu" ]; then
    echo "SKIP emu_tool: no nvcc or no tcemu"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
cuda=$(dirname "$(dirname "$(realpath "$(command -v "$NVCC")")")")
out=$build/emu_tool
mkdir -p "$out" && out=$(cd "$out" && pwd) || exit 1
cd "$out" || exit 1
passed=0 failed=0
ok() { passed=$((passed + 1)); }
bad() { echo "FAIL emu_tool: $*"; failed=$((failed + 1)); }

nvcc() { # nvcc NAME FLAGS...: NAME.cu to NAME
    name=$1
    shift
    [ "$name" -nt "$name.cu" ] && return
    "$NVCC" -std=c++17 -cudart shared -I"$root" "$@" "${SOURCE:-$name.cu}" -o "$name" > "$name.build" 2>&1 || {
        rm -f "$name"
        bad "$name does not compile: $(grep -m 1 error "$name.build")"
    }
}
write() { # write FILE: stdin, and touched only if it is other text than last time
    cat > "$1.new"
    if cmp -s "$1.new" "$1"; then rm "$1.new"; else mv "$1.new" "$1"; fi
}
run() { # run STATUS COMMAND...: text in log, exit status as it must be
    want=$1
    shift
    last="$*"
    timeout 100 "$@" > log 2>&1
    code=$?
    if [ $code -eq "$want" ]; then ok; else bad "$last: exit status $code, not $want: $(grep -m 1 tcemu: log)"; fi
}
says() {
    if grep -qE -- "$1" log; then ok; else bad "$last does not say \"$1\": $(grep -m 2 tcemu: log | tr '\n' ' ')"; fi
}
line() { grep -n "// $1" cases.cu | cut -d: -f1; }
silent() { if grep -qE -- "$1" log; then bad "$last says \"$(grep -m 1 -E -- "$1" log)\""; else ok; fi; }

write inlined.h <<'CODE'
static __device__ __forceinline__ float busy(float x)
{
#pragma unroll 1
    for (int k = 0; k < 1000; k++) x = x * x + 0.25f; // BUSY
    return x;
}
CODE
write cases.cu <<'CODE'
#include "inlined.h"
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

/* two warps write the same word */
__global__ void equal(int *o, int v)
{
    __shared__ int s;
    if (threadIdx.x % 32 == 0) s = v;
    __syncthreads();
    o[threadIdx.x] = s;
}
__global__ void unequal(int *o)
{
    __shared__ int s;
    if (threadIdx.x % 32 == 0) s = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = s;
}

/* sums of 16 lanes, of which those from the lanes that are not there reach no result; and one that takes them */
__global__ void shuffle_down(float *o)
{
    float v = threadIdx.x;
#pragma unroll
    for (int k = 8; k; k >>= 1) v += __shfl_down_sync(0xffffu, v, k);
    if (threadIdx.x == 0) *o = v;
}
__global__ void shuffle_max(int *o)
{
    int v = threadIdx.x * 7 % 16;
#pragma unroll
    for (int k = 8; k; k >>= 1) {
        const int x = __shfl_down_sync(0xffffu, v, k);
        if ((threadIdx.x & 15) + k < 16 && x > v) v = x;
    }
    if (threadIdx.x == 0) *o = v;
}
__global__ void shuffle_stored(float *o)
{
    float v = threadIdx.x;
    v += __shfl_xor_sync(0xffffffffu, v, 16); // SHUFFLE
    v *= 2; // arithmetic hides nothing
    o[threadIdx.x] = v; // STORED
}
__global__ void shuffle_branch(int *o)
{
    const int v = __shfl_xor_sync(0xffffffffu, (int)threadIdx.x, 16);
    if (v > 3) { for (int k = 0; k < v; k++) atomicAdd(o, k); __threadfence(); }
}

/* a prefetch past the end */
__global__ void prefetch(const char *p)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(p)), "r"(4096) : "memory");
#endif
}

/* metadata 0 for a group of zeros, and for one that is not */
__global__ void sparse(float *o, unsigned a)
{
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, "
                 "{%5,%5,%5,%5}, {%0,%1,%2,%3}, %6, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a), "r"(0x3c003c00u), "r"(0u));
    o[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}

/* one line of source, many instructions */
__global__ void unrolled(int *o, int step)
{
#pragma unroll
    for (int k = 0; k < 16; k++) o[(1 << 20) + k * step] = k; // UNROLLED
}

__global__ void stats(float *o) { o[threadIdx.x] = busy(o[threadIdx.x]); } // STATS

int main(int argc, char **argv)
{
    const char *c = argc > 1 ? argv[1] : "";
    void *p;
    cudaMalloc(&p, 1024);
    cudaMemset(p, 0, 1024);
#define IF(name) if (!strcmp(c, #name))
    IF(equal) equal<<<1, 64>>>((int *)p, argc);
    IF(unequal) unequal<<<1, 64>>>((int *)p);
    IF(shuffle_down) {
        float f;
        shuffle_down<<<1, 16>>>((float *)p);
        cudaMemcpy(&f, p, 4, cudaMemcpyDefault);
        if (f != 120) puts("WRONG");
    }
    IF(shuffle_max) {
        int f;
        shuffle_max<<<1, 16>>>((int *)p);
        cudaMemcpy(&f, p, 4, cudaMemcpyDefault);
        if (f != 15) puts("WRONG");
    }
    IF(shuffle_stored) shuffle_stored<<<1, 16>>>((float *)p);
    IF(shuffle_branch) shuffle_branch<<<1, 16>>>((int *)p);
    IF(prefetch) prefetch<<<1, 1>>>((const char *)p);
    IF(zeros) sparse<<<1, 32>>>((float *)p, 0);
    IF(ones) sparse<<<1, 32>>>((float *)p, 0x3c003c00u);
    IF(unrolled) unrolled<<<1, 32>>>((int *)p, 1000 + argc);
    IF(stats) stats<<<1, 32>>>((float *)p);
    /* what cannot be run, by programs that do not look */
    IF(array) {
        cudaArray_t a;
        const cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
        printf("%d\n", (int)cudaMallocArray(&a, &f, 8, 8));
    }
    IF(graph) { cudaGraph_t g; printf("%d\n", (int)cudaGraphCreate(&g, 0)); }
    IF(query) { cudaFuncAttributes a; printf("%d\n", (int)cudaFuncGetAttributes(&a, equal)); }
    cudaDeviceSynchronize();
    return 0;
}
CODE
nvcc cases -O3 -lineinfo -gencode arch=compute_90a,code=compute_90a

# ---- races between equal values say so ----
run 86 "$tcemu" ./cases equal
says '\[race\] .* this write is not ordered after the write .*; both wrote the same value in this run$'
run 86 "$tcemu" ./cases unequal
says '\[race\] .* this write is not ordered after the write'
silent 'both wrote the same value'

# ---- values that nobody uses ----
run 0 "$tcemu" ./cases shuffle_down
silent 'WRONG|tcemu: error'
run 0 "$tcemu" ./cases shuffle_max
silent 'WRONG|tcemu: error'
run 86 "$tcemu" --strict ./cases shuffle_down
says '\[convergence\] shfl.sync reads lane (16|17|18|19|2.), which takes no part'
run 86 "$tcemu" ./cases shuffle_stored
says '\[convergence\] uses a value that shfl.sync read from lane [0-9]+, which takes no part'
says 'which takes no part \(member mask 0xffffffff, live lanes 0x0000ffff\)'
says "    at cases.cu:$(line STORED)\$"
says "    the shuffle: at .*called at cases.cu:$(line SHUFFLE)"
run 86 "$tcemu" ./cases shuffle_branch
says '\[convergence\] uses a value that shfl.sync read'
run 0 "$tcemu" ./cases prefetch
run 86 "$tcemu" --strict ./cases prefetch
says '\[out-of-bounds-global\] prefetches 4096 bytes'
run 0 "$tcemu" ./cases zeros
run 86 "$tcemu" --strict ./cases zeros
says '\[operand\] sparsity metadata 0x0 of row 0'
run 86 "$tcemu" ./cases ones
says '\[operand\] sparsity metadata 0x0 of row 0'

# ---- one line, one report ----
run 86 "$tcemu" ./cases unrolled
says 'tcemu: 512 errors at 1 place:'
says "    out-of-bounds-global at cases.cu:$(line UNROLLED): 512 times, in 16 instructions"
if [ "$(grep -c '^tcemu: error' log)" -eq 1 ]; then
    ok
else
    bad "$(grep -c '^tcemu: error' log) reports of one line"
fi

# ---- statistics: of the innermost line; or of the kernel's ----
run 0 "$tcemu" --stats ./cases stats
if grep -A 4 'statistics of' log | sed -n 4p | grep -q 'inlined.h:4 in busy$'; then
    ok
else
    bad "--stats: the first line is $(sed -n 4p log)"
fi
run 0 "$tcemu" --stats=kernel ./cases stats
silent 'inlined.h'
says "cases.cu:$(line STATS)\$"
run 2 "$tcemu" --stats=nonsense ./cases stats

# ---- kernels that cannot run are no success ----
run 86 "$tcemu" --device sm_80 ./cases equal
says 'has no PTX that sm_80 can run'
says 'asked for what tcemu could not run'
run 0 "$tcemu" --error-exitcode 0 --device sm_80 ./cases equal
run 0 "$tcemu" --device sm_80 ./cases query
run 86 "$tcemu" ./cases array
says 'cudaMallocArray is not emulated: CUDA arrays, textures and surfaces are not'
says '^801$'
run 86 "$tcemu" ./cases graph
says 'cudaGraphCreate is not emulated: graphs that are built node by node are not, captured ones are'
run 86 "$tcemu" --json=json ./cases array
if grep -q '"errors":0,"distinct":0,"not_run":1}' json; then ok; else bad "--json: $(tail -n 1 json)"; fi
cp -p cases.cu machine_code.cu
nvcc machine_code -O1 -gencode arch=compute_90a,code=sm_90a
run 86 "$tcemu" ./machine_code equal
says 'has no PTX that sm_90a can run \(it has: machine code sm_90a\): compile with'

# ---- -G: ptxas serialises wgmma, which no PTX shows ----
write debug.cu <<'CODE'
#include "tc.h"
#include <cstdio>
__global__ void multiply(float *o)
{
    __shared__ __align__(1024) char a[64 * 16 * 2], b[8 * 16 * 2];
    float d[4];
    for (int k = threadIdx.x; k < (int)sizeof a; k += 128) a[k] = 0;
    for (int k = threadIdx.x; k < (int)sizeof b; k += 128) b[k] = 0;
    __syncthreads();
    asm volatile("fence.proxy.async; wgmma.fence.sync.aligned;" ::: "memory");
    const unsigned long long da = (unsigned long long)(__cvta_generic_to_shared(a) >> 4) | 8ull << 16 | 16ull << 32,
                             db = (unsigned long long)(__cvta_generic_to_shared(b) >> 4) | 8ull << 16 | 16ull << 32;
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 "
                 "{%0,%1,%2,%3}, %4, %5, p, 1, 1, 0, 0; }"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db), "r"(0) : "memory");
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    o[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
}
__global__ void plain(float *o) { o[threadIdx.x] = 1; }
int main(int argc, char **)
{
    float *o;
    cudaMalloc(&o, 512);
    if (argc > 1) plain<<<1, 128>>>(o); else multiply<<<1, 128>>>(o);
    return (int)cudaDeviceSynchronize() && 0;
}
CODE
cp -p debug.cu release.cu
nvcc debug -G -gencode arch=compute_90a,code=compute_90a
nvcc release -O3 -lineinfo -gencode arch=compute_90a,code=compute_90a
run 0 "$tcemu" ./release
run 86 "$tcemu" ./debug
says 'multiply.*: compiled with -G: ptxas then serialises wgmma'
says 'Compile with -lineinfo in place of -G'
silent 'tcemu: error'
run 0 "$tcemu" ./debug plain

# ---- the runtime by dlopen; the compiler beside it ----
write load.c <<'CODE'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *l = dlopen("libcudart.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!l) { puts(dlerror()); return 1; }
    int n = -1, (*count)(int *) = (int (*)(int *))dlsym(l, "cudaGetDeviceCount"),
        (*alloc)(void **, size_t) = (int (*)(void **, size_t))dlsym(l, "cudaMalloc");
    void *p = 0;
    Dl_info d;
    const int e = count(&n), f = alloc(&p, 16);
    printf("%d %d %d %d %s\n", e, n, f, p != 0, dladdr((void *)count, &d) ? d.dli_fname : "?");
    return e || f || n != 1;
}
CODE
if gcc -w load.c -o load -ldl > load.build 2>&1; then
    run 0 "$tcemu" ./load
    says 'libtcemu|libcudart.so.13'
    silent 'no version information'
else bad "load.c does not compile"; fi
write compile.c <<'CODE'
#include <cuda.h>
#include <nvrtc.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    nvrtcProgram p;
    size_t n;
    CUdevice d; CUcontext c; CUmodule m; CUfunction f; CUdeviceptr o;
    const char *options[] = {"-arch=compute_90a"};
    int v = 0;
    if (nvrtcCreateProgram(&p, "extern \"C\" __global__ void k(int *o) { *o = 42; }", "k.cu", 0, 0, 0)
        || nvrtcCompileProgram(p, 1, options))
        return 1;
    nvrtcGetPTXSize(p, &n);
    char *ptx = malloc(n);
    nvrtcGetPTX(p, ptx);
    if (cuInit(0) || cuDeviceGet(&d, 0) || cuDevicePrimaryCtxRetain(&c, d) || cuCtxSetCurrent(c)
        || cuModuleLoadData(&m, ptx) || cuModuleGetFunction(&f, m, "k"))
        return 2;
    if (cuMemAlloc(&o, 4)) return 3;
    void *args[] = {&o};
    if (cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0) || cuMemcpyDtoH(&v, o, 4)) return 4;
    return v != 42;
}
CODE
if gcc -w -isystem "$cuda/include" compile.c -o compile -L"$cuda/lib64" -L"$cuda/lib64/stubs" -Wl,-rpath,"$cuda/lib64" \
    -lnvrtc -lcuda > compile.build 2>&1; then
    run 0 "$tcemu" ./compile
    silent 'tcemu:'
else bad "compile.c does not compile: $(grep -m 1 error compile.build)"; fi

# ---- the line that is taught builds what runs ----
if "$tcemu" --help | grep -q 'gencode arch=compute_90a,code=\[sm_90a,compute_90a\]' &&
    ! "$tcemu" --help | grep -q -- '-arch='; then
    ok
else
    bad "--help teaches another line"
fi

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
