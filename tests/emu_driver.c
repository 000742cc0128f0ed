/* emu_driver.c - the CUDA driver API as tcemu provides it, in a library that is loaded by its name.
 *     cc -std=c11 -D_GNU_SOURCE -isystem /usr/local/cuda/include tests/emu_driver.c -o build/tests/emu_driver -ldl
 *     build/tcemu build/tests/emu_driver
 *
 * Errors are provoked on purpose: tcemu says a sentence about each on stderr. What only tcemu promises is asked of
 * tcemu alone. */
#include "test.h"
#include <cuda.h>
#include <dlfcn.h>
#include <unistd.h>

/* cu.MemAlloc is cuMemAlloc, or what cuda.h makes of that name: cuMemAlloc_v2 */
#define FUNCTIONS(F) \
    F(Init) F(GetErrorName) F(GetErrorString) F(DriverGetVersion) F(DeviceGetCount) F(DeviceGet) F(DeviceGetName)     \
    F(DeviceGetAttribute)                                                                                             \
    F(DeviceTotalMem) F(DevicePrimaryCtxRetain) F(DevicePrimaryCtxRelease) F(DevicePrimaryCtxGetState) F(CtxCreate)   \
    F(CtxDestroy) F(CtxPushCurrent)                                                                                   \
    F(CtxPopCurrent) F(CtxGetCurrent) F(CtxSetCurrent) F(CtxSynchronize) F(ModuleLoad) F(ModuleLoadData)              \
    F(ModuleUnload) F(ModuleGetFunction)                                                                              \
    F(ModuleGetFunctionCount) F(ModuleGetGlobal) F(LibraryLoadData) F(LibraryUnload) F(LibraryGetKernel)              \
    F(KernelGetFunction) F(FuncGetAttribute)                                                                          \
    F(FuncGetName) F(FuncSetAttribute) F(LinkCreate) F(LinkAddData) F(LinkComplete) F(LinkDestroy) F(LaunchKernel)    \
    F(LaunchKernelEx) F(LaunchHostFunc)                                                                               \
    F(OccupancyMaxActiveBlocksPerMultiprocessor) F(MemAlloc) F(MemFree) F(MemAllocPitch) F(MemAllocManaged)           \
    F(MemAllocHost) F(MemFreeHost)                                                                                    \
    F(MemGetAddressRange) F(MemcpyDtoH) F(MemcpyHtoD) F(MemcpyDtoD) F(Memcpy) F(Memcpy2D) F(MemsetD8) F(MemsetD16)    \
    F(MemsetD32) F(MemsetD2D32)                                                                                       \
    F(MemsetD8Async) F(MemAddressReserve) F(PointerGetAttribute) F(TensorMapEncodeTiled) F(TensorMapReplaceAddress)   \
    F(GetProcAddress) F(StreamCreate) F(StreamDestroy)                                                                \
    F(StreamSynchronize) F(StreamBeginCapture) F(StreamEndCapture) F(StreamGetCaptureInfo) F(EventCreate)             \
    F(EventRecord) F(EventSynchronize)                                                                                \
    F(EventElapsedTime) F(EventDestroy) F(GraphInstantiate) F(GraphLaunch) F(GraphDestroy) F(GraphExecDestroy)

#define DECLARE(name) __typeof__(cu##name) *name;
static struct { FUNCTIONS(DECLARE) } cu;
static int emulated; /* by tcemu? */

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static const char *name_of(CUresult e)
{
    const char *s = 0;
    return cu.GetErrorName(e, &s) == CUDA_SUCCESS && s ? s : "(no name)";
}

