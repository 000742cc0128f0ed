/* unit_tmap.c - what tc_tmap_encode asks of the runtime and the driver, against a driver of this file's own that
 * counts. Needs no GPU.
 *     cc -std=c11 -I/usr/local/cuda/include tests/unit_tmap.c -o build/tests/unit_tmap -lm */
#include "test.h"
#include <cuda_runtime_api.h>

static int lookups, encodes, devices_set, devices_asked; /* calls */
static void *current;                                    /* the context of this thread; a primary one is &primary */
static char primary, own;
static int initialised, refuse_always;

static int encode(void *map)
{
    encodes++;
    if (!initialised) return 3;              /* CUDA_ERROR_NOT_INITIALIZED */
    if (!current || refuse_always) return 201; /* CUDA_ERROR_INVALID_CONTEXT */
    memset(map, 0x5a, 128);
    return 0;
}
static int encode_tiled(void *map, int type, uint32_t rank, void *base, const uint64_t *dim, const uint64_t *stride,
                        const uint32_t *box, const uint32_t *es, int interleave, int swizzle, int l2, int fill)
{
    (void)type, (void)rank, (void)base, (void)dim, (void)stride, (void)box, (void)es, (void)interleave, (void)swizzle,
        (void)l2, (void)fill;
    return encode(map);
}
static int encode_im2col(void *map, int type, uint32_t rank, void *base, const uint64_t *dim, const uint64_t *stride,
                         const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *es,
                         int interleave, int swizzle, int l2, int fill)
{
    (void)type, (void)rank, (void)base, (void)dim, (void)stride, (void)lower, (void)upper, (void)channels, (void)pixels,
        (void)es, (void)interleave;
    (void)swizzle, (void)l2, (void)fill;
    return encode(map);
}
static int replace_address(void *map, void *base)
{
    encodes++;
    if (!initialised || !current) return 201;
    memcpy(map, &base, sizeof base);
    return (uintptr_t)base == 48; /* one that this driver refuses */
}
static int get_current(void **context)
{
    *context = current;
    return initialised ? 0 : 3;
}
static cudaError_t fake_entry(const char *name, void **p, unsigned version, unsigned long long flags,
                              enum cudaDriverEntryPointQueryResult *result)
{
    int (*tiled)() = (int (*)())encode_tiled, (*im2col)() = (int (*)())encode_im2col,
        (*context)() = (int (*)())get_current, (*replace)() = (int (*)())replace_address, (*found)() = 0;
    (void)version, (void)flags;
    lookups++;
    if (!strcmp(name, "cuTensorMapEncodeTiled")) found = tiled;
    if (!strcmp(name, "cuTensorMapEncodeIm2col")) found = im2col;
    if (!strcmp(name, "cuCtxGetCurrent")) found = context;
    if (!strcmp(name, "cuTensorMapReplaceAddress")) found = replace;
    memcpy(p, &found, sizeof *p);
    *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
static cudaError_t fake_get_device(int *device)
{
    devices_asked++;
    *device = 0;
    return cudaSuccess;
}
static cudaError_t fake_set_device(int device)
{
    (void)device;
    devices_set++;
    initialised = 1;
    current = &primary;
    return cudaSuccess;
}
static const char *fake_error(cudaError_t e) { return e ? "error" : "no error"; }
#define cudaGetDriverEntryPointByVersion fake_entry
#define cudaGetDevice fake_get_device
#define cudaSetDevice fake_set_device
#define cudaGetErrorString fake_error
#include "../tc_tma.h"

int main(void)
{
    tc_tmap map;
    tc_tmap_desc d;
    tc_tmap_im2col_desc c;
    int i;
    memset(&d, 0, sizeof d);
    memset(&c, 0, sizeof c);
    d.type = TC_BF16, d.rank = 2, d.base = (void *)(uintptr_t)4096, d.dim[0] = d.dim[1] = 64, d.stride[0] = 128,
        d.box[0] = d.box[1] = 64, d.swizzle = 128;
    c.type = TC_BF16, c.rank = 3, c.base = d.base, c.dim[0] = 64, c.dim[1] = c.dim[2] = 8, c.stride[0] = 128,
        c.stride[1] = 1024, c.channels = 64, c.pixels = 8;

    /* a context of the caller's own, also a green one, stays */
    initialised = 1, current = &own;
    CHECK(tc_tmap_encode(&map, &d) == TC_OK && map.opaque[0] == 0x5a5a5a5a5a5a5a5aull, "%s", tc_why());
    CHECK(tc_tmap_im2col_encode(&map, &c) == TC_OK, "%s", tc_why());
    CHECK(current == &own && devices_set == 0, "the caller's context was replaced");

    /* a later call is the check and the driver's function, and nothing else */
    lookups = encodes = devices_asked = 0;
    for (i = 0; i < 100; i++) CHECK(tc_tmap_encode(&map, &d) == TC_OK, "%s", tc_why());
    CHECK(encodes == 100 && lookups == 0 && devices_asked == 0 && devices_set == 0,
          "100 calls: %d of the encoder, %d lookups, %d cudaGetDevice, %d cudaSetDevice", encodes, lookups,
          devices_asked, devices_set);

    /* a thread without a context gets the device's primary one, once */
    current = 0;
    CHECK(tc_tmap_encode(&map, &d) == TC_OK && current == &primary && devices_set == 1, "no context: %s", tc_why());
    CHECK(tc_tmap_encode(&map, &d) == TC_OK && devices_set == 1, "the second time: %s", tc_why());
    current = 0, initialised = 0;
    CHECK(tc_tmap_im2col_encode(&map, &c) == TC_OK && current == &primary && devices_set == 2, "no cuInit: %s",
          tc_why());

    /* another base, by the same ways; what is refused leaves the map as it is */
    CHECK(tc_tmap_replace_address(&map, (void *)(uintptr_t)8192) == TC_OK && map.opaque[0] == 8192
              && map.opaque[1] == 0x5a5a5a5a5a5a5a5aull, "%s", tc_why());
    CHECK(tc_tmap_replace_address(&map, 0) == TC_ERR_TMAP && strstr(tc_why(), "base is null"), "%s", tc_why());
    CHECK(tc_tmap_replace_address(&map, (void *)(uintptr_t)8200) == TC_ERR_TMAP && strstr(tc_why(), "16 bytes"), "%s",
          tc_why());
    CHECK(tc_tmap_replace_address(&map, (void *)(uintptr_t)48) == TC_ERR_TMAP && strstr(tc_why(), "CUresult 1"), "%s",
          tc_why());
    CHECK(map.opaque[0] == 8192, "a refusal changed the map");
    current = 0;
    CHECK(tc_tmap_replace_address(&map, (void *)(uintptr_t)4096) == TC_OK && current == &primary && devices_set == 3,
          "no context: %s", tc_why());
    devices_set = 2;

    /* a context that the driver refuses is reported, not replaced; and there is an end to trying */
    current = &own, refuse_always = 1, encodes = 0;
    CHECK(tc_tmap_encode(&map, &d) == TC_ERR_TMAP && strstr(tc_why(), "201") && current == &own && devices_set == 2
          && encodes == 1, "%s, %d calls", tc_why(), encodes);
    current = 0, encodes = 0;
    CHECK(tc_tmap_encode(&map, &d) == TC_ERR_TMAP && encodes == 2, "%s, %d calls", tc_why(), encodes);
    return test_end();
}
