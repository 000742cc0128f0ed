"""tc_library.py - builds attention.cu and layers.cu with nvcc, loads them by ctypes, and calls their functions on
PyTorch's current stream. No header of PyTorch's is read: a library serves any version of it, and takes half a minute,
once; it stays in build/torch until a source or a header of tc's is newer.

    attention = Library("attention", {"q": Tensor, ..., "scale": ctypes.c_double})
    attention.call("attention_forward", q=q, k=k, v=v, o=o, scale=0.0)      raises RuntimeError with tc's sentence

The fields are those of the C struct NAME_call, in its order; its size is compared when the library is loaded.

Without a GPU the same functions run in tcemu (run.py --tcemu): tensors are then the CPU's, and EMULATED is set.
"""
import ctypes
import glob
import os
import shutil
import subprocess
import sys

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))  # where tc's headers lie
BUILD = os.path.join(ROOT, "build", "torch")
EMULATED = os.environ.get("TC_TORCH_EMULATED")  # the target, as in 90a


class Tensor(ctypes.Structure):
    """torch_call.h's tensor."""

    _fields_ = [("p", ctypes.c_void_p), ("type", ctypes.c_int64), ("dims", ctypes.c_int64)]
    _fields_ += [("size", ctypes.c_int64 * 4), ("stride", ctypes.c_int64 * 4)]


TYPES = {torch.bfloat16: 1, torch.float32: 2, torch.int32: 3, torch.uint8: 4}


def described(t):
    if t is None:
        return Tensor(dims=-1)
    none = (0,) * (4 - t.dim()) if t.dim() <= 4 else ()
    size, stride = (tuple(t.shape) + none)[:4], (tuple(t.stride()) + none)[:4]
    return Tensor(t.data_ptr(), TYPES.get(t.dtype, 0), t.dim(), size, stride)


def nvcc():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    for path in (shutil.which("nvcc"), os.path.join(home, "bin", "nvcc")):
        if path and os.path.exists(path):
            return path
    raise RuntimeError("no nvcc in PATH, $CUDA_HOME/bin or /usr/local/cuda/bin")


def target():
    """What nvcc is to build for: 80, 90a, ..."""
    if EMULATED:
        return EMULATED
    major, minor = torch.cuda.get_device_capability()
    return "%d%d%s" % (major, minor, "a" if major >= 9 else "")  # wgmma needs the "a" target


def library_of(name):
    return os.path.join(BUILD, "%s_%s%s.so" % (name, target(), "_emulated" if EMULATED else ""))


def command(name, to):
    arch = target()
    code = "compute_" if EMULATED else "sm_"  # tcemu executes PTX, and stands in for the shared runtime
    line = [nvcc(), "-std=c++17", "-O3", "-lineinfo", "-I", ROOT, "-shared"]
    line += ["-Xcompiler", "-fPIC,-fvisibility=hidden"]
    line += ["-cudart", "shared" if EMULATED else "static", "-gencode", f"arch=compute_{arch},code={code}{arch}"]
    line += ["-DFOR_HOPPER"] if arch == "90a" else []
    return line + [os.path.join(HERE, name + ".cu"), "-o", to, "-ldl", "-lpthread"]


