#!/usr/bin/env python3
"""attention_bwd.py - tc's attention backward pass beside PyTorch's: cuDNN's and flash attention's. Needs a GPU, torch,
build/bench/attention_bwd.so (make bench-attention-bwd).

    python3 bench/attention_bwd.py                       all shapes; writes bench/results/attention_bwd_torch.csv
    python3 bench/attention_bwd.py --hd 128 --len 4096   some of them, --causal 0 or 1; writes nothing unless --csv FILE
                                                         is given; --rounds 7 --slice 0.015

All contestants in one process, in turns, on the same standard normal bf16 inputs; a slice is a CUDA graph of calls of
about 15 ms between two events, the figure is the median over the rounds, the ratio that of the same round. 16384
tokens, hidden size 2048: a call reads and writes more than any L2 holds. TFLOP/s: 2.5 times the forward pass's 4 *
batch * heads * length^2 * head_dim, half of it for causal. tc takes (batch, rows, heads, dim), and adds up dQ in a
fixed order ("tc") or by atomics ("tc fast"); PyTorch's operators take transposed views of the same tensors or
contiguous (batch, heads, rows, dim): the faster of the two stands, and is named. Gradients are compared with the first
of them that runs.
"""

import argparse
import ctypes
import math
import os
import sys

from measure import ROOT, Slice, header, median, relative, torch_for, turns

TOKENS, HIDDEN = 16384, 2048


def library(path):
    lib = ctypes.CDLL(path)
    lib.bwd_why.restype, lib.bwd_workspace.restype = ctypes.c_char_p, ctypes.c_size_t
    return lib


def ours(torch, lib, sizes, made):
    """A call, its (dQ, dK, dV) and what else it writes."""
    out = [torch.full_like(made[0], float("nan")) for _ in range(4)]  # O, dQ, dK, dV
    lse = torch.empty(sizes[3] * sizes[4] * sizes[5], device="cuda", dtype=torch.float32)
    pointers = (ctypes.c_void_p * 9)(*(x.data_ptr() for x in [*made, *out, lse]))
    numbers = (ctypes.c_int * 6)(*sizes)
    bytes_ = lib.bwd_workspace(numbers, pointers)
    room = torch.zeros(max(bytes_, 16), device="cuda", dtype=torch.uint8)

    def stream():
        return ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)

    def call():
        if lib.bwd_run(numbers, pointers, ctypes.c_void_p(room.data_ptr()), ctypes.c_size_t(bytes_), stream()):
            raise RuntimeError(lib.bwd_why().decode())
        return out[1:]

    if lib.bwd_forward(numbers, pointers, stream()):
        raise RuntimeError(lib.bwd_why().decode())
    call.keeps = (lse, room)
    return call


def theirs(torch, name, layout, causal, made):
    x = [t.transpose(1, 2) for t in made]
    q, k, v, do = x if layout == "bshd" else [t.contiguous() for t in x]
    op = torch.ops.aten
    if name == "cuDNN":
        o, lse, cq, ck, mq, mk, seed, offset, _ = op._scaled_dot_product_cudnn_attention(
            q, k, v, None, True, 0.0, causal, False
        )
        back = op._scaled_dot_product_cudnn_attention_backward
        rest = (o, lse, seed, offset, None, cq, ck, mq, mk, 0.0, causal)
    else:
        o, lse, cq, ck, mq, mk, seed, offset, _ = op._scaled_dot_product_flash_attention(q, k, v, 0.0, causal, False)
        back = op._scaled_dot_product_flash_attention_backward
        rest = (o, lse, cq, ck, mq, mk, 0.0, causal, seed, offset)
    return lambda: [t.transpose(1, 2) for t in back(do, q, k, v, *rest)]


