/* both_a.cu - one of the two, and the program: a call that fails here and one that fails there. */
#include "both.h"

tc_status both_b(int m);

int main(void)
{
    tc_gemm_args g;
    tc_attn_args t;
    memset(&g, 0, sizeof g);
    memset(&t, 0, sizeof t);
    g.m = -1;
    t.heads = -2;
    if (both_gemm_run(&g, 0) != TC_ERR_SIZE || strcmp(tc_why(), "m = -1 is negative") != 0) return printf("FAIL here: %s\n", tc_why()), 1;
    if (both_attn_run(&t, 0) != TC_ERR_SIZE || strcmp(tc_why(), "heads = -2 is negative") != 0) return printf("FAIL here: %s\n", tc_why()), 1;
    if (both_b(-7) != TC_ERR_SIZE || strcmp(tc_why(), "m = -7 is negative") != 0) return printf("FAIL there: %s\n", tc_why()), 1;
    return 0;
}
