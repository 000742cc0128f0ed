/* model_device.c - boards that --model knows, for the launcher and the library: what each resource does in a cycle. */
#include <string.h>
#include "model.h"

/* ---- Devices. Each figure's source is in docs/model.md, "Rates". ---- */
#define HOPPER .target = "sm_90a", .sms = 132, .ghz = 1.830, .mma_16 = 4096, .mma_tf32 = 2048, .mma_8 = 8192, \
    .mma_s8 = 8192, .mma_64 = 256, .sync = 0.625, .dense = 989.4, .smem = 128, .l2_in = 64, .l2_out = 64,     \
    .fma = 1, .alu = 2, .cvt = 2, .xu = 8, .start = 1150, .load = 483, .ld = 263, .sync_latency = 30
static const model_device devices[] = {
    {.option = "h100", .name = "H100 SXM", HOPPER, .dram = 3350},
    {.option = "h200", .name = "H200 SXM", HOPPER, .dram = 4800},
    {.option = "b200", .name = "B200", .target = "sm_100a", .sms = 148, .ghz = 1.856, .mma_16 = 8192, .mma_tf32 = 4096,
     .mma_8 = 16384, .mma_s8 = 16384, .mma_4 = 32768, .mma_64 = 128, .sync = 0.25, .dense = 2250, .smem = 128,
     .l2_in = 64, .l2_out = 64, .dram = 8000, .tmem_in = 128, .tmem_out = 128, .fma = 1, .alu = 2, .cvt = 2, .xu = 8,
     .start = 1150, .load = 1200, .ld = 263, .sync_latency = 30},
    {.option = "rtx5090", .name = "GeForce RTX 5090", .target = "sm_120a", .sms = 170, .ghz = 2.407, .mma_16 = 512,
     .mma_tf32 = 256, .mma_8 = 1024, .mma_s8 = 2048, .mma_4 = 4096, .mma_64 = 4, .sync = 1, .dense = 209.5,
     .smem = 128, .l2_in = 64, .l2_out = 64, .dram = 1792, .fma = 1, .alu = 1, .cvt = 2, .xu = 8, .start = 1150,
     .load = 1200, .ld = 263, .sync_latency = 30},
    {0}};

const model_device *emu_model_device(const char *option)
{
    for (const model_device *d = devices; d->option; d++) if (!strcmp(d->option, option)) return d;
    return NULL;
}
void emu_model_list(FILE *f)
{
    for (const model_device *d = devices; d->option; d++)
        fprintf(f, "%-8s %s, %d multiprocessors, %.3f GHz, %.0f TFLOP/s dense with 16 bits, as %s\n", d->option,
                d->name, d->sms, d->ghz, d->dense, d->target);
}