#define GIVES(call, want)                                                           \
    do {                                                                            \
        const CUresult err_ = cu.call;                                              \
        CHECK(err_ == (want), "%s: %s, want %s", #call, name_of(err_), #want);      \
    } while (0)
#define OK(call) GIVES(call, CUDA_SUCCESS)
#define FAILS(call, want) GIVES(call, want)

/* add: p[tid] = v + start; nothing: has no parameters */
static const char ptx[] =
    ".version 7.0\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .u32 start = 5;\n"
    ".visible .entry add(.param .u64 p, .param .u32 v)\n{\n"
    "    .reg .u64 %rd<5>;\n    .reg .u32 %r<5>;\n"
    "    ld.param.u64 %rd1, [p];\n    cvta.to.global.u64 %rd2, %rd1;\n    ld.param.u32 %r1, [v];\n"
    "    ld.global.u32 %r2, [start];\n    add.u32 %r1, %r1, %r2;\n    mov.u32 %r3, %tid.x;\n"
    "    mul.wide.u32 %rd3, %r3, 4;\n    add.u64 %rd2, %rd2, %rd3;\n    st.global.u32 [%rd2], %r1;\n    ret;\n}\n"
    ".visible .entry nothing()\n{\n    ret;\n}\n";

enum { N = 100, BYTES = N * 4 };
static CUdeviceptr mem; /* N words of device memory */
static unsigned host[N];
static void get(void) { OK(MemcpyDtoH(host, mem, BYTES)); }

/* ---- what comes first: cuInit, a device, a context ---- */
static CUdevice test_start(void)
{
    CUdevice d = -1;
    CUdeviceptr p;
    int count = 0, version = 0, value = 0;
    size_t total = 0;
    char name[100] = "";
    FAILS(DeviceGetCount(&count), CUDA_ERROR_NOT_INITIALIZED);
    FAILS(Init(1), CUDA_ERROR_INVALID_VALUE);
    OK(Init(0));
    OK(DriverGetVersion(&version));
    CHECK(version >= 12000, "version %d", version);
    OK(DeviceGetCount(&count));
    CHECK(count >= 1, "%d devices", count);
    FAILS(DeviceGet(&d, count), CUDA_ERROR_INVALID_DEVICE);
    OK(DeviceGet(&d, 0));
    OK(DeviceGetName(name, sizeof name, d));
    emulated = strstr(name, "tcemu") != 0;
    CHECK(*name, "the device has no name");
    OK(DeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, d));
    CHECK(value == 32, "warps of %d", value);
    FAILS(DeviceGetAttribute(&value, (CUdevice_attribute)100000, d), CUDA_ERROR_INVALID_VALUE);
    OK(DeviceTotalMem(&total, d));
    CHECK(total > 0, "no memory");
    FAILS(MemAlloc(&p, BYTES), CUDA_ERROR_INVALID_CONTEXT);
    return d;
}

/* ---- error names ---- */
static void test_errors(void)
{
    const char *s = 0;
    OK(GetErrorName(CUDA_ERROR_INVALID_VALUE, &s));
    CHECK(s && !strcmp(s, "CUDA_ERROR_INVALID_VALUE"), "%s", s ? s : "(null)");
    OK(GetErrorString(CUDA_SUCCESS, &s));
    CHECK(s && !strcmp(s, "no error"), "%s", s ? s : "(null)");
    FAILS(GetErrorName((CUresult)12345, &s), CUDA_ERROR_INVALID_VALUE);
    CHECK(!s, "%s", s ? s : "");
    FAILS(GetErrorString((CUresult)12345, &s), CUDA_ERROR_INVALID_VALUE);
}

/* ---- contexts: a stack for each thread ---- */
static void test_contexts(CUdevice d)
{
    CUcontext primary, own, now;
    unsigned flags;
    int active = 0;
    OK(DevicePrimaryCtxRetain(&primary, d));
    OK(DevicePrimaryCtxGetState(d, &flags, &active));
    CHECK(active, "the primary context is not active");
    OK(CtxSetCurrent(primary));
#if CUDA_VERSION >= 13000
    OK(CtxCreate(&own, NULL, 0, d));
#else
    OK(CtxCreate(&own, 0, d));
#endif
    OK(CtxGetCurrent(&now));
    CHECK(now == own, "a new context is not current");
    OK(CtxPopCurrent(&now));
    CHECK(now == own, "another context was on top");
    OK(CtxGetCurrent(&now));
    CHECK(now == primary, "the context below is not current");
    OK(CtxPushCurrent(own));
    OK(CtxDestroy(own));
    OK(CtxGetCurrent(&now));
    CHECK(now == primary, "a context that was destroyed stays current");
}

