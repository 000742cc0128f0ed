"""measure.py - what groups.py, conv.py, attention.py and attention_bwd.py share: contestants in one process, in turns
whose order changes, on the same inputs; a slice is a CUDA graph of calls of about 15 ms between two events; the figure
is the median over the rounds, the ratio that of the same round."""

import argparse
import datetime
import os
import random
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class Slice:
    """Some calls as a CUDA graph."""

    def __init__(self, torch, call, length):
        self.torch = torch
        for _ in range(3):
            call()
        torch.cuda.synchronize()
        self.calls = 4
        self.graph = self.capture(call)
        t = min(self.seconds() for _ in range(3))
        self.calls = max(1, min(400, round(length / t)))
        self.graph = self.capture(call)

    def capture(self, call):
        graph = self.torch.cuda.CUDAGraph()
        with self.torch.cuda.graph(graph):
            for _ in range(self.calls):
                call()
        graph.replay()
        self.torch.cuda.synchronize()
        return graph

    def seconds(self):
        start, stop = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        self.graph.replay()
        stop.record()
        stop.synchronize()
        return start.elapsed_time(stop) * 1e-3 / self.calls


def header(torch, toolkit):
    """The lines that a record begins with. toolkit: CUDART_VERSION of the library's."""

    def first_line(command):
        try:
            return subprocess.run(command, capture_output=True, text=True, timeout=20).stdout.strip().splitlines()[0]
        except Exception:
            return "unknown"

    try:
        cudnn = torch.backends.cudnn.version()
    except Exception:
        cudnn = "unknown"
    prop = torch.cuda.get_device_properties(0)
    driver = first_line(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"])
    return (
        f"# device {prop.name}, {prop.multi_processor_count} SMs; driver {driver}; "
        f"toolkit {toolkit // 1000}.{toolkit % 1000 // 10}; "
        f"torch {torch.__version__} (CUDA {torch.version.cuda}, cuDNN {cudnn}); date {datetime.date.today()}\n"
        f"# command python3 {' '.join(sys.argv)}"
    )


def median(x):
    x = sorted(x)
    return x[len(x) // 2] if len(x) % 2 else 0.5 * (x[len(x) // 2 - 1] + x[len(x) // 2])


def relative(found, wanted):
    """The root mean square of a difference over that of what was wanted."""
    wanted = wanted.float()
    return ((found.float() - wanted).square().mean() / wanted.square().mean()).sqrt().item()


def turn_order():
    """A function that gives some names in another order each time: who comes behind one that takes little power has a
    higher clock for a tenth of a second, which was worth 3 % to the same kernel."""
    draw = random.Random(1)
    return lambda names: draw.sample(list(names), len(names))


def turns(slices, rounds):
    """{name: seconds of a call in each round} of {name: slice}."""
    times = {name: [] for name in slices}
    order = turn_order()
    for r in range(rounds + 1):  # the first round warms up
        for name in order(slices):
            t = slices[name].seconds()
            if r:
                times[name].append(t)
    return times


def contest(torch, calls, result, o):
    """Who computed what "torch", the first of the calls, does: {name: (seconds of a call, ratio to torch)}. result is
    what the others write; whoever is wrong or refuses is left out, and said to be."""
    slices = {}
    reference = calls["torch"]().float()
    for name, call in calls.items():
        try:
            if name != "torch":
                result.fill_(float("nan"))
                call()
                off = relative(result, reference)
                if not off < 0.01:
                    raise RuntimeError(f"WRONG: differs from torch's by {off:.3g} (relative root mean square)")
            slices[name] = Slice(torch, call, o.slice)
        except RuntimeError as e:
            print(f"    {name}: n/a: {str(e).splitlines()[0][:160]}", file=sys.stderr)
    times = turns(slices, o.rounds)
    of_torch = times.get("torch")
    return {
        name: (median(t), median([x / y for x, y in zip(of_torch, t)]) if of_torch else float("nan"))
        for name, t in times.items()
    }


def options(description, library, case_help=None):
    p = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--library", default=os.path.join(ROOT, library))
    p.add_argument("--case", type=int, help=case_help)
    p.add_argument("--kernels", nargs="+")
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--slice", type=float, default=0.015)
    p.add_argument("--cpu", action="store_true")
    o = p.parse_args()
    if not os.path.exists(o.library):
        sys.exit(f"{o.library} is not there: make {library}")
    return o


def torch_for(program):
    try:
        import torch
    except ImportError:
        sys.exit(f"{program} needs PyTorch: no module torch here")
    return torch
