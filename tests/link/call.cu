/* call.cu - calls from another .cu file what kernels.cu defines. */
#include "tc.h"

TC_GEMM_DECLARE(link_gemm);
TC_ATTN_DECLARE(link_attn);

#define EXPORT extern "C" __attribute__((visibility("default")))
EXPORT tc_status link_call(const tc_gemm_args *args);
EXPORT tc_status link_call_attn(const tc_attn_args *args);
EXPORT const char *link_why(void);

tc_status link_call(const tc_gemm_args *args) { return link_gemm_run(args, 0); }
tc_status link_call_attn(const tc_attn_args *args) { return link_attn_can_run(args, NULL); }
const char *link_why(void) { return tc_why(); }