/* ---- modules and launches, arguments both ways ---- */
static void test_modules(void)
{
    CUmodule m, other;
    CUfunction f, nothing;
    CUdeviceptr start;
    unsigned count = 0;
    int v = 3, value = 0;
    size_t size = 0;
    const char *name = 0;
    void *args[] = {&mem, &v};
    OK(ModuleLoadData(&m, ptx));
    OK(ModuleGetFunctionCount(&count, m));
    CHECK(count == 2, "%u kernels", count);
    FAILS(ModuleGetFunction(&f, m, "nope"), CUDA_ERROR_NOT_FOUND);
    OK(ModuleGetFunction(&f, m, "add"));
    OK(ModuleGetFunction(&nothing, m, "nothing"));
    OK(FuncGetName(&name, f));
    CHECK(name && !strcmp(name, "add"), "%s", name ? name : "(null)");
    OK(FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PTX_VERSION, f));
    CHECK(value == 75, "compute_%d", value);
    OK(FuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    CHECK(value == 1024, "%d threads", value);
    FAILS(FuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20), CUDA_ERROR_INVALID_VALUE);
    OK(OccupancyMaxActiveBlocksPerMultiprocessor(&value, f, 256, 0));
    CHECK(value >= 1 && value <= 8, "%d blocks of 256", value);

    OK(MemsetD32(mem, 0, N));
    OK(LaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
    get();
    CHECK(host[0] == 8 && host[31] == 8 && host[32] == 0, "%u %u %u", host[0], host[31], host[32]);
    struct { CUdeviceptr p; int v; } packed = {mem, 40};
    size = sizeof packed.p + sizeof packed.v;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
    OK(LaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, 0, extra));
    get();
    CHECK(host[31] == 45, "packed arguments: %u", host[31]);
    FAILS(LaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, extra), CUDA_ERROR_INVALID_VALUE);
    FAILS(LaunchKernel(f, 1, 1, 1, 1025, 1, 1, 0, 0, args, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(LaunchKernel(f, 0, 1, 1, 32, 1, 1, 0, 0, args, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(LaunchKernel(f, 1, 1, 1, 32, 1, 1, 60000, 0, args, 0), CUDA_ERROR_INVALID_VALUE);
    OK(LaunchKernel(nothing, 2, 3, 4, 8, 4, 2, 0, 0, 0, 0));

    OK(ModuleGetGlobal(&start, &size, m, "start"));
    CHECK(size == 4, "%zu bytes", size);
    FAILS(ModuleGetGlobal(&start, &size, m, "nope"), CUDA_ERROR_NOT_FOUND);
    OK(ModuleGetGlobal(&start, 0, m, "start"));
    OK(MemsetD32(start, 100, 1));
    CUlaunchConfig config;
    memset(&config, 0, sizeof config);
    config.gridDimX = config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1, config.blockDimX = N;
    OK(LaunchKernelEx(&config, f, args, 0));
    OK(CtxSynchronize());
    get();
    CHECK(host[N - 1] == 103, "%u", host[N - 1]);
    OK(ModuleLoadData(&other, ptx)); /* a module has variables of its own */
    OK(ModuleGetFunction(&f, other, "add"));
    OK(LaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0));
    get();
    CHECK(host[0] == 8 && host[N - 1] == 103, "%u %u", host[0], host[N - 1]);
    OK(ModuleUnload(other));
    OK(ModuleUnload(m));
    if (emulated) { /* undefined in CUDA */
        FAILS(ModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
        FAILS(LaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0), CUDA_ERROR_INVALID_HANDLE);
    }
}

/* ---- other ways to a module: files, libraries, the linker; and what is none ---- */
static void test_images(void)
{
    char file[] = "/tmp/emu_driver_XXXXXX";
    const int fd = mkstemp(file);
    CUmodule m = 0;
    CUfunction f = 0;
    CUlibrary library = 0;
    CUkernel kernel = 0;
    CUlinkState link = 0;
    void *image = 0;
    size_t size = 0;
    CHECK(fd >= 0 && write(fd, ptx, sizeof ptx - 1) == (ssize_t)sizeof ptx - 1 && !close(fd), "%s cannot be written",
          file);
    OK(ModuleLoad(&m, file));
    OK(ModuleGetFunction(&f, m, "nothing"));
    OK(LaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    OK(ModuleUnload(m));
    unlink(file);
    FAILS(ModuleLoad(&m, file), CUDA_ERROR_FILE_NOT_FOUND);

    OK(LibraryLoadData(&library, ptx, 0, 0, 0, 0, 0, 0));
    FAILS(LibraryGetKernel(&kernel, library, "nope"), CUDA_ERROR_NOT_FOUND);
    OK(LibraryGetKernel(&kernel, library, "nothing"));
    OK(KernelGetFunction(&f, kernel));
    OK(LaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    OK(LaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    OK(LibraryUnload(library));
    if (emulated) FAILS(LaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0), CUDA_ERROR_INVALID_HANDLE);

    OK(LinkCreate(0, 0, 0, &link));
    OK(LinkAddData(link, CU_JIT_INPUT_PTX, (void *)(uintptr_t)ptx, sizeof ptx, "ptx", 0, 0, 0));
    OK(LinkComplete(link, &image, &size));
    OK(ModuleLoadData(&m, image));
    OK(LinkDestroy(link));
    OK(ModuleGetFunction(&f, m, "nothing"));
    OK(ModuleUnload(m));

    FAILS(ModuleLoadData(&m, "garbage"), CUDA_ERROR_INVALID_IMAGE);
    /* no ; */
    FAILS(ModuleLoadData(&m, ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n    ret\n}\n"),
          CUDA_ERROR_INVALID_PTX);
    FAILS(ModuleLoadData(&m, 0), CUDA_ERROR_INVALID_VALUE);
}

/* ---- memory ---- */
static void test_memory(void)
{
    CUdeviceptr p = 0, base = 0;
    CUDA_MEMCPY2D copy;
    size_t pitch = 0, size = 0;
    unsigned type = 0;
    int is_managed = 0, bad = 0;
    void *pinned = 0;
    FAILS(MemAlloc(&p, 0), CUDA_ERROR_INVALID_VALUE);
    OK(MemsetD16(mem, 0x1234, 2 * N));
    get();
    CHECK(host[0] == 0x12341234 && host[N - 1] == 0x12341234, "%x %x", host[0], host[N - 1]);
    FAILS(MemsetD32(mem + 2, 0, 1), CUDA_ERROR_INVALID_VALUE);
    FAILS(MemsetD8(mem, 0, BYTES + 1), CUDA_ERROR_INVALID_VALUE);
    OK(MemcpyHtoD(mem + 4, host, 4));
    OK(MemcpyDtoD(mem, mem + 4, 4));
    OK(Memcpy((CUdeviceptr)(uintptr_t)host, mem, BYTES));
    FAILS(MemcpyDtoH(host, mem + 4, BYTES), CUDA_ERROR_INVALID_VALUE);

    OK(MemAllocPitch(&p, &pitch, 20, 10, 4));
    CHECK(pitch >= 20, "pitch %zu", pitch);
    for (int i = 0; i < N; i++) host[i] = (unsigned)i;
    memset(&copy, 0, sizeof copy);
    copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = host, copy.srcPitch = 40;
    copy.dstMemoryType = CU_MEMORYTYPE_DEVICE, copy.dstDevice = p, copy.dstPitch = pitch;
    copy.WidthInBytes = 20, copy.Height = 10;
    OK(Memcpy2D(&copy));
    OK(MemsetD2D32(p + 4, pitch, 77, 2, 3)); /* words 1 and 2 of rows 0 to 2 */
    copy.dstMemoryType = CU_MEMORYTYPE_HOST, copy.dstHost = host, copy.dstPitch = 20;
    copy.srcMemoryType = CU_MEMORYTYPE_DEVICE, copy.srcDevice = p, copy.srcPitch = pitch;
    OK(Memcpy2D(&copy));
    for (int i = 0; i < 50; i++)
        bad += host[i] != (unsigned)(i < 15 && (i % 5 == 1 || i % 5 == 2) ? 77 : i / 5 * 10 + i % 5);
    CHECK(!bad, "%d words are wrong", bad);
    copy.srcPitch = 16;
    FAILS(Memcpy2D(&copy), CUDA_ERROR_INVALID_VALUE);
    FAILS(MemsetD2D32(p, 4, 77, 2, 3), CUDA_ERROR_INVALID_VALUE); /* rows of 8 bytes, 4 apart */
    OK(MemFree(p));
    if (emulated) FAILS(MemFree(p), CUDA_ERROR_INVALID_VALUE);

    OK(PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, mem));
    CHECK(type == CU_MEMORYTYPE_DEVICE, "type %u", type);
    FAILS(PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)host),
          CUDA_ERROR_INVALID_VALUE);
    OK(MemGetAddressRange(&base, &size, mem + 40));
    CHECK(base == mem && size == BYTES, "%zu bytes from %lld on", size, (long long)(base - mem));
    OK(MemAllocManaged(&p, BYTES, CU_MEM_ATTACH_GLOBAL));
    OK(PointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, p));
    CHECK(is_managed, "managed memory does not know that it is");
    OK(MemsetD32(p, 9, N));
    OK(CtxSynchronize());
    CHECK(((unsigned *)(uintptr_t)p)[N - 1] == 9, "%u", ((unsigned *)(uintptr_t)p)[N - 1]);
    OK(MemFree(p));
    OK(MemAllocHost(&pinned, BYTES));
    OK(PointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)(uintptr_t)pinned));
    CHECK(type == CU_MEMORYTYPE_HOST, "type %u", type);
    OK(MemFreeHost(pinned));
    if (emulated) FAILS(MemAddressReserve(&p, 1 << 21, 0, 0, 0), CUDA_ERROR_NOT_SUPPORTED); /* not emulated: says so */
}

