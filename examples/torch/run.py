#!/usr/bin/env python3
"""run.py - builds attention_torch.cu into PyTorch, and checks it against scaled_dot_product_attention.

    python3 examples/torch/run.py     from anywhere; needs PyTorch with CUDA, nvcc, ninja, a GPU of sm_80 or later

The build takes about a minute, once: it stays in build/torch. Each line says what was computed, the root mean square
error of tc and of PyTorch's own bf16 kernel against fp32 math, and the worst element of tc in units of its error bound.
The last line counts. A project of its own needs no more than the call of torch.utils.cpp_extension.load below and the
functions it returns:

    tc = load(...)
    o = tc.attention(q, k, v, causal=True)    # (batch, rows, heads, head_dim), bf16; k and v may have fewer heads
"""
import math
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def skip(why):
    print(f"SKIP torch: {why}\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    import torch
    import torch.nn.functional as F
except ImportError:
    skip("python3 has no PyTorch")
if not torch.cuda.is_available():
    skip("PyTorch sees no GPU")
CAPABILITY = torch.cuda.get_device_capability()
if CAPABILITY[0] < 8:
    skip(f"compute capability {CAPABILITY[0]}.{CAPABILITY[1]}, this example needs 8.0 or later")


def build():
    from torch.utils.cpp_extension import load
    arch = "%d%d%s" % (*CAPABILITY, "a" if CAPABILITY[0] >= 9 else "")  # wgmma needs the "a" target
    folder = os.path.join(HERE, "..", "..", "build", "torch")
    os.makedirs(folder, exist_ok=True)
    return load(name="attention_torch", sources=[os.path.join(HERE, "attention_torch.cu")], build_directory=folder,
                extra_cuda_cflags=["-O3", "-lineinfo", f"-gencode=arch=compute_{arch},code=sm_{arch}"])


def reference(q, k, v, bias):
    """fp32 math on (batch, rows, heads, dim); bias: what is added to the scores, -inf for a key that is not seen."""
    q, k, v = (x.float().transpose(1, 2) for x in (q, k, v))
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    p = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(q.shape[3]) + bias, 3)
    return (p @ v).transpose(1, 2), (p @ v.abs()).transpose(1, 2)


def causal_bias(q_len, k_len):
    """Bottom-right aligned: the last query sees all keys."""
    q, k = torch.arange(q_len, device="cuda")[:, None] + k_len - q_len, torch.arange(k_len, device="cuda")[None, :]
    return torch.zeros(q_len, k_len, device="cuda").masked_fill(k > q, -math.inf)


def sdpa(q, k, v, bias):
    groups = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(groups, 2), v.repeat_interleave(groups, 2)
    mask = bias.to(q.dtype) if torch.is_tensor(bias) else None  # it takes no wider one, which costs ALiBi some bits
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2)


passed = failed = 0


def count(ok, line):
    global passed, failed
    passed, failed = passed + ok, failed + (not ok)
    print(("ok    " if ok else "FAIL  ") + line, flush=True)


def check(name, q, k, v, bias, run):
    """bf16 P and bf16 O round by 2^-8 at most each; f32 scores and sums are far below that: 2^-12."""
    try:
        o = run(q, k, v)
        torch.cuda.synchronize()
        exact, size = reference(q, k, v, bias)
        worst = ((o.float() - exact).abs() / (2 ** -8 * (size + exact.abs()) + 2 ** -12 * size)).max().item()
        rms = lambda x: (x.float() - exact).square().mean().sqrt().item()
        theirs = rms(sdpa(q, k, v, bias))
        count(worst <= 1 and o.shape == q.shape,
              f"{name:44} error {rms(o):.2e}, PyTorch's {theirs:.2e}; worst {worst:.2f} of the bound")
    except Exception as e:
        count(False, f"{name}: {str(e).splitlines()[0]}")


