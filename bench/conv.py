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

import argparse
import ctypes
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bench"))
from groups import Slice, median  # noqa: E402


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
    calls, slices, times = {}, {}, {}
    calls["torch"] = lambda: torch.nn.functional.conv2d(x, w, stride=stride, padding=pad)
    for kernel in o.kernels or library.names:
        calls[kernel] = library.caller(kernel, number, x, w, y, torch)
    reference = calls["torch"]().float()
    for kernel, call in calls.items():
        try:
            if kernel != "torch":
                y.fill_(float("nan"))
                call()
                off = ((y.float() - reference).square().mean() / reference.square().mean()).sqrt().item()
                if not off < 0.01:
                    raise RuntimeError(f"WRONG: differs from torch's by {off:.3g} (relative root mean square)")
            slices[kernel] = Slice(torch, call, o.slice)
            times[kernel] = []
        except RuntimeError as e:
            print(f"    {kernel}: n/a: {str(e).splitlines()[0][:160]}", file=sys.stderr)
    for r in range(o.rounds + 1):  # the first round warms up
        for kernel, s in slices.items():
            t = s.seconds()
            if r:
                times[kernel].append(t)
    flops = 2e-12 * n * out * out * k * c * filter_size**2
    for kernel, t in times.items():
        ratio = median([a / b for a, b in zip(times["torch"], t)]) if times.get("torch") else float("nan")
        print(f"{name},{kernel},{flops / median(t):.1f},{ratio:.3f}", flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(ROOT, "build/bench/conv.so"))
    p.add_argument("--case", type=int)
    p.add_argument("--kernels", nargs="+")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--slice", type=float, default=0.015)
    p.add_argument("--cpu", action="store_true")
    o = p.parse_args()
    if not os.path.exists(o.library):
        sys.exit(f"{o.library} is not there: make build/bench/conv.so")
    library = Library(os.path.abspath(o.library))
    numbers = range(len(library.cases)) if o.case is None else [o.case - 1]
    if o.cpu:
        for i in numbers:
            print(library.cases[i][0], *library.cases[i][1:])
        print("kernels", *library.names)
        return
    try:
        import torch
    except ImportError:
        sys.exit("conv.py needs PyTorch: no module torch here")
    torch.backends.cudnn.benchmark = True
    print(f"# {torch.cuda.get_device_name()}; torch {torch.__version__} (CUDA {torch.version.cuda}, cuDNN "
          f"{torch.backends.cudnn.version()})")
    print("case,kernel,TFLOP/s,over torch")
    for i in numbers:
        measure(torch, library, i, o)


if __name__ == "__main__":
    main()
