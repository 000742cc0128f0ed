#!/usr/bin/env python3
"""attention.py - tc's attention beside that of PyTorch: cuDNN's and flash attention. Needs a GPU, torch,
build/bench/attention.so.

    python3 bench/attention.py                        all shapes; writes bench/results/attention.csv
    python3 bench/attention.py --hd 128 --len 4096    some of them; --causal 0 or 1; --quick: fewer, shorter rounds;
                                                      none of these writes
                                                      the file unless --csv names one
    python3 bench/attention.py --variants A.so B.so   tuning: libraries of bench/attention.cu beside each other and
                                                      cuDNN; --path 80:
                                                      the sm_80 kernels, beside flash
    python3 bench/attention.py --accuracy             errors against fp64; writes bench/results/attention_accuracy.txt
    python3 bench/attention.py --kernels              which kernels each contestant launches: is anything copied?

All contestants in one process, in turns, on the same standard normal bf16 inputs, in sets that rotate past the L2. A
slice is a CUDA
graph of calls of about 15 ms between two events, so that no one's cost on the CPU counts ("eager" stands where a
contestant cannot be
captured); the figure is the median over the rounds. 16384 tokens, hidden size 2048. TFLOP/s: 4 * batch * heads * q *
k * head_dim, half
of it for causal. tc takes (batch, rows, heads, dim). PyTorch's take transposed views of the same tensors, as users
pass them, and
contiguous (batch, heads, rows, dim); the faster layout is measured, and named in the table: bshd or bhsd.
"""

import argparse
import contextlib
import ctypes
import math
import os
import sys
import warnings

from measure import ROOT, header, median, relative, turn_order

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    sys.exit("attention.py needs PyTorch: no module torch here")
try:
    from torch.nn.attention import SDPBackend, sdpa_kernel
except ImportError:
    sys.exit("attention.py needs PyTorch 2.5 or later, for torch.nn.attention")

TOKENS, HIDDEN = 16384, 2048


def sentence(error):
    """The first line of an error, not too long."""
    lines = str(error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:160]


class Library:
    """A build of bench/attention.cu."""

    def __init__(self, path):
        lib = ctypes.CDLL(os.path.abspath(path))
        lib.attention_run.argtypes = [ctypes.c_int] * 3 + [ctypes.c_void_p] * 5 + [ctypes.c_int] * 5 + [ctypes.c_void_p]
        lib.attention_run.restype = ctypes.c_int
        lib.attention_why.restype = lib.attention_about.restype = ctypes.c_char_p
        lib.attention_about.argtypes = [ctypes.c_int] * 3
        self.lib, self.name = lib, os.path.splitext(os.path.basename(path))[0]

    def about(self, path, hd, causal):
        text = self.lib.attention_about(path, hd, int(causal))
        return text.decode() if text else None

    def run(self, path, q, k, v, o, causal):
        b, s, h, hd = q.shape
        status = self.lib.attention_run(
            path,
            hd,
            int(causal),
            q.data_ptr(),
            k.data_ptr(),
            v.data_ptr(),
            o.data_ptr(),
            None,
            b,
            h,
            k.shape[2],
            s,
            k.shape[1],
            torch.cuda.current_stream().cuda_stream,
        )
        if status:
            raise RuntimeError(self.lib.attention_why().decode())
        return o


class Ours:
    """A kernel of a library; makes O of shape (b, s, h, d)."""

    def __init__(self, name, library, path):
        self.name, self.library, self.path, self.layout = name, library, path, ""

    def prepare(self, sets, causal):
        self.sets, self.causal = sets, causal
        if not self.library.about(self.path, sets[0][0].shape[3], causal):
            raise RuntimeError("the library does not have this kernel")
        self.o = torch.full_like(sets[0][0], float("nan"))

    def context(self):
        return contextlib.nullcontext()

    def call(self, i):
        q, k, v = self.sets[i % len(self.sets)]
        return self.library.run(self.path, q, k, v, self.o, self.causal)

    def result(self):
        return self.call(0)


