#!/usr/bin/env python3
"""groups.py - tc's grouped products beside torch._grouped_mm, bf16, and torch._scaled_grouped_mm, e4m3 with a factor
for each row of A and of B. Needs a GPU, torch 2.8 or later, build/bench/groups.so (make bench-groups).

    python3 bench/groups.py                          all cases; --case 2: one of them
    python3 bench/groups.py --kernels any pp_192     these kernels of bench/groups.cu alone (default: all that fit the
                                                     case); --rounds 7 --slice 0.015
    python3 bench/groups.py --cpu                    is everything in place? calls nothing

All contestants in one process, in turns, on the same inputs; a slice is a CUDA graph of calls of about 15 ms between
two events; the figure is the median over the rounds, the ratio that of the same round. D of each is compared with
PyTorch's. Rows: even, or dealt out in shares of exp(0.7 * normal), as bench/groups.cu does.
"""

import ctypes
import math
import os
import sys

from measure import contest, options, torch_for

E4M3 = 4  # groups_few's number for it
CASES = [  # name, groups, rows, n, k, few rows a group or E4M3
    ("8 experts", 8, 8192, 14336, 4096, 0),
    ("32 experts", 32, 8192, 4096, 7168, 0),
    ("32 experts, down", 32, 8192, 7168, 2048, 0),
    ("64 experts, decoding", 64, 512, 4096, 7168, 1),
    ("8 experts, e4m3", 8, 8192, 14336, 4096, E4M3),
    ("32 experts, e4m3", 32, 8192, 4096, 7168, E4M3),
    ("32 experts, down, e4m3", 32, 8192, 7168, 2048, E4M3),
]


def deal(groups, rows, uneven):
    """Where each group's rows end: what deal() of bench/groups.cu says."""
    state, shares = 88172645463325252, []
    for _ in range(groups):
        normal = 0.0
        for _ in range(12):
            state ^= state << 13 & 0xFFFFFFFFFFFFFFFF
            state ^= state >> 7
            state ^= state << 17 & 0xFFFFFFFFFFFFFFFF
            normal += (state >> 11) / 9007199254740992.0 - 0.5
        shares.append(math.exp(0.7 * normal) if uneven else 1.0)
    ends, total = [], 0.0
    for share in shares:
        total += share
        ends.append(int(rows * (total / sum(shares)) + 0.5))
    ends[-1] = rows
    return ends


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.groups_why.restype = self.lib.groups_name.restype = ctypes.c_char_p
        self.lib.groups_run.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
        self.names = []
        while self.lib.groups_name(len(self.names)):
            self.names.append(self.lib.groups_name(len(self.names)).decode())

    def for_case(self, few):
        both = () if few == E4M3 else (2,)
        return [name for i, name in enumerate(self.names) if self.lib.groups_few(i) in (few, *both)]

    def caller(self, name, a, b, d, ends, torch, factors=()):
        number = self.names.index(name)
        pointers = (ctypes.c_void_p * 6)(*(x.data_ptr() for x in (a, b, d, ends, *factors)))
        sizes = (ctypes.c_int * 4)(b.shape[0], a.shape[0], b.shape[1], b.shape[2])

        def call():
            if self.lib.groups_run(number, pointers, sizes, torch.cuda.current_stream().cuda_stream):
                raise RuntimeError(self.lib.groups_why().decode())

        return call


def measure(torch, library, case, uneven, o):
    name, groups, rows, n, k, few = case
    generator = torch.Generator(device="cuda").manual_seed(1)

    def random(*shape):
        x = torch.empty(*shape, device="cuda", dtype=torch.bfloat16)
        return x.normal_(generator=generator)

    a, b = random(rows, k), random(groups, n, k)
    where = deal(groups, rows, uneven)
    ends = torch.tensor(where, device="cuda", dtype=torch.int32)
    busy = sum(where[i] > (where[i - 1] if i else 0) for i in range(groups))
    d = torch.empty(rows, n, device="cuda", dtype=torch.bfloat16)
    kernels = o.kernels or library.for_case(few)
    contests = []  # with what torch does, and its name
    if few == E4M3:
        a8, b8 = a.to(torch.float8_e4m3fn), b.to(torch.float8_e4m3fn)
        factors = [torch.rand(*shape, device="cuda", generator=generator) + 0.5 for shape in ((rows,), (groups, n))]

        def scaled(fast):
            return lambda: torch._scaled_grouped_mm(
                a8, b8.transpose(-2, -1), *factors, offs=ends, out_dtype=torch.bfloat16, use_fast_accum=fast
            )

        for fast in (False, True):  # each beside its like
            calls = {"torch": scaled(fast)}
            for kernel in kernels:
                if kernel.endswith("fast") == fast:
                    calls[kernel] = library.caller(kernel, a8, b8, d, ends, torch, factors)
            contests.append(("torch_fast" if fast else "torch", calls))
    else:
        calls = {"torch": lambda: torch._grouped_mm(a, b.transpose(-2, -1), offs=ends)}
        for kernel in kernels:
            calls[kernel] = library.caller(kernel, a, b, d, ends, torch)
        contests.append(("torch", calls))
    for of_torch, calls in contests:
        for kernel, (seconds, ratio) in contest(torch, calls, d, o).items():
            print(
                f"{name},{groups},{rows},{n},{k},{'uneven' if uneven else 'even'},"
                f"{of_torch if kernel == 'torch' else kernel},{2e-12 * rows * n * k / seconds:.1f},"
                f"{(1 if few == E4M3 else 2) * 1e-12 * n * k * busy / seconds:.2f},{ratio:.3f}",
                flush=True,
            )


def main():
    o = options(__doc__, "build/bench/groups.so", "1 to %d" % len(CASES))
    library = Library(os.path.abspath(o.library))
    cases = CASES if o.case is None else CASES[o.case - 1 : o.case]
    if o.cpu:
        for case in cases:
            ends = deal(case[1], case[2], 1)
            rows = [e - (ends[i - 1] if i else 0) for i, e in enumerate(ends)]
            print(f"{case[0]}: uneven {min(rows)} to {max(rows)} rows; kernels {' '.join(library.for_case(case[5]))}")
        return
    torch = torch_for("groups.py")
    if not hasattr(torch, "_grouped_mm"):
        sys.exit(f"groups.py needs torch._grouped_mm, which torch {torch.__version__} does not have")
    print(f"# {torch.cuda.get_device_name()}; torch {torch.__version__} (CUDA {torch.version.cuda})")
    print("case,groups,m,n,k,rows,kernel,TFLOP/s,TB/s,over torch")
    for case in cases:
        for uneven in (0, 1):
            measure(torch, library, case, uneven, o)


if __name__ == "__main__":
    main()