def measure(torch, lib, shape, o):
    hd, causal, length = shape
    sizes = [hd, causal, 0, TOKENS // length, HIDDEN // hd, length]
    g = torch.Generator(device="cuda").manual_seed(1)
    size = (sizes[3], length, sizes[4], hd)
    made = [torch.randn(size, device="cuda", generator=g).bfloat16() for _ in range(4)]
    makers = {
        f"{name} {layout}": lambda name=name, layout=layout: theirs(torch, name, layout, bool(causal), made)
        for name in ("cuDNN", "flash")
        for layout in ("bshd", "bhsd")
    }
    makers["tc"] = lambda: ours(torch, lib, sizes, made)
    makers["tc fast"] = lambda: ours(torch, lib, [*sizes[:2], 1, *sizes[3:]], made)
    slices, reference, kept = {}, None, []  # kept: what graphs read must not go back to the allocator
    for name, make in makers.items():
        try:
            call = make()
            kept.append(call)
            found = [t.clone() for t in call()]
            if reference is None:
                reference = found
            for what, gradient, wanted in zip(("dQ", "dK", "dV"), found, reference):
                off = relative(gradient, wanted)
                if not off < 0.02:
                    raise RuntimeError(f"WRONG: {what} differs from the first one's by {off:.3g}")
            slices[name] = Slice(torch, call, o.slice)
        except Exception as e:
            print(f"    {name}: n/a: {(str(e).strip().splitlines() or [type(e).__name__])[0][:160]}", file=sys.stderr)
    return turns(slices, o.rounds)


def rate(shape, seconds):
    hd, causal, length = shape
    return 10.0 * TOKENS * length * HIDDEN / (2 if causal else 1) / seconds * 1e-12


def faster(times, name):
    """The faster of a contestant's layouts: its name, None if neither runs."""
    return min((n for n in times if n.startswith(name)), key=lambda n: median(times[n]), default=None)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hd", type=int, nargs="+", choices=[64, 128, 256])
    p.add_argument("--len", type=int, nargs="+")
    p.add_argument("--causal", type=int, nargs="+", choices=[0, 1])
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--slice", type=float, default=0.015)
    p.add_argument("--library", default=os.path.join(ROOT, "build", "bench", "attention_bwd.so"))
    p.add_argument("--csv")
    o = p.parse_args()
    if not o.csv and not (o.hd or o.len or o.causal):
        o.csv = os.path.join(ROOT, "bench", "results", "attention_bwd_torch.csv")
    if not os.path.exists(o.library):
        sys.exit(f"{o.library} is not there: make build/bench/attention_bwd.so")
    if o.rounds < 1:
        sys.exit(f"--rounds {o.rounds} must be 1 or more")
    torch = torch_for("attention_bwd.py")
    lib = library(os.path.abspath(o.library))
    out = open(o.csv, "w") if o.csv else None

    def put(line):
        print(line, flush=True)
        if out:
            print(line, file=out, flush=True)

    put(header(torch, lib.bwd_toolkit()))
    put("head_dim,causal,length,tc,tc fast,cuDNN,flash,tc/cuDNN,tc/flash,cuDNN layout,flash layout")
    for hd in o.hd or [64, 128]:
        for causal in o.causal if o.causal is not None else [0, 1]:
            logs = {"cuDNN": [], "flash": []}
            for length in o.len or [512, 1024, 2048, 4096, 8192, 16384]:
                shape = (hd, causal, length)
                times = measure(torch, lib, shape, o)
                best = {name: faster(times, name) for name in logs}
                columns = ["tc", "tc fast", best["cuDNN"], best["flash"]]
                rates = [f"{rate(shape, median(times[n])):.1f}" if n in times else "n/a" for n in columns]
                ratios = []
                for name, n in best.items():
                    if n is None or "tc" not in times:
                        ratios.append("n/a")
                        continue
                    x = median([a / b for a, b in zip(times[n], times["tc"])])
                    logs[name].append(math.log(x))
                    ratios.append(f"{x:.3f}")
                layouts = [n.split()[1] if n else "n/a" for n in best.values()]
                put(",".join([*map(str, shape), *rates, *ratios, *layouts]))
            means = ", ".join(f"tc/{n} {math.exp(sum(x) / len(x)):.3f}" for n, x in logs.items() if x)
            put(f"# geometric mean, head_dim {hd}{' causal' if causal else ''}: {means}")


if __name__ == "__main__":
    main()