class Sdpa:
    """PyTorch's scaled_dot_product_attention by one backend, on (b, s, h, d) seen as (b, h, s, d), or on copies."""

    def __init__(self, name, backend, layouts=("bshd", "bhsd")):
        self.name, self.backend, self.layouts, self.layout = name, backend, layouts, ""

    def prepare(self, sets, causal):
        self.causal = causal
        self.kept = [tuple(x.transpose(1, 2) for x in s) for s in sets]
        best, failure = math.inf, None
        for layout in self.layouts:
            try:
                kept = self.kept if layout == "bshd" else [tuple(x.contiguous() for x in s) for s in self.kept]
                t = math.inf
                if len(self.layouts) > 1:
                    self.now = kept
                    with self.context():
                        for i in range(4):
                            t = min(t, seconds(self, 4))
                if t < best or not self.layout:
                    best, self.layout, chosen = t, layout, kept
            except Exception as e:
                failure = e
        if not self.layout:
            raise failure
        self.now, self.kept = chosen, None

    def context(self):
        return sdpa_kernel(self.backend)

    def call(self, i):
        q, k, v = self.now[i % len(self.now)]
        return F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)

    def result(self):
        return self.call(0).transpose(1, 2)


def seconds(contestant, calls):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    for i in range(calls):
        contestant.call(i)
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e-3 / calls


class Slice:
    """Some calls of a contestant as a CUDA graph; one after the other where it cannot be captured."""

    def __init__(self, contestant, length):
        self.contestant, self.graph = contestant, None
        with contestant.context():
            for i in range(3):
                contestant.call(i)
            torch.cuda.synchronize()
            t = min(seconds(contestant, 3) for _ in range(2))
            self.calls = max(1, min(400, round(length / t)))
            try:
                graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(graph):
                    for i in range(self.calls):
                        contestant.call(i)
                graph.replay()
                torch.cuda.synchronize()
                self.graph = graph
            except Exception as e:
                print(f"    {contestant.name}: not captured, eager: {sentence(e)}", file=sys.stderr)
                torch.cuda.synchronize()

    def seconds(self):
        if not self.graph:
            with self.contestant.context():
                return seconds(self.contestant, self.calls)
        start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        self.graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / self.calls


def inputs(batch, length, heads, hd, count, seed=1):
    g = torch.Generator(device="cuda").manual_seed(seed)
    return [
        tuple(
            torch.randn(batch, length, heads, hd, device="cuda", generator=g, dtype=torch.float32).bfloat16()
            for _ in range(3)
        )
        for _ in range(count)
    ]


