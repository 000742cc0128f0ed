/* attn_mla.cu - random problems through the kernel of tc_attn_mla.h, against plain fp64 on the CPU; and its bad input.
 *     build/tests/attn_mla [configurations] [seed] [kernel]
 *
 * The program is tests/attn_decode.cu with other kernels: 1 to 128 heads over one cache whose first 512 columns are the
 * values, 1 to 4 queries. Blocks are told to be content with a single tile of keys, so that small problems are split.
 *
 * The bound is that of decoding: a probability is relative to the maximum of the tiles before it, which then meets that
 * of the tiles behind it (O is multiplied once for each tile where it rises, which is the bound's n / 16) and that of
 * other parts; and an element of O passes through one addition for each key and each part. */
#define ATTN_MLA
#define TC__MLA_LEAST 1
#include "attn_decode.cu"
