# emu.mk - builds tcemu: $(B)/tcemu the launcher, $(B)/libtcemu.so the CUDA runtime and driver in software, and
# $(B)/emu/libcuda.so.1 and libcudart.so.13, which are the same library under the names that programs load the driver
# and the runtime by. Included by the Makefile; needs gcc and the toolkit's C headers.
EMU_SRC = $(filter-out emu/main.c,$(wildcard emu/*.c))
EMU_OBJ = $(EMU_SRC:emu/%.c=$(B)/emu/%.o)
EMU_CFLAGS = -std=gnu11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing \
	-fPIC -fvisibility=hidden -Wall -Wextra -pthread -I$(CUDA_HOME)/include

.PHONY: emu
emu: $(B)/tcemu $(B)/libtcemu.so $(B)/emu/libcuda.so.1 $(B)/emu/libcudart.so.13

$(B)/emu/%.o: emu/%.c
	@mkdir -p $(@D)
	$(CC) $(EMU_CFLAGS) -MMD -MP -c $< -o $@

# The library's own name is the driver's: where it is loaded already, dlopen("libcuda.so.1") finds it whatever the
# search path is.
# Programs ask for the version libcudart.so.13 of the runtime's functions: libtcemu.map says that there is one, and
# leaves the functions without
$(B)/libtcemu.so: $(EMU_OBJ) emu/libtcemu.map
	$(CC) -shared -pthread -Wl,-soname,libcuda.so.1 -Wl,--version-script=emu/libtcemu.map \
		-Wl,-Bsymbolic-functions -Wl,-z,defs $(EMU_OBJ) -o $@ -ldl -lm

$(B)/tcemu: $(B)/emu/main.o $(B)/emu/device.o $(B)/emu/model_device.o
	$(CC) -pthread $^ -o $@

$(B)/emu/libcuda.so.1: $(B)/libtcemu.so
	ln -sf ../libtcemu.so $@
	ln -sf libcuda.so.1 $(B)/emu/libcuda.so

# for dlopen(): it finds the library that is loaded already
$(B)/emu/libcudart.so.13: $(B)/libtcemu.so
	ln -sf ../libtcemu.so $@
	ln -sf libcudart.so.13 $(B)/emu/libcudart.so

-include $(wildcard $(B)/emu/*.d)