def refuses(name, words, run):
    """A call that must not be launched: is the error in words?"""
    try:
        run()
        count(False, f"{name}: no error")
    except RuntimeError as e:
        first = str(e).splitlines()[0]
        count(words in first, f"{name:44} refused: {first}")


def normal(*shape):
    return torch.randn(*shape, device="cuda").bfloat16()


def main():
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}", flush=True)
    tc = build()
    for dim in (64, 128):
        q, k, v = (normal(2, 1000, 8, dim) for _ in range(3))
        check(f"head_dim {dim}", q, k, v, 0, tc.attention)
        check(f"head_dim {dim}, causal", q, k, v, causal_bias(1000, 1000),
              lambda q, k, v: tc.attention(q, k, v, causal=True))
    q, k, v = normal(2, 777, 32, 128), normal(2, 777, 8, 128), normal(2, 777, 8, 128)
    check("GQA, 32 heads on 8, causal", q, k, v, causal_bias(777, 777),
          lambda q, k, v: tc.attention(q, k, v, causal=True))
    q, k, v = normal(16, 1, 32, 128), normal(16, 2000, 8, 128), normal(16, 2000, 8, 128)
    check("decoding, 1 row on 2000", q, k, v, 0, lambda q, k, v: tc.attention(q, k, v, causal=True))
    q, k, v = normal(2, 100, 8, 64), normal(2, 500, 8, 64), normal(2, 500, 8, 64)
    check("100 rows, the last of 500, causal", q, k, v, causal_bias(100, 500),
          lambda q, k, v: tc.attention(q, k, v, causal=True))
    qkv = normal(2, 600, 3, 8, 128)
    check("slices of a fused projection, not copied", qkv[:, :, 0], qkv[:, :, 1], qkv[:, :, 2], 0, tc.attention)
    heads_first = [normal(2, 8, 600, 64).transpose(1, 2) for _ in range(3)]
    check("(batch, heads, rows, dim), not copied", *heads_first, 0, tc.attention)

    q, k, v = normal(2, 600, 12, 128), normal(2, 600, 12, 128), normal(2, 600, 12, 128)
    slopes = 2.0 ** (-8.0 / 12 * torch.arange(1, 13, device="cuda", dtype=torch.float32))
    place = torch.arange(600, device="cuda", dtype=torch.float32)
    bias = slopes[:, None, None] * (place[None, :] - place[:, None]) + causal_bias(600, 600)
    check("ALiBi by a hook, causal", q, k, v, bias, lambda q, k, v: tc.attention_alibi(q, k, v, slopes))

    side = torch.cuda.Stream()
    # q is made on this stream, late: a call on another one would read what was there before
    with torch.cuda.stream(side):
        q = torch.full_like(q, math.nan)
        torch.cuda._sleep(20_000_000)
        q.copy_(k)
        o = tc.attention(q, k, v)
    side.synchronize()
    count(torch.equal(o, tc.attention(q, k, v)), "on the current stream")

    q, k, v = normal(1, 64, 4, 64), normal(1, 64, 4, 64), normal(1, 64, 4, 64)
    wide = normal(1, 64, 4, 65)
    refuses("float32", "bfloat16", lambda: tc.attention(q.float(), k, v))
    refuses("head_dim 80", "no kernel", lambda: tc.attention(*(normal(1, 64, 4, 80) for _ in range(3))))
    refuses("elements of a head that are apart", "neighbours",
            lambda: tc.attention(normal(1, 64, 4, 128)[..., ::2], k, v))
    refuses("rows that begin anywhere", "multiple of", lambda: tc.attention(wide[..., :64], k, v))
    refuses("heads that do not divide", "not a multiple of heads_kv",
            lambda: tc.attention(q, normal(1, 64, 3, 64), normal(1, 64, 3, 64)))
    refuses("a gradient is wanted", "forward", lambda: tc.attention(q.clone().requires_grad_(), k, v))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
