/* torch_call.h - how a tensor of PyTorch's comes to a C function, which ctypes calls: what tc_library.py writes into a
 * `tensor`, and what is checked of it here. The functions answer NULL, or the sentence that says what is wrong. */
#ifndef TORCH_CALL_H
#define TORCH_CALL_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

enum { OTHER_TYPE, TENSOR_BF16, TENSOR_F32, TENSOR_I32, TENSOR_BYTES };

/* p is null where no tensor was given, and where it has no elements. Strides are elements. */
typedef struct tensor {
    void *p;
    int64_t type, dims; /* dims: -1 where none was given */
    int64_t size[4], stride[4];
} tensor;

#define EXPORTED extern "C" __attribute__((visibility("default")))

/* The sentence stays until the thread's next one. */
static const char *refuse(const char *format, ...)
{
    static thread_local char why[256];
    va_list rest;
    va_start(rest, format);
    vsnprintf(why, sizeof why, format, rest);
    va_end(rest);
    return why;
}

static const char *tensor_wrong(const tensor *t, const char *name, int type, int dims)
{
    static const char *const types[] = {"", "bfloat16", "float32", "int32", "uint8"};
    if (t->dims < 0) return refuse("%s is missing", name);
    if (t->type != type) return refuse("%s must be %s", name, types[type]);
    if (t->dims != dims) return refuse("%s must have %d dimensions, not %d", name, dims, (int)t->dims);
    if (t->size[dims - 1] > 1 && t->stride[dims - 1] != 1)
        return refuse("%s: elements of the last dimension must be neighbours, not %lld apart", name,
                      (long long)t->stride[dims - 1]);
    for (int i = 0; i < dims; i++)
        if (t->size[i] > INT32_MAX) return refuse("%s is larger than 2^31 - 1 in dimension %d", name, i);
    return NULL;
}

static const char *size_wrong(const tensor *t, const char *name, int dim, int64_t size)
{
    if (t->size[dim] == size) return NULL;
    return refuse("%s must have %lld in dimension %d, not %lld", name, (long long)size, dim, (long long)t->size[dim]);
}

#endif