def measure(contestants, hd, length, causal, rounds, slice_length):
    """TFLOP/s of each contestant, None where it failed."""
    batch, heads = max(1, TOKENS // length), HIDDEN // hd
    sets = inputs(batch, length, heads, hd, 3)  # one set is 192 MiB, more than any L2
    flops = 4.0 * batch * heads * length * length * hd * (0.5 if causal else 1)
    slices, times, reference, judge = {}, {}, None, None
    for c in reversed(contestants):  # PyTorch's stand last: their result is what the others are compared with
        try:
            c.layout = ""
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                c.prepare(sets, causal)
                with c.context():
                    out = c.result().float()
            torch.cuda.synchronize()
            if reference is None:
                reference, judge = out, c
            else:
                off = relative(out, reference)
                if not off < 0.02:
                    raise RuntimeError(
                        f"WRONG: its result differs from {judge.name}'s by {off:.3g} (relative root mean square)"
                    )
            del out
            slices[c.name] = Slice(c, slice_length)
            times[c.name] = []
        except Exception as e:
            print(f"    {c.name}: n/a: {sentence(e)}", file=sys.stderr)
            with contextlib.suppress(Exception):
                torch.cuda.synchronize()
    order = turn_order()
    for r in range(rounds + 1):  # the first round warms up
        for name in order(slices):
            try:
                t = slices[name].seconds()
                if r:
                    times[name].append(t)
            except Exception as e:
                print(f"    {name}: n/a: {sentence(e)}", file=sys.stderr)
                del slices[name], times[name]
    return {c.name: flops / median(times[c.name]) * 1e-12 if times.get(c.name) else None for c in contestants}, {
        n: s.graph is not None for n, s in slices.items()
    }


def ratio(a, b):
    return a / b if a and b else None


def text(x, digits):
    return "n/a" if x is None else f"{x:.{digits}f}"


def geomean(xs):
    xs = [x for x in xs if x]
    return math.exp(sum(map(math.log, xs)) / len(xs)) if xs else None


def shapes(o):
    return [(hd, length, causal) for hd in o.hd for causal in o.causal for length in o.len]


def compare(o, libraries):
    ours = [Ours("tc", libraries[0], 90), Ours("tc sm80", libraries[0], 80)]
    theirs = [Sdpa("cuDNN", SDPBackend.CUDNN_ATTENTION), Sdpa("flash", SDPBackend.FLASH_ATTENTION)]
    contestants = ours + theirs
    columns = ["tc/cuDNN", "tc/flash", "sm80/flash"]
    out = open(o.csv, "w") if o.csv else None

    def put(line):
        print(line, flush=True)
        if out:
            print(line, file=out, flush=True)

    put(header(torch, libraries[0].lib.attention_toolkit()))
    put(
        "# TFLOP/s of "
        + ", ".join(c.name for c in contestants)
        + "; ratios; the layout that suits cuDNN and flash best; who was not run as a graph"
    )
    put(
        "head_dim,causal,length,batch,heads,"
        + ",".join(c.name for c in contestants)
        + ","
        + ",".join(columns)
        + ",cuDNN layout,flash layout,eager"
    )
    found = []
    for hd, length, causal in shapes(o):
        rates, graphs = measure(contestants, hd, length, causal, o.rounds, o.slice)
        ratios = [
            ratio(rates["tc"], rates["cuDNN"]),
            ratio(rates["tc"], rates["flash"]),
            ratio(rates["tc sm80"], rates["flash"]),
        ]
        found.append((hd, causal, ratios))
        put(
            f"{hd},{int(causal)},{length},{max(1, TOKENS // length)},{HIDDEN // hd},"
            + ",".join(text(rates[c.name], 1) for c in contestants)
            + ","
            + ",".join(text(r, 3) for r in ratios)
            + f",{theirs[0].layout or 'n/a'},{theirs[1].layout or 'n/a'},"
            + " ".join(n for n, g in graphs.items() if not g)
        )
    for hd in o.hd:
        for causal in o.causal:
            part = [r for d, c, r in found if d == hd and c == causal]
            put(
                f"# geometric mean, head_dim {hd}{' causal' if causal else ''}: "
                + ", ".join(f"{n} {text(geomean(r[i] for r in part), 3)}" for i, n in enumerate(columns))
            )
    put(
        "# geometric mean of all: "
        + ", ".join(f"{n} {text(geomean(r[i] for _, _, r in found), 3)}" for i, n in enumerate(columns))
    )


def variants(o, libraries):
    """Libraries beside each other: TFLOP/s, and the ratio to the baseline; the best is marked."""
    base = Sdpa("cuDNN", SDPBackend.CUDNN_ATTENTION) if o.path == 90 else Sdpa("flash", SDPBackend.FLASH_ATTENTION)
    print(header(torch, libraries[0].lib.attention_toolkit()))
    totals = {}
    for hd, causal in [(hd, c) for hd in o.hd for c in o.causal]:
        have = [x for x in libraries if x.about(o.path, hd, causal)]
        if not have:
            continue
        print(f"\nhead_dim {hd}{', causal' if causal else ''}, path {o.path}: TFLOP/s (ratio to {base.name})")
        width = max(len(x.name) for x in have + [base])
        lines = {x.name: f"{x.name:{width}}  {x.about(o.path, hd, causal):34}" for x in have}
        lines[base.name] = f"{base.name:{width}}  {'':34}"
        rates = {
            length: measure([Ours(x.name, x, o.path) for x in have] + [base], hd, length, causal, o.rounds, o.slice)[0]
            for length in o.len
        }
        print(f"{'':{width}}  {'':34}" + "".join(f"{n:>15}" for n in o.len) + "        mean")
        best = {
            length: max((r for n, r in rates[length].items() if r and n != base.name), default=None) for length in o.len
        }
        for name in lines:
            cells = "".join(
                f"{text(rates[n][name], 1):>7}{'*' if rates[n][name] and rates[n][name] == best[n] else ' '}"
                f"({text(ratio(rates[n][name], rates[n][base.name]), 3):>5})"
                for n in o.len
            )
            mean = geomean(ratio(rates[n][name], rates[n][base.name]) for n in o.len) or geomean(
                rates[n][name] for n in o.len
            )
            totals.setdefault(name, []).append(mean)
            print(f"{lines[name]}{cells}   {text(mean, 3):>8}", flush=True)
    print(
        "\nmean of all that a library has: "
        + ", ".join(f"{n} {text(geomean(t), 3)}" for n, t in totals.items() if n != base.name)
    )


def kernels(o, libraries):
    from torch.profiler import ProfilerActivity, profile

    contestants = [Ours("tc", libraries[0], 90), Ours("tc sm80", libraries[0], 80)]
    contestants += [
        Sdpa(f"{n} {layout}", b, (layout,))
        for n, b in (("cuDNN", SDPBackend.CUDNN_ATTENTION), ("flash", SDPBackend.FLASH_ATTENTION))
        for layout in ("bshd", "bhsd")
    ]
    for hd, length, causal in shapes(o):
        print(f"head_dim {hd}, length {length}{', causal' if causal else ''}")
        sets = inputs(max(1, TOKENS // length), length, HIDDEN // hd, hd, 1)
        for c in contestants:
            try:
                c.layout = ""
                c.prepare(sets, causal)
                with c.context():
                    c.call(0)
                    torch.cuda.synchronize()
                    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as prof:
                        c.call(0)
                        torch.cuda.synchronize()
                names = [e.name for e in prof.events() if e.device_type == torch.autograd.DeviceType.CUDA]
                print(f"    {c.name}: {len(names)}: {'; '.join(n[:100] for n in names)}", flush=True)
            except Exception as e:
                print(f"    {c.name}: n/a: {sentence(e)}", flush=True)


def exact(q, k, v, causal):
    """(b, s, h, d) in fp64, a head and 1024 rows at a time."""
    b, s, h, hd = q.shape
    out = torch.empty(b, s, h, hd, device=q.device, dtype=torch.float64)
    keys = torch.arange(s, device=q.device)
    for i in range(b):
        for j in range(h):
            x, y, z = (t[i, :, j].double() for t in (q, k, v))
            for r in range(0, s, 1024):
                score = x[r : r + 1024] @ y.T / math.sqrt(hd)
                if causal:
                    score.masked_fill_(keys[None, :] > keys[r : r + 1024, None], -math.inf)
                out[i, r : r + 1024, j] = torch.softmax(score, 1) @ z
    return out


def accuracy(o, libraries):
    """Normal inputs, and the outlier-heavy ones of FlashAttention-3's paper: normal, and with probability 0.001 a
    second of deviation 10 added."""
    contestants = [
        Ours("tc", libraries[0], 90),
        Ours("tc sm80", libraries[0], 80),
        Sdpa("flash", SDPBackend.FLASH_ATTENTION, ("bshd",)),
        Sdpa("cuDNN", SDPBackend.CUDNN_ATTENTION, ("bshd",)),
    ]
    seeds = 1 if o.quick else 4
    batch, length, heads = 1, 2048, 8
    out = open(o.csv, "w") if o.csv else None

    def put(line):
        print(line, flush=True)
        if out:
            print(line, file=out, flush=True)

    put(header(torch, libraries[0].lib.attention_toolkit()))
    put(
        f"# error against fp64, bf16, {seeds} x {batch} x {heads} heads of {length} rows: root mean square, then the "
        "largest; tc must not be above flash in the first"
    )
    put(
        f"{'inputs':9}{'dim':>4}{'':8}"
        + "".join(f"{c.name:>10}" for c in contestants)
        + "   "
        + "".join(f"{c.name:>10}" for c in contestants)
        + "   tc/flash  sm80/flash"
    )
    for kind in ("normal", "outliers"):
        for hd in o.hd:
            for causal in o.causal:
                square, worst, failed = {}, {}, set()
                for seed in range(seeds):
                    g = torch.Generator(device="cuda").manual_seed(100 + seed)
                    made = []
                    for _ in range(3):
                        x = torch.randn(batch, length, heads, hd, device="cuda", generator=g)
                        if kind == "outliers":
                            rare = torch.rand(x.shape, device="cuda", generator=g) < 0.001
                            x = x + rare * 10 * torch.randn(x.shape, device="cuda", generator=g)
                        made.append(x.bfloat16())
                    reference = exact(*made, causal)
                    for c in contestants:
                        if c.name in failed:
                            continue
                        try:
                            c.layout = ""
                            c.prepare([tuple(made)], causal)
                            with warnings.catch_warnings(), c.context():
                                warnings.simplefilter("ignore")
                                error = (c.result().double() - reference).abs()
                            square[c.name] = square.get(c.name, 0) + error.square().mean().item()
                            worst[c.name] = max(worst.get(c.name, 0), error.max().item())
                            if math.isnan(error.sum().item()):
                                worst[c.name] = math.nan
                        except Exception as e:
                            print(f"    {c.name}: n/a: {sentence(e)}", file=sys.stderr)
                            failed.add(c.name)
                            square.pop(c.name, None)
                            worst.pop(c.name, None)
                            with contextlib.suppress(Exception):
                                torch.cuda.synchronize()
                rms = {n: math.sqrt(x / seeds) for n, x in square.items()}
                cell = lambda x: f"{x:10.3e}" if x is not None else f"{'n/a':>10}"
                ratios = [ratio(rms.get(n), rms.get("flash")) for n in ("tc", "tc sm80")]
                put(
                    f"{kind:9}{hd:4}{' causal ' if causal else '        '}"
                    + "".join(cell(rms.get(c.name)) for c in contestants)
                    + "   "
                    + "".join(cell(worst.get(c.name)) for c in contestants)
                    + f"   {text(ratios[0], 4):>8}  {text(ratios[1], 4):>10}"
                )


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--hd", type=int, nargs="+", default=None, help="head dimensions (64 128 256)")
    p.add_argument("--len", type=int, nargs="+", default=None, help="lengths (512 2048 4096 8192 16384)")
    p.add_argument("--causal", type=int, nargs="+", default=[0, 1], choices=[0, 1])
    p.add_argument("--quick", action="store_true")
    p.add_argument("--rounds", type=int)
    p.add_argument("--slice", type=float, help="seconds of a slice (0.015)")
    p.add_argument("--variants", nargs="+", metavar="FILE.so")
    p.add_argument("--path", type=int, default=90, choices=[90, 80])
    p.add_argument("--accuracy", action="store_true")
    p.add_argument("--kernels", action="store_true")
    p.add_argument("--lib", default=os.path.join(ROOT, "build", "bench", "attention.so"))
    p.add_argument("--csv", help="file to write")
    o = p.parse_args()
    if not o.csv and not (o.quick or o.hd or o.len or o.causal != [0, 1] or o.variants or o.kernels):
        o.csv = os.path.join(ROOT, "bench", "results", "attention_accuracy.txt" if o.accuracy else "attention.csv")
    o.hd = o.hd or [64, 128, 256]
    o.len = o.len or ([512, 4096, 16384] if o.quick else [4096] if o.kernels else [512, 2048, 4096, 8192, 16384])
    o.rounds = o.rounds or (5 if o.quick else 15)
    o.slice = o.slice or (0.01 if o.quick else 0.015)
    o.causal = [bool(c) for c in o.causal]
    if not torch.cuda.is_available():
        sys.exit("attention.py: no CUDA device that PyTorch can use")
    libraries = []
    for path in o.variants or [o.lib]:
        try:
            libraries.append(Library(path))
        except OSError as e:
            print(f"{path}: {sentence(e)}", file=sys.stderr)
    if not libraries:
        sys.exit("attention.py: no library; make build/bench/attention.so")
    torch.cuda.init()
    torch.cuda.current_stream()
    (accuracy if o.accuracy else kernels if o.kernels else variants if o.variants else compare)(o, libraries)


if __name__ == "__main__":
    main()
