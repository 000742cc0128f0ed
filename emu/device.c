/* device.c - the devices that can be emulated, and the options, which the launcher passes in TCEMU_* variables.
 * The launcher links this file too, so it needs nothing from the other rooms. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#define TC_NO_HOST
#include "../tc_chip.h"
#include "device.h"
#include "model.h"

#define KB 1024
#define MB (1024 * 1024)
#define GB (1024ull * 1024 * 1024)

/* One line per chip; the options sm_90 and sm_90a differ only in what PTX they accept. What is a chip's, and not one
 * board's, the kit's table has (tc_chip.h): shared memory of a block, threads, the largest cluster. */
#define CHIP(sm, suffix, option, like, sms, smem, reserved, blocks, l2, khz, mem)                                     \
    { { option, "tcemu " option " (no GPU)", sm, suffix, sms, (smem) * KB, 48 * KB, TC_CHIP_##sm##_SMEM, reserved,    \
        65536, TC_CHIP_##sm##_THREADS, blocks, TC_CHIP_##sm##_CLUSTER, l2, khz, mem }, like }
#define CHIP_A(sm, like, ...) CHIP(sm, 0, "sm_" #sm, like, __VA_ARGS__), CHIP(sm, 'a', "sm_" #sm "a", like, __VA_ARGS__)
static const struct { emu_device d; const char *like; } chips[] = {
    CHIP(75, 0, "sm_75", "T4",      40,  64,  0,    16, 4 * MB,  1590000, 16 * GB),
    CHIP(80, 0, "sm_80", "A100",    108, 164, 1024, 32, 40 * MB,  1410000, 80 * GB),
    CHIP(86, 0, "sm_86", "A10",     72,  100, 1024, 16, 6 * MB,   1695000, 24 * GB),
    CHIP(87, 0, "sm_87", "Orin",    16,  164, 1024, 16, 4 * MB,   1300000, 32 * GB),
    CHIP(89, 0, "sm_89", "L40S",    142, 100, 1024, 24, 96 * MB,  2520000, 48 * GB),
    CHIP_A(90, "H200",              132, 228, 1024, 32, 60 * MB, 1980000, 141 * GB),
    CHIP_A(100, "B200",             148, 228, 1024, 32, 126 * MB, 1965000, 180 * GB),
    CHIP_A(103, "B300",             148, 228, 1024, 32, 126 * MB, 1920000, 270 * GB),
    CHIP_A(107, "Rubin",            224, 328, 1024, 16, 126 * MB, 1965000, 288 * GB),
    CHIP_A(110, "Thor",             20,  228, 1024, 24, 32 * MB, 1575000, 122 * GB),
    CHIP_A(120, "RTX 5090",         170, 100, 1024, 24, 96 * MB,  2407000, 32 * GB),
    CHIP_A(121, "GB10",             48,  100, 1024, 24, 24 * MB,  2418000, 119 * GB),
};
enum { NCHIPS = sizeof chips / sizeof *chips };

const emu_device *emu_device_find(const char *option)
{
    for (int i = 0; i < NCHIPS; ++i) if (!strcmp(chips[i].d.option, option)) return &chips[i].d;
    return NULL;
}

void emu_device_list(FILE *f)
{
    fprintf(f, "device    like       SMs  shared/SM  shared/block  threads/SM  blocks/SM  cluster\n");
    for (int i = 0; i < NCHIPS; ++i) {
        const emu_device *d = &chips[i].d;
        fprintf(f, "%-9s %-9s  %3d  %6d KB  %9d KB  %10d  %9d  ", d->option, chips[i].like, d->sms, d->smem_per_sm / KB,
            d->smem_optin / KB, d->threads_per_sm, d->blocks_per_sm);
        if (d->max_cluster > 1) fprintf(f, "%7d\n", d->max_cluster); else fprintf(f, "      -\n");
    }
}

int emu_number(const char *s, uint64_t *v)
{
    char *end;
    if (!*s || *s == '-') return -1;
    errno = 0;
    *v = strtoull(s, &end, 0);
    return *end || errno ? -1 : 0;
}

emu_options emu_opt;
int emu_error_exitcode = 86;
static emu_device device;        /* the chosen one, its memory cut to what this machine can carry */

static void number(const char *name, uint64_t *v)
{
    const char *s = getenv(name);
    if (s && *s && emu_number(s, v)) fprintf(stderr, "tcemu: %s=%s is not a number: ignored\n", name, s);
}

/* Runs before main() of the program. High priority: kernels may be launched from constructors. */
__attribute__((constructor(101))) static void options(void)
{
    const char *s = getenv("TCEMU_DEVICE");
    const emu_device *d = emu_device_find(s && *s ? s : EMU_DEFAULT_DEVICE);
    if (!d) {
        fprintf(stderr, "tcemu: TCEMU_DEVICE=%s is not a device that can be emulated: taking " EMU_DEFAULT_DEVICE "\n",
                s);
        d = emu_device_find(EMU_DEFAULT_DEVICE);
    }
    device = *d;
    /* programs that take most of the free memory should still fit, with the shadow of it that the checks need */
    size_t ram = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    if (device.memory > ram / 2) device.memory = ram / 2 & ~(size_t)(MB - 1);

    uint64_t seed = 1, schedule = 0, threads = 0, checks = 1, verbose = 0, stats = 0, code = 86,
             hang = EMU_DEFAULT_HANG, timeout = 0, sms = 0, strict = 0;
    number("TCEMU_SEED", &seed); number("TCEMU_SCHEDULE", &schedule); number("TCEMU_THREADS", &threads);
    number("TCEMU_CHECKS", &checks);
    number("TCEMU_VERBOSE", &verbose); number("TCEMU_STATS", &stats); number("TCEMU_HANG", &hang);
    number("TCEMU_TIMEOUT", &timeout); number("TCEMU_ERROR_EXITCODE", &code);
    number("TCEMU_SMS", &sms); number("TCEMU_STRICT", &strict);
    if (sms && sms < 100000) device.sms = (int)sms;
    if (!threads) { long n = sysconf(_SC_NPROCESSORS_ONLN); threads = n > 0 ? (uint64_t)n : 1; }
    if (threads > 1024) threads = 1024;
    emu_opt = (emu_options){ .device = &device, .seed = seed, .schedules = (int)schedule, .stats = (int)stats,
                             .threads = (int)threads, .checks = checks != 0, .verbose = (int)verbose,
                             .strict = strict != 0, .hang = hang, .timeout = timeout };
    s = getenv("TCEMU_MODEL");
    emu_opt.model = s && *s ? emu_model_device(s) : NULL;
    s = getenv("TCEMU_MODEL_SVG");
    emu_opt.model_svg = s && *s ? s : NULL;
    s = getenv("TCEMU_MODEL_KERNEL");
    emu_opt.model_kernel = s && *s ? s : NULL;
    s = getenv("TCEMU_JSON");
    if (s && *s) { emu_opt.json = 1; emu_opt.json_path = strcmp(s, "-") ? s : NULL; }
    emu_error_exitcode = (int)(code & 255);
}
