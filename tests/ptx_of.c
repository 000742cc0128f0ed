/* ptx_of.c - the PTX of one target out of a program that nvcc built: the very text that the tests run.
 *     build/tests/ptx_of PROGRAM TARGET > FILE        TARGET: 80, 90a, 100f, ...
 * Status 1 and nothing on stdout where the program has no PTX of just that target, 2 where it cannot be read. */
#include "../emu/fatbin.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t MAGIC = 0xba55ed50u; /* of a fat binary, which lies at a multiple of 8 bytes */

int main(int argc, char **argv)
{
    char *end = 0;
    const long arch = argc == 3 ? strtol(argv[2], &end, 10) : 0;
    if (arch <= 0 || (*end && end[1])) {
        fprintf(stderr, "usage: ptx_of PROGRAM TARGET, as in ptx_of build/tests/gemm_fuzz 90a\n");
        return 2;
    }
    FILE *f = fopen(argv[1], "rb");
    long size = -1;
    if (f && !fseek(f, 0, SEEK_END)) size = ftell(f);
    uint8_t *image = size > 0 ? malloc((size_t)size) : 0;
    if (!image || fseek(f, 0, SEEK_SET) || fread(image, 1, (size_t)size, f) != (size_t)size) {
        fprintf(stderr, "ptx_of: %s cannot be read\n", argv[1]);
        return 2;
    }
    fclose(f);
    size_t found = 0;
    for (size_t i = 0; i + sizeof MAGIC <= (size_t)size; i += 8) {
        if (memcmp(image + i, &MAGIC, sizeof MAGIC)) continue;
        uint16_t header; /* its bytes, and those behind it: this one alone, and not what follows in the section */
        uint64_t payload;
        if (i + 16 > (size_t)size) break;
        memcpy(&header, image + i + 6, sizeof header);
        memcpy(&payload, image + i + 8, sizeof payload);
        fatbin_ptx p;
        if (payload > (size_t)size - i || header > (size_t)size - i - payload
            || fatbin_find_ptx(image + i, header + (size_t)payload, (int)arch, *end, &p) < 0)
            continue;
        if (p.arch == arch && p.suffix == *end) { /* not what the target could run as well */
            if (found++) {
                fprintf(stderr, "ptx_of: %s has several fat binaries with PTX of sm_%s\n", argv[1], argv[2]);
                return 2;
            }
            if (fwrite(p.text, 1, p.length, stdout) != p.length) return 2;
        }
        free(p.text);
    }
    free(image);
    return found ? 0 : 1;
}
