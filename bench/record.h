/* record.h - the lines that every record of a measurement starts with: device, driver, toolkit, libraries, date and
 * command; and CUDA_CHECK, unless who includes it has one of its own. */
#ifndef RECORD_H
#define RECORD_H

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef CUDA_CHECK
#define CUDA_CHECK(call)                                                                             \
    do {                                                                                             \
        const cudaError_t err_ = (call);                                                             \
        if (err_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_)); \
            exit(2);                                                                                 \
        }                                                                                            \
    } while (0)
#endif

/* The driver's number, such as 580.159.04, from the kernel module's own words; empty where there are none. */
static inline void record_driver(char *number, size_t size)
{
    char text[256] = "", *s;
    FILE *proc = fopen("/proc/driver/nvidia/version", "r");
    if (proc) {
        if (!fgets(text, sizeof text, proc)) text[0] = 0;
        fclose(proc);
    }
    for (s = text; *s && !(strspn(s, "0123456789") == 3 && s[3] == '.'); s++) {
    }
    snprintf(number, size, "%.*s", (int)strcspn(s, " \n"), s);
}

/* libraries: what else was measured, as "cuBLASLt 130100; ", or "". */
static inline void record_begin(FILE *f, const char *libraries, int argc, char **argv)
{
    cudaDeviceProp prop;
    int driver = 0, runtime = 0;
    char date[32], number[64];
    const time_t now = time(0);
    record_driver(number, sizeof number);
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    fprintf(f, "# device %s, %d SMs; driver %s, CUDA %d.%d; toolkit %d.%d; %sdate %s\n# command", prop.name,
            prop.multiProcessorCount, number, driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10,
            libraries, date);
    for (int i = 0; i < argc; i++) fprintf(f, " %s", argv[i]);
    fprintf(f, "\n");
}

#endif