/* ---- tensor maps: one that is right, then one mistake at a time ---- */
static void test_tensor_maps(void)
{
    static CUtensorMap map[2];
    cuuint64_t size[2] = {10, 10}, stride[1] = {48};
    cuuint32_t box[2] = {8, 8}, step[2] = {1, 1};
    int major = 0;
    OK(DeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0));
    if (major < 9) {
        SKIP("tensor maps: need compute capability 9.0");
        return;
    }
#define ENCODE(to, at, want) \
    GIVES(TensorMapEncodeTiled(to, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)(uintptr_t)(at), size, stride, box,    \
                               step,                                                                                  \
        CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,                   \
        CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE), want)
    ENCODE(map, mem, CUDA_SUCCESS);
    ENCODE(map, 8, CUDA_ERROR_INVALID_VALUE);
    ENCODE(map, 0, CUDA_SUCCESS); /* to be filled in by ReplaceAddress, or by a kernel */
    FAILS(TensorMapReplaceAddress(map, 0), CUDA_ERROR_INVALID_VALUE);
    FAILS(TensorMapReplaceAddress(map, (void *)(uintptr_t)8), CUDA_ERROR_INVALID_VALUE);
    OK(TensorMapReplaceAddress(map, (void *)(uintptr_t)mem));
    ENCODE((CUtensorMap *)(void *)((char *)map + 16), mem, CUDA_ERROR_INVALID_VALUE); /* the map needs 64 bytes */
    ENCODE(map, mem + 4, CUDA_ERROR_INVALID_VALUE);                                 /* its tensor 16 */
    stride[0] = 44;                                                                 /* its rows too */
    ENCODE(map, mem, CUDA_ERROR_INVALID_VALUE);
    stride[0] = 48, box[0] = 257;
    ENCODE(map, mem, CUDA_ERROR_INVALID_VALUE);
    box[0] = 6; /* 24 bytes */
    ENCODE(map, mem, CUDA_ERROR_INVALID_VALUE);
    box[0] = 8, size[1] = 0;
    ENCODE(map, mem, CUDA_ERROR_INVALID_VALUE);
    size[1] = 10, step[1] = 9;
    ENCODE(map, mem, CUDA_ERROR_INVALID_VALUE);
