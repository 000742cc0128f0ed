/* broken.h - what the broken kernels share. A case is a kernel (or a piece of host code) with one mistake, and its twin
 * without it: the same template, BAD true and false.
 *
 *     KERNEL(no_syncthreads)                          // a kernel (const float *in, float *out, int n), n = 64
 *     {
 *         ...
 *         if (!BAD) __syncthreads();
 *         out[threadIdx.x] = s[63 - threadIdx.x];     // EXPECT no_syncthreads race: "not ordered after the write"
 *     }
 *     RUN(no_syncthreads, 1, 64, 0)                   // grid, block, dynamic shared memory
 *
 * EXPECT CASE CHECK: "PIECE" stands on the line that tcemu must name, in the first error of the run; ALSO CASE: "PIECE"
 * on the line of the second place that the report must name. EXPECT CASE refused: "PIECE" is for launches that must not
 * happen at all. */
#ifndef BROKEN_H
#define BROKEN_H
#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include "../../tc.h"

struct test_case {
    const char *name;
    void (*run)(bool bad);
    test_case *next;
};
static test_case *cases, **cases_end = &cases;
struct add_case {
    test_case c;
    add_case(const char *name, void (*run)(bool)) : c{name, run, nullptr} { *cases_end = &c; cases_end = &c.next; }
};

/* Global memory for everybody: 1 MiB to read (small integers as floats) and 1 MiB to write (zeros) */
static float *in_d, *out_d;

#define PARAMS const float *in, float *out, int n
#define KERNEL(name) template <bool BAD> static __global__ void name(PARAMS)
#define HOST(name)                                                                          \
    template <bool BAD> static void host_##name();                                          \
    static void both_##name(bool bad) { if (bad) host_##name<true>(); else host_##name<false>(); } \
    static add_case add_##name(#name, both_##name);                                         \
    template <bool BAD> static void host_##name()
#define RUN(name, grid, block, smem) HOST(name) { name<BAD><<<grid, block, smem>>>(in_d, out_d, 64); }
/* with a cluster of so many CTAs, and as many in the grid */
#define RUN_CLUSTER(name, ctas, block, smem) HOST(name) { launch_cluster(name<BAD>, ctas, ctas, block, smem); }

typedef void (*kernel_fn)(PARAMS);
/* as a programmatic dependent launch */
static inline cudaError_t launch_dependent(kernel_fn f, const float *from, float *to)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    a.val.programmaticStreamSerializationAllowed = 1;
    c.gridDim = 1; c.blockDim = 64;
    c.attrs = &a; c.numAttrs = 1;
    return cudaLaunchKernelEx(&c, f, from, to, 64);
}
static inline cudaError_t launch_cluster(kernel_fn f, int grid, int ctas, int block, int smem)
{
    cudaLaunchConfig_t c = {};
    cudaLaunchAttribute a = {};
    a.id = cudaLaunchAttributeClusterDimension;
    a.val.clusterDim.x = ctas; a.val.clusterDim.y = a.val.clusterDim.z = 1;
    c.gridDim = grid; c.blockDim = block; c.dynamicSmemBytes = smem;
    c.attrs = &a; c.numAttrs = 1;
    return cudaLaunchKernelEx(&c, f, (const float *)in_d, (float *)out_d, 64);
}

/* PROGRAM CASE bad|good; PROGRAM all good; PROGRAM list. Ends with 1 if a CUDA call failed. */
int main(int argc, char **argv)
{
    int failed = 0, found = 0;
    const size_t bytes = 1 << 20;
    if (argc > 1 && !strcmp(argv[1], "list")) {
        for (test_case *t = cases; t; t = t->next) puts(t->name);
        return 0;
    }
    if (argc < 3) { fprintf(stderr, "usage: %s CASE|all bad|good, or list\n", argv[0]); return 2; }
    float *h = (float *)malloc(bytes);
    for (size_t k = 0; k < bytes / 4; k++) h[k] = (float)(k % 7);
    cudaMalloc(&in_d, bytes);
    cudaMalloc(&out_d, bytes);
    cudaMemcpy(in_d, h, bytes, cudaMemcpyHostToDevice);
    cudaMemset(out_d, 0, bytes);
    for (test_case *t = cases; t; t = t->next) {
        if (strcmp(argv[1], "all") && strcmp(argv[1], t->name)) continue;
        found = 1;
        t->run(!strcmp(argv[2], "bad"));
        const cudaError_t launched = cudaGetLastError(), ran = cudaDeviceSynchronize();
        if (launched || ran) { printf("%s: %s\n", t->name, cudaGetErrorString(launched ? launched : ran)); failed = 1; }
    }
    if (!found) fprintf(stderr, "no case %s\n", argv[1]);
    cudaFree(in_d);
    cudaFree(out_d);
    free(h);
    return found ? failed : 2;
}
#endif
