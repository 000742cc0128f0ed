/* device.h - the table of devices, for the launcher and the library */
#ifndef EMU_DEVICE_H
#define EMU_DEVICE_H
#include <stdio.h>
#include "emu.h"

#define EMU_DEFAULT_DEVICE "sm_90a"
#define EMU_DEFAULT_HANG 4000000000ull

const emu_device *emu_device_find(const char *option);      /* "sm_90a"; NULL: there is none */
void emu_device_list(FILE *f);
int emu_number(const char *s, uint64_t *v);                 /* decimal, 0x, 0; -1: not a number */
/* exit status of a program that returned 0, yet errors were reported */
extern int emu_error_exitcode;
#endif