#undef ENCODE
}

/* ---- functions by name and version ---- */
static void test_entry_points(void)
{
    void *f = 0;
    CUdriverProcAddressQueryResult found;
#define POINTER(name) (*(void **)(void *)&cu.name)
    OK(GetProcAddress("cuMemAlloc", &f, 12000, 0, &found));
    CHECK(f && found == CU_GET_PROC_ADDRESS_SUCCESS, "%p, %d", f, found);
    if (emulated) CHECK(f == POINTER(MemAlloc), "cuMemAlloc of 12.0 is not cuMemAlloc_v2");
    OK(GetProcAddress("cuCtxSynchronize", &f, 13000, 0, &found));
    if (emulated) CHECK(f == POINTER(CtxSynchronize), "cuCtxSynchronize of 13.0 has no parameters");
#if CUDA_VERSION >= 13000
    OK(GetProcAddress("cuStreamGetCaptureInfo", &f, 12030, 0, &found));
    if (emulated)
        CHECK(f == POINTER(StreamGetCaptureInfo), "cuStreamGetCaptureInfo of 12.3 is not cuStreamGetCaptureInfo_v3");
#endif
#undef POINTER
    (void)cu.GetProcAddress("cuNoSuchFunction", &f, 12000, 0, &found);
    CHECK(!f && found == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, "%p, %d", f, found);
}

