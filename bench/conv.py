#!/usr/bin/env python3
"""conv.py - tc's convolutions beside PyTorch's conv2d (cuDNN), channels_last, bf16. Needs a GPU, torch,
build/bench/conv.so (make bench-conv).

    python3 bench/conv.py                            all cases; --case 2: one of them
    python3 bench/conv.py --kernels any pair_128     these kernels of bench/conv.cu alone; --rounds 7 --slice 0.015
    python3 bench/conv.py --cpu                      is everything in place? calls nothing

All contestants in one process, in turns, on the same inputs; a slice is a CUDA graph of calls of about 15 ms between
two events; the figure is the median over the rounds, the ratio that of the same round. torch.backends.cudnn.benchmark
lets cuDNN try its algorithms first. Y of each is compared with PyTorch's.
"""

import ctypes
import os

from measure import contest, options, torch_for


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        for f in (self.lib.conv_why, self.lib.conv_name, self.lib.conv_case_of):
            f.restype = ctypes.c_char_p
        self.lib.conv_run.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        self.names, self.cases = [], []
        while self.lib.conv_name(len(self.names)):
            self.names.append(self.lib.conv_name(len(self.names)).decode())
        sizes = (ctypes.c_int * 7)()
        while True:
            name = self.lib.conv_case_of(len(self.cases), sizes)
            if not name:
                break
            self.cases.append((name.decode(), *sizes))

    def caller(self, name, case, x, w, y, torch):
        number = self.names.index(name)
        pointers = (ctypes.c_void_p * 3)(x.data_ptr(), w.data_ptr(), y.data_ptr())

        def call():
            if self.lib.conv_run(number, case, pointers, torch.cuda.current_stream().cuda_stream):
                raise RuntimeError(self.lib.conv_why().decode())

        return call


def measure(torch, library, number, o):
    name, n, c, k, size, filter_size, stride, pad = library.cases[number]
    generator = torch.Generator(device="cuda").manual_seed(1)
    last = torch.channels_last

    def random(*shape):
        x = torch.empty(*shape, device="cuda", dtype=torch.bfloat16).to(memory_format=last)
        return x.normal_(generator=generator)

    x, w = random(n, c, size, size), random(k, c, filter_size, filter_size)
    out = (size + 2 * pad - filter_size) // stride + 1
    y = torch.empty(n, k, out, out, device="cuda", dtype=torch.bfloat16).to(memory_format=last)
    calls = {"torch": lambda: torch.nn.functional.conv2d(x, w, stride=stride, padding=pad)}
    for kernel in o.kernels or library.names:
        calls[kernel] = library.caller(kernel, number, x, w, y, torch)
    flops = 2e-12 * n * out * out * k * c * filter_size**2
    for kernel, (seconds, ratio) in contest(torch, calls, y, o).items():
        print(f"{name},{kernel},{flops / seconds:.1f},{ratio:.3f}", flush=True)


def main():
    o = options(__doc__, "build/bench/conv.so")
    library = Library(os.path.abspath(o.library))
    numbers = range(len(library.cases)) if o.case is None else [o.case - 1]
    if o.cpu:
        for i in numbers:
            print(library.cases[i][0], *library.cases[i][1:])
        print("kernels", *library.names)
        return
    torch = torch_for("conv.py")
    torch.backends.cudnn.benchmark = True
    print(f"# {torch.cuda.get_device_name()}; torch {torch.__version__} (CUDA {torch.version.cuda}, cuDNN "
          f"{torch.backends.cudnn.version()})")
    print("case,kernel,TFLOP/s,over torch")
    for i in numbers:
        measure(torch, library, i, o)


if __name__ == "__main__":
    main()
