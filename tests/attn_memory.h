/* attn_memory.h - device memory of one configuration of attention's tests; behind test.h. */
#ifndef ATTN_MEMORY_H
#define ATTN_MEMORY_H

enum { MAX_ALLOCATIONS = 24 };
static void *allocations[MAX_ALLOCATIONS];
static int allocated;

/* No byte more than asked for: tcemu sees every access past the end. */
static void *device_memory(size_t bytes)
{
    void *p = 0;
    if (allocated == MAX_ALLOCATIONS) exit(1);
    CUDA_CHECK(cudaMalloc(&p, bytes ? bytes : 16));
    allocations[allocated++] = p;
    return p;
}

static void *upload(const void *host, size_t bytes)
{
    void *p = device_memory(bytes);
    CUDA_CHECK(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice));
    return p;
}

static void free_device_memory(void)
{
    while (allocated) CUDA_CHECK(cudaFree(allocations[--allocated]));
}

#endif
