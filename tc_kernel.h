/* tc_kernel.h - umbrella while rooms move. */
#ifndef TC_KERNEL_H
#define TC_KERNEL_H
#include "tc_pipe.h"
#include "tc_host.h"
#include "tc_operand.h"
#include "tc_epi.h"
#define tc__pack tc_pack
#define tc__unpack tc_unpack
#endif
