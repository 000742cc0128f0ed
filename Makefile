# Makefile - builds the examples, tests and benchmarks of tc. The headers need no building: copy tc*.h, or make install.
#   make help    says what there is
#   ARCHS        targets to build for, e.g. ARCHS="80 90a"; default: the GPU that is here; without one PTX for sm_90a,
#                and of most tests for sm_80 too, which tcemu runs on the CPU
#   NVCC, CC     compilers; nvcc from PATH or /usr/local/cuda

NVCC ?= $(shell command -v nvcc 2>/dev/null || { test -x /usr/local/cuda/bin/nvcc && echo /usr/local/cuda/bin/nvcc; })
CUDA_HOME ?= $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC) 2>/dev/null)))
# make NVCC=... means that toolkit's headers and libraries too, also where the environment names another
ifeq ($(origin NVCC)$(origin CUDA_HOME),command lineenvironment)
override CUDA_HOME := $(patsubst %/bin/nvcc,%,$(realpath $(shell command -v $(NVCC) 2>/dev/null)))
endif
# tests change directory
ifeq ($(origin NVCC)$(findstring /,$(NVCC)),command line/)
override NVCC := $(abspath $(NVCC))
endif
PREFIX ?= /usr/local
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
B = build

GPU := $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -n 1 | tr -d . | grep -E '^[0-9]+$$')
# Hopper and Blackwell have instructions that only the "a" target of the chip knows
ifeq ($(GPU)$(origin ARCHS),undefined)
ARCHS = 80 90a
GENCODE = $(foreach a,$(ARCHS),-gencode arch=compute_$(a),code=compute_$(a))
else
ARCHS ?= $(GPU)$(if $(filter 90 100 103 107 110 120 121,$(GPU)),a)
GENCODE = $(foreach a,$(ARCHS),-gencode arch=compute_$(a),code=[sm_$(a),compute_$(a)])
endif
# what runs a CUDA program here: nothing but itself on a GPU, tcemu elsewhere
TCEMU = $(if $(GPU),,$(B)/tcemu)
# in tcemu the host's part is waited for by nobody, and gcc's -O3 of what the generators make of it takes a fifth of a
# build; kernels nvcc optimises either way
# and not all kernels: tests leave out those whose paths others take (make fuzz has them), an example has one tile of
# TC_GEMM_DEFINE's lists, but for 22, which tests/check_ptx.sh looks at
SOME_KERNELS = $(if $(GPU),,-DSOME_KERNELS)
ONE_TILE = $(if $(GPU),,-DTC__GEMM_ONE_TILE)
$(B)/examples/22_gemm_bias_gelu: ONE_TILE =
NVCCFLAGS = -std=c++17 $(if $(GPU),-O3,-Xcompiler -O1) -lineinfo -I. $(GENCODE) -cudart shared --no-compress

# the types of cuBLAS, which a toolkit of tests/toolkits.sh has not
ifeq ($(wildcard $(CUDA_HOME)/include/cublas_v2.h),)
NVCCFLAGS += -isystem /usr/local/cuda/include
endif

# a file that changes with the flags and the compiler, so that other ARCHS and another NVCC build anew
BUILT_BY = printf '%s\n' '$(NVCCFLAGS)' '$(NVCC)'
$(shell mkdir -p $(B); $(BUILT_BY) | cmp -s - $(B)/nvccflags || $(BUILT_BY) > $(B)/nvccflags)

# a toolkit that compiles for sm_107 (tests/toolkits.sh 13.5), where nvcc here does not; a newer one may be NVCC itself
NEWER := $(or $(filter $(abspath $(B)/toolkits)/%,$(NVCC)),$(abspath $(wildcard $(B)/toolkits/13.5/bin/nvcc)))

