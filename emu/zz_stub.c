#include "core.h"
__attribute__((weak)) int tc5_decode_mma(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n) { (void)m; (void)fn; return emu_decode_error(err, n, i, "not there yet"); }
