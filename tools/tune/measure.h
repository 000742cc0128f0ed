/* measure.h - what measure.c and cublas.c share: the driver, a shape's data, whoever competes. */
#ifndef TC_TUNE_MEASURE_H
#define TC_TUNE_MEASURE_H

#include "tune.h"
#include <cuda.h>

#define DRIVER_FUNCTIONS(F)                                                                                            \
    F(Init)                                                                                                            \
    F(GetErrorString) F(DeviceGet) F(DeviceGetCount) F(DeviceGetName) F(DeviceGetAttribute) F(DevicePrimaryCtxRetain)  \
        F(CtxSetCurrent) F(ModuleLoadData) F(ModuleUnload) F(ModuleGetFunction) F(FuncSetAttribute)   \
            F(LaunchKernelEx) F(OccupancyMaxActiveClusters) F(StreamCreate) F(StreamSynchronize)   \
                F(StreamBeginCapture) F(StreamEndCapture) F(GraphInstantiate) F(GraphLaunch) F(GraphDestroy)           \
                    F(GraphExecDestroy) F(EventCreate) F(EventRecord) F(EventSynchronize) F(EventElapsedTime)          \
                        F(MemAlloc) F(MemFree) F(MemGetInfo) F(MemsetD8Async) F(MemcpyDtoHAsync)
#define DRIVER_DECLARE(name) __typeof__(cu##name) *name;
typedef struct driver {
    DRIVER_FUNCTIONS(DRIVER_DECLARE)
    CUstream stream;
} driver;
extern driver cu;

/* Ends the program where the driver refuses. */
void cu_must(CUresult e, const char *what);
#define CU(call) cu_must(cu.call, "cu" #call)

/* The operands of a shape, several sets of them, so that a call never finds its inputs in the L2. */
typedef struct operands {
    shape s;
    int sets;
    size_t a_size, b_size, d_size; /* bytes of one set */
    CUdeviceptr a, b, d, zeros;
} operands;

enum { MOST_CALLS = 1024 }; /* of a graph */

/* One side of a comparison: a graph of `calls` calls, set after set. */
typedef struct side {
    CUgraphExec graph;
    int calls;
} side;

/* A call for one set, on cu.stream: 0, or why not in words. */
typedef const char *(*call_fn)(void *self, const operands *o, int set);

/* A graph of calls that take about `seconds`; NULL, or why there is none. */
const char *side_make(side *out, call_fn call, void *self, const operands *o, double seconds);
double side_time(const side *s); /* seconds a call */
void side_free(side *s);

/* ---- cublas.c ---- */
int cublas_open(const request *r, char *why, size_t why_size);
const char *cublas_start(const request *r, const operands *o); /* its plans for a shape; picks the fastest */
const char *cublas_call(void *self, const operands *o, int set);
void cublas_stop(void);

#endif