HEADERS = $(sort $(wildcard tc*.h))
EXAMPLES = $(patsubst examples/%.cu,%,$(wildcard examples/*.cu))
TESTS = unit_device unit_kernel gemm_fuzz gemm_types gemm_f32 gemm_simt gemm_bits gemm_bits_sm75 bad_input debug_hang unit_mma unit_wmma unit_tcgen05 unit_types unit_wgmma unit_tma emu_runtime attn_fuzz attn_bad_input attn_decode attn_mla attn_append gemm_sm100 gemm_groups gemm_each attn_bwd attn_bwd_bad_input attn_dropout attn_sm100 attn_sm120 attn_sm120_plain gemm_mixed gemm_mixed_sm80 gemm_mixed_sm100 gemm_outputs gemm_outputs_sm100 gemm_gate gemm_gate_sm100 gemm_gate_sm120 gemm_quant gemm_quant_sm100 gemm_mix_sm100 gemm_sm120 gemm_groups_sm100 gemm_groups_sm120 gemm_sparse gemm_sparse_sm120 gemm_sparse_sm100 conv gemm_tiles gemm_tail attn_fp8 gemm_b2b rows gemm_rows gemm_edge gemm_chain gemm_once $(if $(NEWER),gemm_sm107 attn_sm107)

# those that have more configurations than `make test` builds
FUZZ = gemm_fuzz gemm_types gemm_f32 attn_fuzz attn_sm120 gemm_groups gemm_each gemm_mixed gemm_mixed_sm80 gemm_gate gemm_quant attn_bwd conv gemm_tiles attn_fp8 gemm_b2b gemm_bits gemm_outputs gemm_sm100

# programs of the host; each has a rule of its own below
HOST_TESTS = unit_host unit_plan unit_op unit_desc unit_tmap nvrtc single_nvrtc nvrtc_run emu_driver emu_model emu_rubin emu_num emu_fatbin emu_ptx_fuzz ptx_of

.PHONY: all run test bench plots bench-choice bench-attention bench-attention-bwd bench-groups bench-conv bench-model model tune check-ptx same-sass errors isa mutants lattice fuzz test-toolkit registers doc layouts clean help nvcc
# what takes nvcc minutes comes first, so that -j2 ends together
LONG = gemm_types attn_fuzz gemm_fuzz bad_input
all: $(LONG:%=$(B)/tests/%) emu $(EXAMPLES:%=$(B)/examples/%) $(TESTS:%=$(B)/tests/%) $(HOST_TESTS:%=$(B)/tests/%) \
	$(B)/tc_layout $(B)/tc_tune $(B)/types_doc

help:
	@echo "make              build everything"
	@echo "make run          the main examples: GEMMs with fused epilogues, checked; at LLM shapes beside cuBLAS on a GPU,"
	@echo "                  at small ones in tcemu without"
	@echo "make test         all tests; on a machine without a GPU the kernels run in tcemu; ONLY='attn*' runs those so named,"
	@echo "                  JOBS=1 one at a time"
	@echo "make emu          tcemu alone: build/tcemu ./program runs a CUDA program without a GPU (docs/tcemu.md)"
	@echo "make bench        GEMMs against cuBLASLt, about six minutes; writes bench/results/gemm.csv and draws docs/gemm_*.svg;"
	@echo "                  ARGS=\"--group small\", ARGS=--list and the like only print (bench/gemm.cu says what there is; needs a GPU)"
	@echo "make plots        draw docs/gemm_ratio.svg and docs/gemm_roofline.svg anew from bench/results/gemm.csv"
	@echo "make bench-choice  what TC_GEMM_DEFINE picks beside the best that it could: 200 shapes, or ARGS='--count 20 --seed 7'"
	@echo "make bench-attention   beside cuDNN's and flash attention in PyTorch, speed and error (needs a GPU and python3 with torch)"
	@echo "make bench-attention-bwd   its backward pass, the same"
	@echo "make bench-model       kernels with good and bad tiles, and a board's rates: what tcemu --model is held against (needs a GPU)"
	@echo "make model        tcemu --model's order of these kernels beside bench/results/model.csv, two minutes, no GPU (docs/model.md)"
	@echo "make bench-groups      many products in one launch, then beside PyTorch's (needs a GPU and python3 with torch)"
	@echo "make bench-conv        convolutions beside a GEMM of their size, then beside PyTorch's (needs a GPU and python3 with torch)"
	@echo "make tune SHAPE=\"m n k\"   find the best tile for a shape: build/tc_tune, which see: --help (needs a GPU and NVRTC)"
	@echo "make check-ptx    (minutes) no stack, spill, call or serialised wgmma in any kernel, for sm_80, sm_90a and others"
	@echo "make same-sass BASE=HEAD   machine code of every kernel at a revision and in the working tree, compared (needs nvdisasm;"
	@echo "                  ONLY=\"pattern\" of sources; tools/same_sass.sh says what the columns mean)"
	@echo "make errors       programs that must not compile: is the message in words, at the user's line?"
	@echo "make isa          every instruction in tcemu on each device that has it; wrappers and headers for each target (make test: some)"
	@echo "make mutants      delete each wait, fence and arrive of the skeleton tc_kernel.h in turn: does tcemu notice?"
	@echo "make lattice      random legal configurations of every generator against fp64; N=96 of them, SEED=, FAMILY='^attn', or LIMIT= seconds"
	@echo "make fuzz         the fuzz programs with all their configurations (make test builds the main ones); ARGS=5000, SEED="
	@echo "make test-toolkit V=13.5   tc with that toolkit, which pip brings: compiles, errors, check-ptx, examples, NVRTC;"
	@echo "                  make test NVCC=build/toolkits/13.5/bin/nvcc then has everything built and tested by it"
	@echo "make registers    (half an hour) writes build/registers.md: registers and spills of the examples' kernels, with"
	@echo "                  nvcc and with V=13.5; ONLY='0*' those so named"
	@echo "make layouts      draw docs/layouts anew (build/tc_layout --help: any other layout, as text or SVG)"
	@echo "make doc          write docs/isa.md and docs/types.md anew from the headers and tests/isa/variants.tsv"
	@echo "make single       all headers as one file, build/tc_single.h"
	@echo "make install PREFIX=/usr/local    headers, tcemu, tc_tune, manuals, CMake package, pkg-config file; DESTDIR=/stage before it"
	@echo "make install-headers              the same without the programs: needs no compiler"
	@echo "make uninstall PREFIX=/usr/local  removes what was installed there"
	@echo "make clean; ARCHS=\"80 90a\" overrides the targets (now: $(ARCHS))"

# a recipe only where nvcc is missing: behind one, make would put off what needs nvcc, and the long ones would come last
nvcc:
ifeq ($(and $(NVCC),$(shell command -v $(NVCC) 2>/dev/null)),)
	@echo "tc needs nvcc of the CUDA Toolkit 12.6 or later: not in PATH, not in /usr/local/cuda/bin; say make NVCC=/path/to/nvcc"; exit 1
endif

$(B)/examples/%: examples/%.cu examples/example.h examples/gemm_main.h examples/attn_main.h examples/tcgen05_main.h examples/nvfp4_main.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS:-O1=-O0) $(ONE_TILE) $< -o $@ -ldl

$(B)/tests/%: tests/%.cu tests/test.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(SOME_KERNELS) $< -o $@ -ldl -lpthread

$(foreach t,gemm_outputs gemm_outputs_sm100 gemm_gate gemm_gate_sm100 gemm_gate_sm120 gemm_tiles gemm_groups gemm_each gemm_quant gemm_quant_sm100 gemm_mixed gemm_mixed_sm80 gemm_mixed_sm100 gemm_sparse gemm_sparse_sm100 conv,$(B)/tests/$(t)): tests/gemm_problems.h
$(B)/tests/gemm_each $(B)/tests/gemm_groups $(B)/tests/gemm_groups_sm100 $(B)/tests/gemm_groups_sm120: tests/gemm_elements.h
$(B)/tests/gemm_gate $(B)/tests/gemm_gate_sm100 $(B)/tests/gemm_gate_sm120 $(B)/fuzz/gemm_gate: tests/gemm_refused.h
$(B)/tests/gemm_types: tests/gemm_fuzz.cu tests/gemm_types.h
$(B)/tests/gemm_f32: tests/gemm_fuzz.cu tests/gemm_f32.h
$(B)/tests/gemm_simt: tests/gemm_fuzz.cu tests/gemm_simt.h
$(B)/tests/gemm_bits_sm75: tests/gemm_bits.cu
$(B)/tests/gemm_sm100: tests/gemm_fuzz.cu tests/gemm_sm100.h tests/gemm_scaled.h tests/gemm_refused.h
$(B)/tests/gemm_mix_sm100: tests/gemm_fuzz.cu tests/gemm_mix_sm100.h tests/gemm_scaled.h
$(B)/tests/gemm_sm120: tests/gemm_fuzz.cu tests/gemm_sm120.h tests/gemm_scaled.h tests/gemm_refused.h
$(B)/tests/attn_fuzz $(B)/tests/attn_bwd $(B)/tests/attn_decode $(B)/tests/attn_sm100 $(B)/tests/attn_sm120 $(B)/tests/attn_sm120_plain: tests/attn_memory.h tests/attn_tensors.h
$(B)/tests/attn_sm100: tests/attn_fuzz.cu tests/attn_sm100.h
$(B)/tests/attn_sm120 $(B)/tests/attn_sm120_plain $(B)/fuzz/attn_sm120: tests/attn_fuzz.cu tests/attn_sm120.h
$(B)/tests/attn_sm120_plain: tests/attn_sm120.cu
$(B)/tests/attn_mla: tests/attn_decode.cu tests/attn_memory.h
$(B)/tests/attn_append: tests/attn_memory.h
$(B)/tests/rows $(B)/tests/gemm_rows: tests/attn_memory.h tests/rows.h
$(B)/tests/gemm_edge: tests/attn_memory.h
$(B)/tests/attn_fp8 $(B)/tests/attn_dropout: tests/attn_memory.h tests/refused.h
$(B)/tests/gemm_sparse_sm100: tests/gemm_sparse.cu tests/gemm_sparse_sm100.h
$(B)/tests/gemm_quant_sm100: tests/gemm_quant.cu
$(B)/tests/gemm_outputs_sm100: tests/gemm_outputs.cu
$(B)/tests/gemm_gate_sm100 $(B)/tests/gemm_gate_sm120: tests/gemm_gate.cu
$(B)/tests/gemm_mixed_sm80 $(B)/tests/gemm_mixed_sm100 $(B)/fuzz/gemm_mixed_sm80: tests/gemm_mixed.cu
$(B)/tests/gemm_groups_sm100 $(B)/tests/gemm_groups_sm120: tests/gemm_groups.cu
$(B)/tests/gemm_sparse_sm120: tests/gemm_sparse.cu tests/gemm_sparse_sm120.h tests/gemm_told.h tests/gemm_problems.h
$(B)/tests/gemm_sm107: tests/gemm_sm100.cu tests/gemm_fuzz.cu tests/gemm_sm107.h tests/gemm_scaled.h
$(B)/tests/attn_sm107: tests/attn_sm100.cu tests/attn_fuzz.cu tests/attn_sm107.h tests/attn_memory.h tests/attn_tensors.h

# tcgen05 runs in tcemu as sm_100a and sm_103a; the instructions that the sm_120 family alone has as sm_120a
ifeq ($(GPU)$(origin ARCHS),file)
# in tcemu as what it is unless told, a Hopper GPU
$(B)/examples/% $(foreach t,attn_fp8 attn_mla debug_hang gemm_mixed gemm_tail gemm_chain gemm_once unit_wgmma,$(B)/tests/$(t)): GENCODE = -gencode arch=compute_90a,code=compute_90a
$(B)/tests/unit_tcgen05 $(B)/tests/gemm_sm100 $(B)/fuzz/gemm_sm100 $(B)/tests/gemm_sparse_sm100: GENCODE = $(foreach a,100a 103a,-gencode arch=compute_$(a),code=compute_$(a))
$(B)/examples/3% $(B)/tests/gemm_quant_sm100 $(B)/tests/gemm_outputs_sm100 $(B)/tests/gemm_gate_sm100: GENCODE = -gencode arch=compute_100a,code=compute_100a
# one PTX for both of them, and for sm_120a and sm_121a
$(B)/tests/attn_sm100 $(B)/tests/gemm_groups_sm100 $(B)/tests/gemm_mix_sm100 $(B)/tests/gemm_mixed_sm100: GENCODE = -gencode arch=compute_100f,code=compute_100f
$(B)/examples/36_sm120_nvfp4 $(B)/tests/gemm_sm120 $(B)/tests/gemm_groups_sm120 $(B)/tests/gemm_sparse_sm120 $(B)/tests/gemm_gate_sm120 $(B)/tests/attn_sm120 \
$(B)/fuzz/attn_sm120: GENCODE = \
	-gencode arch=compute_120f,code=compute_120f
$(B)/tests/attn_sm120_plain: GENCODE = -gencode arch=compute_120,code=compute_120
# in tcemu as sm_80, 86, 89 and 120a
$(B)/tests/gemm_mixed_sm80: GENCODE = -gencode arch=compute_80,code=compute_80
# in tcemu as sm_80, 86, 89, 90a; 120a
$(B)/tests/gemm_bits: GENCODE = $(foreach a,80 100,-gencode arch=compute_$(a),code=compute_$(a))
# in tcemu as sm_75
$(B)/tests/gemm_simt $(B)/tests/gemm_bits_sm75: GENCODE = -gencode arch=compute_75,code=compute_75
$(B)/tests/unit_mma: GENCODE += -gencode arch=compute_100a,code=compute_100a -gencode arch=compute_120a,code=compute_120a
$(B)/tests/unit_types $(B)/tests/unit_tma: GENCODE += -gencode arch=compute_100a,code=compute_100a
endif
ifneq ($(NEWER),)
$(B)/examples/35_tcgen05_gemm_sm107 $(B)/tests/gemm_sm107 $(B)/tests/attn_sm107: override NVCC = $(NEWER)
$(B)/examples/35_tcgen05_gemm_sm107 $(B)/tests/gemm_sm107 $(B)/tests/attn_sm107: GENCODE = -gencode arch=compute_107a,code=compute_107a
endif

$(B)/tests/unit_host: tests/unit_host.c tests/test.h $(HEADERS) emu/device.c emu/model_device.c emu/device.h | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -isystem $(CUDA_HOME)/include $< emu/device.c emu/model_device.c -o $@ -L$(CUDA_HOME)/lib64 -Wl,-rpath,$(CUDA_HOME)/lib64 -lcudart -lm

$(B)/tests/unit_plan: tests/unit_plan.c tests/test.h $(HEADERS) | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -isystem $(CUDA_HOME)/include $< -o $@ -L$(CUDA_HOME)/lib64 -Wl,-rpath,$(CUDA_HOME)/lib64 -lcudart -lm

$(B)/tests/unit_op $(B)/tests/unit_desc: $(B)/tests/%: tests/%.c tests/test.h $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -isystem $(CUDA_HOME)/include $< -o $@ -lm

# against a driver of its own: links no toolkit
$(B)/tests/unit_tmap: tests/unit_tmap.c tests/test.h $(HEADERS) | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Werror -isystem $(CUDA_HOME)/include $< -o $@ -lm

$(B)/tests/nvrtc $(B)/tests/single_nvrtc: $(B)/tests/%: tests/%.c tests/test.h | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -isystem $(CUDA_HOME)/include $< -o $@ -L$(CUDA_HOME)/lib64 -Wl,-rpath,$(CUDA_HOME)/lib64 -lnvrtc

# traps on overflow and division by 0: it asks about any configuration
$(B)/tests/nvrtc_run: tests/nvrtc_run.c tests/test.h $(HEADERS) $(B)/tc_single.h | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -Werror -fsanitize=signed-integer-overflow,integer-divide-by-zero -fsanitize-undefined-trap-on-error \
		-isystem $(CUDA_HOME)/include $< -o $@ -L$(CUDA_HOME)/lib64 -Wl,-rpath,$(CUDA_HOME)/lib64 -lnvrtc -lcudart -ldl -lm

include emu/emu.mk

# tests of tcemu's own rooms
$(B)/tests/emu_driver $(B)/tests/emu_model $(B)/tests/emu_rubin: $(B)/tests/%: tests/%.c tests/test.h | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -isystem $(CUDA_HOME)/include $< -o $@ -ldl
$(B)/tests/emu_num: tests/emu_num.cpp tests/test.h $(B)/emu/num.o | nvcc
	@mkdir -p $(@D)
	$(CXX) -std=c++17 -O2 -Wall -Wextra -isystem $(CUDA_HOME)/include tests/emu_num.cpp $(B)/emu/num.o -o $@ -lm
$(B)/tests/emu_fatbin: tests/emu_fatbin.c tests/test.h emu/fatbin.c emu/lz4.c emu/zstd.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra tests/emu_fatbin.c emu/fatbin.c emu/lz4.c emu/zstd.c -o $@ -lm
# no test, but what tests/check_ptx.sh takes PTX out of programs with
$(B)/tests/ptx_of: tests/ptx_of.c emu/fatbin.c emu/fatbin.h emu/lz4.c emu/zstd.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra tests/ptx_of.c emu/fatbin.c emu/lz4.c emu/zstd.c -o $@ -lm
$(B)/tests/emu_ptx_fuzz: tests/emu_ptx_fuzz.c tests/test.h emu/ptx.c emu/ptx_read.c emu/ptx_read.h emu/ptx.h
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 -Wall -Wextra tests/emu_ptx_fuzz.c emu/ptx.c emu/ptx_read.c -o $@ -lm

BENCH_KERNELS = $(patsubst %,$(B)/bench/gemm_kernel_%.o,0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
.SECONDARY: $(BENCH_KERNELS)
$(B)/bench/gemm_kernel_%.o: bench/gemm_kernels.cu $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -DKERNEL=$* -c $< -o $@
BENCH_H = bench/bench.h bench/record.h
$(B)/bench/%: bench/%.cu $(BENCH_H) bench/gemm_shapes.h $(BENCH_KERNELS)
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< $(BENCH_KERNELS) -o $@ -lcublasLt

# decoding: needs no kernel of the others
$(B)/bench/decode: bench/decode.cu bench/attn_rows.h $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

# 8-bit attention, latent attention: the same
$(B)/bench/attn_fp8: bench/attn_fp8.cu bench/bench.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

$(B)/bench/mla: bench/mla.cu bench/attn_rows.h $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

# attention's backward pass; BWD: what bench/attention_bwd.cu says
$(B)/bench/attention_bwd: bench/attention_bwd.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $(BWD) $< -o $@ -lcublasLt

$(B)/bench/attention_bwd.so: bench/attention_bwd.cu $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo $(GENCODE) -DBWD_LIBRARY -Xcompiler -fPIC -shared -Xlinker --exclude-libs=ALL $< -o $@

# attention for bench/attention.py; ATTN: what bench/attention.cu says. Static cudart, hidden: PyTorch brings its own
$(B)/bench/%.so: bench/attention.cu $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo $(GENCODE) $(ATTN) -Xcompiler -fPIC -shared -Xlinker --exclude-libs=ALL $< -o $@

# what it costs to write more than D
$(B)/bench/outputs: bench/outputs.cu $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@

$(B)/bench/groups: bench/groups.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt
$(B)/bench/groups.so: bench/groups.cu $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo -I. $(GENCODE) -DGROUPS_LIBRARY -Xcompiler -fPIC -shared -Xlinker --exclude-libs=ALL $< -o $@

$(B)/bench/conv: bench/conv.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt
$(B)/bench/conv.so: bench/conv.cu $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo -I. $(GENCODE) -DCONV_LIBRARY -Xcompiler -fPIC -shared -Xlinker --exclude-libs=ALL $< -o $@

# what tcemu --model is held against: kernels with good and bad tiles, and a board's own rates; Hopper's alone
$(B)/bench/model $(B)/bench/model_rates: GENCODE = -gencode arch=compute_90a,code=[sm_90a,compute_90a]
$(B)/bench/model: bench/model.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@
$(B)/bench/model_rates: bench/model_rates.cu bench/record.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@
$(B)/bench/model_sm100: bench/model_sm100.cu bench/record.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo -I. -gencode arch=compute_100a,code=compute_100a -cudart shared --no-compress $< -o $@
$(B)/bench/model_sm120: bench/model_sm120.cu bench/record.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) -std=c++17 -O3 -lineinfo -I. -gencode arch=compute_120a,code=compute_120a -cudart shared --no-compress $< -o $@
$(B)/model_rank: tools/model_rank.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra $< -o $@ -lm

# packed weights
$(B)/bench/mixed: bench/mixed.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

# not all of D, of k, of A
$(B)/bench/tiles: bench/tiles.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

# two products in a row
$(B)/bench/b2b: bench/b2b.cu bench/bench.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

# softmax of rows and their largest
$(B)/bench/rows: bench/rows.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt

# 2:4 sparse operands
$(B)/bench/sparse: bench/sparse.cu $(BENCH_H) $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) $< -o $@ -lcublasLt -ldl

run: $(if $(GPU),,emu) $(B)/examples/22_gemm_bias_gelu $(B)/examples/23_mlp_block
	$(TCEMU) $(B)/examples/22_gemm_bias_gelu
	$(TCEMU) $(B)/examples/23_mlp_block

# builds side by side also where nobody said -j; ONLY='attn*', JOBS=1 and the like reach tests/run.sh
test: nvcc
	@$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(JOBS)) all
	@NVCC="$(NVCC)" CUDA_HOME="$(CUDA_HOME)" sh tests/run.sh $(B) $(TCEMU)

PLOT = $(B)/bench_plot bench/results/gemm.csv docs/gemm_ratio.svg docs/gemm_roofline.svg
# the record and its plots are for the whole suite alone; a run with ARGS only prints. A shape that fails fails the run,
# but the record that says so is kept and drawn
bench: $(B)/bench/gemm $(B)/bench_plot
	@mkdir -p bench/results
	$(if $(ARGS),$(B)/bench/gemm $(ARGS),$(B)/bench/gemm --out bench/results/gemm.csv; rc=$$?; test $$rc = 2 || $(PLOT); exit $$rc)

$(B)/bench_plot: tools/bench_plot.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror $< -o $@ -lm
plots: $(B)/bench_plot
	$(PLOT)

# what TC_GEMM_DEFINE picks beside the best that it could have picked
bench-choice: $(B)/bench/choice
	@mkdir -p bench/results
	$(B)/bench/choice $(ARGS) | tee bench/results/choice.csv

bench-attention: $(B)/bench/attention.so
	@mkdir -p bench/results
	python3 bench/attention.py
	python3 bench/attention.py --accuracy
bench-attention-bwd: $(B)/bench/attention_bwd.so
	@mkdir -p bench/results
	python3 bench/attention_bwd.py

bench-model: $(B)/bench/model $(B)/bench/model_rates
	@mkdir -p bench/results
	$(B)/bench/model $(ARGS) > $(B)/model.csv && mv $(B)/model.csv bench/results/model.csv
	$(B)/bench/model_rates > $(B)/model_rates.csv && mv $(B)/model_rates.csv bench/results/model_rates.csv

# the busiest multiprocessor's share of the same problems
model: emu $(B)/bench/model $(B)/model_rank
	$(B)/tcemu --model h200 --sms 2 --no-checks --json=$(B)/model.json $(B)/bench/model --small > $(B)/model_small.csv
	$(B)/model_rank --least 0.9 $(B)/model.json $(B)/model_small.csv $(wildcard bench/results/model.csv)

bench-groups: $(B)/bench/groups $(B)/bench/groups.so
	$(B)/bench/groups $(ARGS)
	python3 bench/groups.py
bench-conv: $(B)/bench/conv $(B)/bench/conv.so
	$(B)/bench/conv $(ARGS)
	python3 bench/conv.py

# a program of the host alone: NVRTC, the driver and cuBLASLt are opened at run time
$(B)/tc_tune: $(wildcard tools/tune/*.c tools/tune/*.h) $(HEADERS) | nvcc
	@mkdir -p $(@D)
	$(CC) -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wpedantic -isystem $(CUDA_HOME)/include $(filter %.c,$^) -o $@ -ldl
tune: $(B)/tc_tune
	$(B)/tc_tune $(SHAPE)

check-ptx: $(B)/tests/ptx_of nvcc
	@NVCC="$(NVCC)" sh tests/check_ptx.sh $(B)/check_ptx $(B)

same-sass: nvcc
	@NVCC="$(NVCC)" NVDISASM="$(NVDISASM)" ONLY="$(ONLY)" TARGETS="$(TARGETS)" sh tools/same_sass.sh "$(BASE)" $(B)/same_sass

errors: nvcc
	@NVCC="$(NVCC)" GROUP="$(GROUP)" sh tests/errors.sh $(B)/errors

# every row of the ISA's table, in tcemu on each device that has it, assembled for each target
isa: emu nvcc
	@sh tests/isa.sh $(B)/isa_emulated $(B)/tcemu
	@EVERY=1 NVCC="$(NVCC)" CC="$(CC)" CXX="$(CXX)" JOBS=$(JOBS) sh tests/compile.sh
	@for f in async tcgen05 warp; do EVERY=1 NVCC="$(NVCC)" sh tests/cover_$$f.sh || exit 1; done

# does tcemu notice when one wait, fence, arrive or expect_tx of the skeleton is missing?
mutants: emu nvcc
	@NVCC="$(NVCC)" ALL=1 sh tests/mutants.sh $(B) $(B)/tcemu

# tc with another toolkit, which pip brings: all of tests/compile.sh, tests/errors.sh, check-ptx of what is shipped, the
# examples in tcemu, NVRTC; and the table of registers
V ?= 13.5
test-toolkit: emu nvcc
	@sh tests/toolkits.sh $(V)
	@for v in 12.8 12.9 $(V); do sh tests/toolkits.sh nvrtc $$v; done
	@JOBS=$(JOBS) CC="$(CC)" sh tests/with_toolkit.sh $(V) $(B) all
registers: nvcc
	@sh tests/toolkits.sh $(V)
	ONLY="$(ONLY)" JOBS=$(JOBS) sh tools/registers.sh "$(NVCC)" $(B)/toolkits/$(V)/bin/nvcc > $(B)/registers.md

# the fuzz programs with all their configurations, a random seed each time unless SEED says one; ARGS: problems each
fuzz: $(if $(GPU),,emu) $(FUZZ:%=$(B)/fuzz/%) nvcc
	@for p in $(FUZZ); do case $$p in *_sm1[02]0) on="$(if $(GPU),,--device sm_$${p##*_sm}a)" ;; *) on= ;; esac; \
		$(TCEMU) $$on $(B)/fuzz/$$p $(or $(ARGS),1000) $(SEED) || exit 1; done
$(B)/fuzz/%: tests/%.cu tests/test.h tests/gemm_fuzz.cu tests/gemm_types.h tests/gemm_f32.h tests/attn_memory.h tests/attn_tensors.h \
		tests/gemm_sm100.h tests/gemm_scaled.h tests/gemm_refused.h $(HEADERS) $(B)/nvccflags | nvcc
	@mkdir -p $(@D)
	$(NVCC) $(NVCCFLAGS) -DFUZZ_ALL -DGROUPS_ALL -DMIXED_ALL -DQUANT_ALL -DCONV_ALL -DTILES_ALL -DB2B_ALL -DMORE $< -o $@ -ldl -lpthread

# random legal configurations, compiled and run
lattice: $(if $(GPU),,emu) nvcc
	@NVCC="$(NVCC)" N="$(N)" SEED="$(SEED)" LIMIT="$(LIMIT)" FAMILY="$(FAMILY)" sh tests/lattice.sh $(B) $(TCEMU)

TC_LAYOUT = tools/tc_layout.c tools/tc_layout_picture.c tools/tc_layout_frag.c tools/tc_layout_smem.c
$(B)/tc_layout: $(TC_LAYOUT) tools/tc_layout.h $(HEADERS)
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -I. $(if $(CUDA_HOME),-isystem $(CUDA_HOME)/include) $(TC_LAYOUT) -o $@
layouts: $(B)/tc_layout
	sh docs/layouts/draw.sh $<

.PHONY: single install install-headers uninstall
# all headers as one file
single: $(B)/tc_single.h
$(B)/tc_single.h: tools/single.sh LICENSE $(HEADERS)
	@mkdir -p $(@D)
	sh tools/single.sh > $@.new && mv $@.new $@

# the page of every function, from the headers and the table; the page of types, from tc_op.h
$(B)/types_doc: tools/types_doc.c tc_op.h tc_chip.h tc_core.h
	@mkdir -p $(@D)
	$(CC) -std=c11 -O2 -Wall -Wextra -Wpedantic -Werror -I. $< -o $@
doc: $(B)/types_doc
	sh tools/isa_doc.sh
	$(B)/types_doc docs/types.md

install: emu $(B)/tc_tune
	@DESTDIR="$(DESTDIR)" sh tools/install.sh install "$(PREFIX)" $(B)
install-headers:
	@DESTDIR="$(DESTDIR)" sh tools/install.sh install "$(PREFIX)"
uninstall:
	@DESTDIR="$(DESTDIR)" sh tools/install.sh uninstall "$(PREFIX)"

clean:
	rm -rf $(B)