/* ---- streams, events, a captured graph ---- */
static void CUDA_CB set_flag(void *flag) { *(int *)flag = 1; }

static void test_streams(void)
{
    CUstream s;
    CUevent begin, end;
    CUgraph graph = 0;
    CUgraphExec exec;
    float ms = -1;
    int flag = 0;
    OK(StreamCreate(&s, CU_STREAM_NON_BLOCKING));
    OK(EventCreate(&begin, 0));
    OK(EventCreate(&end, 0));
    FAILS(EventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);
    OK(EventRecord(begin, s));
    OK(MemsetD8Async(mem, 1, BYTES, s));
    OK(EventRecord(end, s));
    OK(EventSynchronize(end));
    OK(EventElapsedTime(&ms, begin, end));
    CHECK(ms > 0, "%g ms", ms);
    OK(LaunchHostFunc(s, set_flag, &flag));
    OK(StreamSynchronize(s));
    CHECK(flag == 1, "cuLaunchHostFunc: %d", flag);

    OK(StreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(MemsetD8Async(mem, 2, 4, s));
    OK(StreamEndCapture(s, &graph));
    get();
    CHECK(host[0] == 0x01010101, "the capture itself did the work: %x", host[0]);
    OK(GraphInstantiate(&exec, graph, 0));
    OK(GraphDestroy(graph));
    OK(GraphLaunch(exec, s));
    OK(StreamSynchronize(s));
    get();
    CHECK(host[0] == 0x02020202 && host[1] == 0x01010101, "%x %x", host[0], host[1]);
    OK(GraphExecDestroy(exec));

    OK(StreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
    FAILS(StreamSynchronize(s), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    FAILS(StreamEndCapture(s, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    CHECK(!graph, "a capture that failed gives a graph");
    OK(EventDestroy(begin));
    OK(EventDestroy(end));
    OK(StreamDestroy(s));
    if (emulated) FAILS(StreamSynchronize(s), CUDA_ERROR_INVALID_HANDLE); /* undefined in CUDA */
}

int main(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        SKIP("the driver API: %s", dlerror());
        return test_end();
    }
#define LOAD(name) \
    *(void **)(void *)&cu.name = dlsym(library, TEXT(cu##name)); \
    CHECK(cu.name, "the library has no " TEXT(cu##name));
    FUNCTIONS(LOAD)
    if (test_failed) return test_end();
    const CUdevice d = test_start();
    test_errors();
    test_contexts(d);
    OK(MemAlloc(&mem, BYTES));
    test_modules();
    test_images();
    test_memory();
    test_tensor_maps();
    test_entry_points();
    test_streams();
    OK(MemFree(mem));
    OK(DevicePrimaryCtxRelease(d));
    return test_end();
}