def build(*names):
    """Compiles what is out of date, side by side."""
    os.makedirs(BUILD, exist_ok=True)
    running = []
    for name in names:
        path, sources = library_of(name), [os.path.join(HERE, name + ".cu"), os.path.join(HERE, "torch_call.h")]
        newest = max(os.path.getmtime(s) for s in sources + glob.glob(os.path.join(ROOT, "tc*.h")))
        if not os.path.exists(path) or os.path.getmtime(path) < newest:
            temporary = "%s.%d" % (path, os.getpid())
            process = subprocess.Popen(command(name, temporary), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            running.append((name, path, temporary, process))
    wrong = []
    for name, path, temporary, process in running:
        said = process.communicate()[0].decode(errors="replace")
        if process.returncode:
            wrong.append(f"nvcc cannot build {name}.cu:\n{said[-3000:]}")
        else:
            os.replace(temporary, path)
    if wrong:
        raise RuntimeError("\n".join(wrong))


class Library:
    def __init__(self, name, fields):
        build(name)
        self.c = ctypes.CDLL(library_of(name))
        self.Call = type(name + "_call", (ctypes.Structure,), {"_fields_": list(fields.items())})
        self.tensors = [f for f, kind in fields.items() if kind is Tensor]
        self.functions = {}
        size = getattr(self.c, name.rstrip("s") + "_call_bytes")
        size.restype = ctypes.c_int64
        if size() != ctypes.sizeof(self.Call):
            raise RuntimeError(f"{name}_call has {size()} bytes in C and {ctypes.sizeof(self.Call)} in Python")

    def function(self, name, answers):
        if name not in self.functions:
            f = getattr(self.c, name)
            f.restype, f.argtypes = answers, [ctypes.c_void_p, ctypes.c_void_p]
            self.functions[name] = f
        return self.functions[name]

    def filled(self, given):
        for key, value in given.items():
            if key in self.tensors:
                given[key] = described(value)
        for key in self.tensors:
            given.setdefault(key, NO_TENSOR)
        return self.Call(**given)

    def ask(self, name, **given):
        """A function that computes a number on the host, of the device that the first tensor is on."""
        ask = self.function(name, ctypes.c_int64)
        here = next(t.device for t in given.values() if isinstance(t, torch.Tensor))
        with torch.cuda.device(here if here.type == "cuda" else None):
            return ask(ctypes.byref(self.filled(given)), None)

    def call(self, name, **given):
        """A function that launches kernels; NULL is its yes."""
        run = self.function(name, ctypes.c_char_p)
        here = [t for t in given.values() if isinstance(t, torch.Tensor)]
        for key, t in given.items():
            if isinstance(t, torch.Tensor) and t.device != here[0].device:
                raise RuntimeError(f"{key} is on {t.device}, other tensors on {here[0].device}")
        if EMULATED:
            with lent(here):
                why = run(ctypes.byref(self.filled(given)), None)
        elif not here[0].is_cuda:
            raise RuntimeError(f"tensors must be on a CUDA device, not on {here[0].device}")
        else:
            with torch.cuda.device(here[0].device):
                stream = torch.cuda.current_stream().cuda_stream
                why = run(ctypes.byref(self.filled(given)), ctypes.c_void_p(stream))
        if why is not None:
            raise RuntimeError(why.decode())


NO_TENSOR = Tensor(dims=-1)


class lent:
    """tcemu: memory of the CPU's tensors that kernels may use while a call runs."""

    def __init__(self, tensors):
        kept = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
        self.memory, self.runtime = [(p, n) for p, n in kept.items() if n], ctypes.CDLL(None)

    def __enter__(self):
        for p, n in self.memory:
            error = self.runtime.cudaHostRegister(ctypes.c_void_p(p), ctypes.c_size_t(n), 0)
            if error:
                raise RuntimeError(f"tcemu: cudaHostRegister answers {error}")

    def __exit__(self, *unused):
        error = self.runtime.cudaDeviceSynchronize()
        for p, n in self.memory:
            self.runtime.cudaHostUnregister(ctypes.c_void_p(p))
        if error:
            raise RuntimeError(f"tcemu: a kernel failed with {error}")


def scratch(wanted, like, make=torch.empty):
    """Memory of which a call wants so many bytes, from a multiple of 128 on; it may hold anything."""
    if wanted <= 0:
        return None
    room = make(wanted + 127, dtype=torch.uint8, device=like.device)
    first = -room.data_ptr() % 128
    return room[first : first + wanted]


workspaces = {}


def workspace(wanted, like):
    """The same for blocks that share work. Between calls it is left alone, and it serves one call at a time: so each
    stream has its own, which stays; in a CUDA graph that is being captured it is the graph's, which zeroes it."""
    if wanted <= 0:
        return None
    if like.is_cuda and torch.cuda.is_current_stream_capturing():
        return scratch(wanted, like, torch.zeros)
    key = (like.device, torch.cuda.current_stream(like.device).cuda_stream if like.is_cuda else 0)
    if key not in workspaces or workspaces[key].numel() < wanted:
        workspaces[key] = scratch(wanted, like, torch.zeros)
    return workspaces[key]


if __name__ == "__main__":
    build(*sys.argv[1:])
