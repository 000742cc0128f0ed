/* tune.h - tc_tune, the program that finds the tile of a GEMM for a shape: what its files share.
 *
 *     main.c           the command line, and the order of things
 *     candidates.c     which configurations there are for a shape, and which of them are worth a trial
 *     hook.c           the user's hook and its arguments
 *     compile.c        sources and NVRTC: each kernel in a process of its own
 *     measure.c        data, launches, the comparison with the reference, times in turns
 *     libraries.c      the driver and cuBLASLt, opened at run time
 *     report.c         progress, table, CSV, JSON
 */
#ifndef TC_TUNE_H
#define TC_TUNE_H

/* What tc_tma.h asks of the CUDA runtime, measure.c answers from the driver: nothing of the toolkit is linked. */
#include <cuda_runtime_api.h>
#define cudaGetDriverEntryPointByVersion tune_entry_point
#define cudaGetErrorString tune_error_string
#define cudaGetDevice tune_get_device
#define cudaSetDevice tune_set_device
cudaError_t tune_entry_point(const char *name, void **found, unsigned version, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *result);
const char *tune_error_string(cudaError_t e);
cudaError_t tune_get_device(int *device);
cudaError_t tune_set_device(int device);
#include "../../tc_gemm.h"

#include <stdlib.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))
#if defined(__GNUC__)
#define FORMAT(f, a) __attribute__((format(printf, f, a)))
#else
#define FORMAT(f, a)
#endif

enum { TUNE_WORKSPACE = 64 << 20 }; /* bytes that a candidate with .split is given */
enum { PATH_SIZE = 1024, TEXT_SIZE = 256, FIELDS_SIZE = 512, MOST_ROUNDS = 64 };

/* ---- the request ---- */
typedef struct shape {
    int m, n, k;
} shape;

/* A word of a hook's arguments: what the bytes at `at` are. */
typedef struct hook_word {
    char kind;    /* 'p': address of zeros in device memory; 'i', 'l': whole number of 4, 8 bytes; 'f': float */
    char size_of; /* 'm', 'n', 'k': the value is the shape's; 0: it is value */
    size_t at;
    double value;
} hook_word;

typedef struct hook {
    const char *given;    /* as on the command line; NULL: there is none */
    char file[PATH_SIZE]; /* "" for a hook that tc brings */
    char name[TEXT_SIZE];
    int pair;  /* .epi2 */
    int size;  /* of its arguments, or TC_NO_ARGS */
    int words; /* how they are filled; what no word covers is 0 */
    hook_word word[TC_EPI_MAX / 4];
} hook;

/* A device, or what is assumed without one. */
typedef struct device {
    int present, cc, sms, emulated;
    size_t l2;
    char name[TEXT_SIZE];
    char why[TEXT_SIZE]; /* of present = 0 */
} device;

typedef struct request {
    int a, d; /* TC_ types */
    hook epi;
    char arch[32]; /* sm_90a */
    char include[PATH_SIZE];
    char work[PATH_SIZE]; /* directory for what is compiled; removed at the end */
    const char *cuda;     /* --cuda: the toolkit's directory, or NULL */
    const char *more[16]; /* --include besides that of the headers */
    int mores;
    int gen; /* 90 or 80; 0: both */
    int candidates, jobs, list, compile_only, no_cublas;
    double seconds;
    int format; /* 't', 'c', 'j' */
    shape *shapes;
    int shape_count;
    device dev;
} request;

/* ---- a kernel: compiled once, whatever number of shapes wants it ---- */
enum { KERNEL_TODO, KERNEL_READY, KERNEL_BAD };
typedef struct kernel {
    tc_gemm_config c;       /* as given: what was not set is 0 */
    int gen;                /* 90 or 80; 0: the reference */
    char fields[FIELDS_SIZE]; /* ".bm = 64, .bn = 128": what makes it this candidate */
    const char *own;        /* TC_GEMM_DEFINE has this tile under this name; NULL: it has not */
    int state, registers, spills, smem, stages;
    double compile_s;
    char path[PATH_SIZE]; /* path.ptx, path.cubin, path.log */
    char why[512];        /* of KERNEL_BAD */
} kernel;

/* A kernel at a shape. */
typedef struct trial {
    kernel *k;
    double estimate; /* seconds, roughly: for the order of candidates only */
    int wrong, rounds, asleep;
    char why[512]; /* why it was not measured, or what is wrong with its result */
    double time[MOST_ROUNDS], ratio[MOST_ROUNDS];
    double median_time, median_ratio, low, high;
} trial;

typedef struct trials {
    shape s;
    trial *t;
    int count;
    int legal;  /* of how many they are the best by estimate */
    int cublas; /* ratios are to cuBLASLt; otherwise to the first candidate */
    double cublas_time;
    double tried_s;
} trials;

/* ---- main.c ---- */
_Noreturn void tune_fail(int status, const char *format, ...) FORMAT(2, 3);
void *tune_alloc(size_t size);
void tune_print(char *out, size_t size, const char *format, ...) FORMAT(3, 4);
double tune_now(void);

/* ---- candidates.c ---- */
void candidates_try(const char *text);             /* --try field=value,value */
void candidates_help(FILE *f);                     /* the table of fields */
trials candidates_make(const request *r, shape s); /* at most r->candidates, best estimate first */
tc_gemm_config candidate_complete(const kernel *k);
int candidate_smem(const kernel *k);
const char *candidate_generator(const kernel *k);

/* ---- compile.c ---- */
void compile_start(request *r);                                                 /* NVRTC and the headers are there */
void compile_kernels(const request *r, kernel **kernels, int count);            /* each becomes READY or BAD */
void compile_fields(const request *r, const kernel *k, char *out, size_t size); /* all that a generator is given */
extern volatile int tune_stopped;                                               /* by a signal */

/* ---- hook.c ---- */
void hook_given(hook *h, const char *given, int pair); /* FILE:NAME, or a hook of tc's by its name */
void hook_size(hook *h, const char *bytes);            /* --epi-size */
void hook_args(hook *h, const char *words);            /* --epi-args */
void hook_check(const hook *h);                        /* when all options are read */
void hook_fill(const hook *h, shape s, uint64_t zeros, unsigned char *out); /* h->size bytes */

/* ---- libraries.c ---- */
void *library_open(const request *r, const char *base, const int *versions, char *why, size_t why_size);
void *library_find(void *library, const char *name);

/* ---- measure.c ---- */
device measure_device(void);
void measure_start(const request *r, kernel *reference);
void measure_shape(const request *r, trials *t);

/* ---- report.c ---- */
void report_progress(const char *what, int done, int of, const char *detail);
void report_clear(void);
void report_list(const request *r, const trials *t, int count);
void report_compiled(const request *r, kernel **kernels, int count);
void report_begin(const request *r);
void report_shape(const request *r, trials *t);
void report_end(const request *r);

#endif
