#!/usr/bin/env python3
"""run.py - builds tc's kernels as functions of PyTorch, checks them, and shows a Llama block in them with its times.

    python3 examples/torch/run.py      from anywhere; needs PyTorch 2.6 or later with CUDA, nvcc, a GPU from sm_80 on
    python3 examples/torch/run.py --tcemu build/tcemu [sm_90a]     without a GPU: small sizes of the same, no times

The build takes about half a minute, once: it stays in build/torch. Files, each to be copied into a project of yours:

    attention.cu, tc_attention.py    attention with gradients and dropout, ALiBi, decoding from pages
    layers.cu, tc_layers.py          linear layers whose epilogues turn, gate and add, with gradients
    torch_call.h, tc_library.py      how a tensor gets from PyTorch to a C function
    llama.py                         a block of a Llama in these functions, and in PyTorch's own

Each line says what was computed and how far it is from the same in wider floats, beside PyTorch's own kernel in bf16:
tc's error may be at most 1.5 times PyTorch's. The last lines list what failed, and count.
"""
import math
import os
import sys
import time
import traceback

if "--tcemu" in sys.argv:
    tcemu, device = (sys.argv[sys.argv.index("--tcemu") + 1 :] + ["sm_90a"])[:2]
    os.environ["TC_TORCH_EMULATED"] = device.replace("sm_", "")
    os.execv(tcemu, [tcemu, "--device", device, sys.executable, os.path.abspath(__file__)])

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True  # nothing but build/torch is left behind
EMULATED = "TC_TORCH_EMULATED" in os.environ


def skip(why):
    print(f"SKIP torch: {why}\n0 passed, 0 failed, 1 skipped")
    sys.exit(0)


try:
    import torch
    import torch.nn.functional as F
except ImportError:
    skip("python3 has no PyTorch")
if not hasattr(torch.library, "opcheck") or not hasattr(torch.library, "custom_op"):
    skip(f"PyTorch {torch.__version__} has no torch.library.custom_op")
if not EMULATED:
    if not torch.cuda.is_available():
        skip("PyTorch sees no GPU")
    if torch.cuda.get_device_capability()[0] < 8:
        skip("compute capability %d.%d, this example needs 8.0 or later" % torch.cuda.get_device_capability())

DEVICE = "cpu" if EMULATED else "cuda"
FACTOR, FLOOR = 1.5, 2.0**-16  # FLOOR: of what is relative, for references whose own error is not 0
passed, failures, skipped = 0, [], []


def size(full, small):
    return small if EMULATED else full


def count(ok, line):
    global passed
    passed += bool(ok)
    if not ok:
        failures.append(line)
    print(("ok    " if ok else "BAD   ") + line, flush=True)


def not_run(line):
    skipped.append(line)
    print("skip  " + line, flush=True)


def section(title, run):
    """One that breaks does not stop the others."""
    print(f"-- {title}", flush=True)
    begun = time.monotonic()
    try:
        run()
        synchronize()
    except Exception as e:
        traceback.print_exc()
        count(False, f"{title}: {type(e).__name__}: {(str(e).splitlines() or [''])[0]}")
    print(f"      {time.monotonic() - begun:.1f} s", flush=True)


def synchronize():
    if not EMULATED:
        torch.cuda.synchronize()


def normal(*shape):
    return torch.randn(*shape, device=DEVICE).bfloat16()


def rms(x):
    return x.double().square().mean().sqrt().item()


def apart(x, exact):
    """Root mean square of the error, as a part of the exact one's."""
    return rms(x.double() - exact.double()) / max(rms(exact), 1e-30)


def beside(name, ours, theirs, exact):
    a, b = apart(ours, exact), apart(theirs, exact)
    count(a <= FACTOR * b + FLOOR and ours.shape == exact.shape, f"{name:52} error {a:.2e}, PyTorch's {b:.2e}")


# ----------------------------------------------------------------------------------------------------------------------
# Attention.
def reference(q, k, v, bias, mask=1.0):
    """In the type of q, on (batch, rows, heads, dim); bias: what is added to the scores, -inf for a key that is not
    seen; mask: what the probabilities are multiplied by. Returns O, and the sum of what was added up by its size."""
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    p = torch.softmax(q @ k.transpose(2, 3) / math.sqrt(q.shape[3]) + bias, 3) * mask
    return (p @ v).transpose(1, 2), (p @ v.abs()).transpose(1, 2)


def causal_bias(q_len, k_len):
    """Bottom-right aligned: the last query sees all keys."""
    q, k = torch.arange(q_len, device=DEVICE)[:, None] + k_len - q_len, torch.arange(k_len, device=DEVICE)[None, :]
    return torch.zeros(q_len, k_len, device=DEVICE).masked_fill(k > q, -math.inf)


def sdpa(q, k, v, bias):
    groups = q.shape[2] // k.shape[2]
    k, v = k.repeat_interleave(groups, 2), v.repeat_interleave(groups, 2)
    square = torch.is_tensor(bias) and bias.dim() == 2 and q.shape[1] == k.shape[1]
    mask = bias.to(q.dtype) if torch.is_tensor(bias) and not square else None  # no wider one, which costs ALiBi bits
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=square).transpose(1, 2)


def check_forward(name, tensors, bias, run):
    """bf16 P and bf16 O round by 2^-8 at most each; f32 scores and sums are far below that: 2^-12."""
    o = run(*tensors)
    synchronize()
    exact, weight = reference(*(x.float() for x in tensors), bias)
    worst = ((o.float() - exact).abs() / (2**-8 * (weight + exact.abs()) + 2**-12 * weight)).max().item()
    a, b = apart(o, exact), apart(sdpa(*tensors, bias), exact)
    count(worst <= 1 and o.shape == tensors[0].shape,
          f"{name:52} error {a:.2e}, PyTorch's {b:.2e}; worst {worst:.2f} of the bound")


def check_gradients(name, tensors, bias, run):
    """O and the gradients of all three, beside PyTorch's in bf16, against fp64."""
    dout = normal(*tensors[0].shape)

    def gradients_of(f, convert):
        leaves = [convert(x).detach().requires_grad_() for x in tensors]
        o = f(*leaves)
        o.backward(convert(dout))
        return [o.detach()] + [x.grad for x in leaves]

    kept = bias.double() if torch.is_tensor(bias) else bias
    exact = gradients_of(lambda q, k, v: reference(q, k, v, kept)[0], torch.Tensor.double)
    theirs = gradients_of(lambda q, k, v: sdpa(q, k, v, bias), lambda x: x)
    ours = gradients_of(run, lambda x: x)
    for what, a, b, e in zip(("O", "dQ", "dK", "dV"), ours, theirs, exact):
        beside(f"{name}, {what}", a, b, e)


def attention_forward():
    from tc_attention import attention, attention_alibi
    n = size(1000, 200)
    causal = lambda q, k, v: attention(q, k, v, causal=True)
    for dim in (64, 128):
        t = [normal(2, n, size(8, 2), dim) for _ in range(3)]
        check_forward(f"head_dim {dim}", t, 0, attention)
        check_forward(f"head_dim {dim}, causal", t, causal_bias(n, n), causal)
    n, h, hk = size(777, 150), size(32, 4), size(8, 1)
    check_forward(f"GQA, {h} heads on {hk}, causal", [normal(2, n, x, 128) for x in (h, hk, hk)], causal_bias(n, n),
                  causal)
    b, n = size(16, 2), size(2000, 200)
    check_forward(f"1 row on {n}", [normal(b, r, x, 128) for r, x in ((1, h), (n, hk), (n, hk))], 0, causal)
    a, n = size(100, 40), size(500, 150)
    check_forward(f"{a} rows, the last of {n}, causal", [normal(2, r, size(8, 2), 64) for r in (a, n, n)],
                  causal_bias(a, n), causal)
    n, h = size(600, 100), size(8, 2)
    qkv = normal(2, n, 3, h, 128)
    check_forward("slices of a fused projection, not copied", [qkv[:, :, i] for i in range(3)], 0, attention)
    check_forward("(batch, heads, rows, dim), not copied", [normal(2, h, n, 64).transpose(1, 2) for _ in range(3)], 0,
                  attention)
    h = size(12, 2)
    slopes = 2.0 ** (-8.0 / h * torch.arange(1, h + 1, device=DEVICE, dtype=torch.float32))
    place = torch.arange(n, device=DEVICE, dtype=torch.float32)
    bias = slopes[:, None, None] * (place[None, :] - place[:, None]) + causal_bias(n, n)
    t = [normal(2, n, h, 128) for _ in range(3)]
    check_forward("ALiBi by a hook, causal", t, bias, lambda q, k, v: attention_alibi(q, k, v, slopes))
    if EMULATED:
        return not_run("on the current stream: needs a GPU")
    q, k, v = t
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    # q is made on this stream, late: a call on another one would read what was there before
    with torch.cuda.stream(side):
        q = torch.full_like(q, math.nan)
        torch.cuda._sleep(20_000_000)
        q.copy_(k)
        o = attention(q, k, v)
    side.synchronize()
    count(torch.equal(o, attention(q, k, v)), "on the current stream")


def attention_gradients():
    from tc_attention import attention
    n = size(520, 100)
    causal = lambda q, k, v: attention(q, k, v, causal=True)
    for dim in (64, 128):
        t = [normal(2, n, size(8, 2), dim) for _ in range(3)]
        check_gradients(f"head_dim {dim}", t, 0, attention)
        check_gradients(f"head_dim {dim}, causal", t, causal_bias(n, n), causal)
    h, hk = size(16, 4), size(4, 2)
    check_gradients(f"GQA, {h} heads on {hk}, causal", [normal(2, n, x, 128) for x in (h, hk, hk)], causal_bias(n, n),
                    causal)
    # the gradient of a sum is one number for all: PyTorch hands it over as a tensor with strides of 0
    t = [x.requires_grad_() for x in (normal(1, 40, 2, 64) for _ in range(3))]
    attention(*t).sum().backward()
    again = [x.detach().clone().requires_grad_() for x in t]
    o = attention(*again)
    o.backward(torch.ones_like(o))
    count(all(torch.equal(a.grad, b.grad) for a, b in zip(t, again)), "the gradient of a sum")


def attention_dropout():
    from tc_attention import attention, dropout_mask
    n, h, b, p = size(520, 100), size(8, 2), 2, 0.3
    for dim, causal in ((128, True), (128, False), (64, True), (64, False)):
        t = [normal(b, n, h, dim) for _ in range(3)]
        dout, bias = normal(b, n, h, dim), causal_bias(n, n) if causal else torch.zeros(n, n, device=DEVICE)
        torch.manual_seed(7)
        rng = torch.randint(0, 2**63 - 1, (2,), dtype=torch.int64)  # the numbers that attention will draw
        mask = dropout_mask(rng, p, (b, h, n, n)).to(DEVICE)
        kept = (mask > 0).double().mean().item()
        far = abs(kept - (1 - p)) / math.sqrt(p * (1 - p) / mask.numel())
        count(far < 6, f"dropout {p}, head_dim {dim}: keeps {kept:.4f} of the probabilities, {far:.1f} deviations off")

        def gradients_of(f, convert):
            leaves = [convert(x).detach().requires_grad_() for x in t]
            torch.manual_seed(7)
            o = f(*leaves)
            o.backward(convert(dout))
            return [o.detach()] + [x.grad for x in leaves]

        run = lambda q, k, v: attention(q, k, v, causal=causal, dropout_p=p)
        exact = gradients_of(lambda q, k, v: reference(q, k, v, bias.double(), mask.double())[0], torch.Tensor.double)
        theirs = gradients_of(lambda q, k, v: reference(q, k, v, bias.bfloat16(), mask.bfloat16())[0], lambda x: x)
        ours = gradients_of(run, lambda x: x)
        for what, x, y, e in zip(("O", "dQ", "dK", "dV"), ours, theirs, exact):
            beside(f"dropout {p}, head_dim {dim}{', causal' if causal else ''}, {what}", x, y, e)
        torch.manual_seed(7)
        first, second = run(*t), run(*t)
        torch.manual_seed(7)
        count(torch.equal(first, run(*t)) and not torch.equal(first, second), "torch.manual_seed repeats a mask, the "
              "next call has another")


def attention_paged():
    from tc_attention import attention_paged as paged
    h, hk, page, lens = size(32, 4), size(8, 2), 16, size([1, 17, 1000, 2048], [1, 17, 70])
    for dim, rows in ((128, 1), (128, 4), (64, 1)):
        now = [max(n, rows) for n in lens]
        most, b = (max(now) + page - 1) // page, len(now)
        table = torch.randperm(b * most + 3, device=DEVICE)[: b * most].view(b, most).int()
        k, v = (normal(b * most + 3, page, hk, dim) for _ in range(2))
        q, lens_k = normal(b, rows, h, dim), torch.tensor(now, dtype=torch.int32, device=DEVICE)
        o = paged(q, k, v, table, lens_k)
        worst = ours = theirs = whole = 0
        for i, n in enumerate(now):
            one = [q[i : i + 1]] + [x[table[i].long()].flatten(0, 1)[None, :n] for x in (k, v)]
            bias = causal_bias(rows, n)
            exact, weight = reference(*(x.float() for x in one), bias)
            off = (o[i : i + 1].float() - exact).abs()
            worst = max(worst, (off / (2**-8 * (weight + exact.abs()) + 2**-12 * weight)).max().item())
            ours += off.square().mean().item()
            theirs += (sdpa(*one, bias).float() - exact).square().mean().item()
            whole += exact.square().mean().item()
        count(worst <= 1, f"{f'{rows} new of {now} rows in pages, head_dim {dim}':52} error {(ours / whole)**0.5:.2e}, "
              f"PyTorch's {(theirs / whole)**0.5:.2e}; worst {worst:.2f} of the bound")
    if EMULATED:
        return not_run("decoding in a CUDA graph while sequences grow: needs a GPU")
    o = paged(q, k, v, table, lens_k)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        later = paged(q, k, v, table, lens_k)
    lens_k -= (lens_k > 1).int()
    graph.replay()
    count(torch.equal(later, paged(q, k, v, table, lens_k)) and not torch.equal(later, o),
          "decoding in a CUDA graph that is replayed with other lengths")


def refuses(name, words, run):
    """A call that must not be launched: is the error in words?"""
    try:
        run()
        count(False, f"{name}: no error")
    except (RuntimeError, ValueError) as e:
        first = str(e).splitlines()[0]
        count(words in first, f"{name:52} refused: {first}")


def refusals():
    from tc_attention import attention, attention_alibi, attention_paged as paged
    from tc_layers import linear, qkv_rotary
    q, k, v = (normal(1, 64, 4, 64) for _ in range(3))
    refuses("float32", "bfloat16", lambda: attention(q.float(), k, v))
    refuses("head_dim 80", "no kernel", lambda: attention(*(normal(1, 64, 4, 80) for _ in range(3))))
    refuses("elements of a head that are apart", "neighbours", lambda: attention(normal(1, 64, 4, 128)[..., ::2], k, v))
    refuses("rows that begin anywhere", "multiple of", lambda: attention(normal(1, 64, 4, 65)[..., :64], k, v))
    three = normal(1, 64, 3, 64)
    refuses("heads that do not divide", "not a multiple of heads_kv", lambda: attention(q, three, three))
    refuses("k of another batch", "dimension 0", lambda: attention(q, normal(2, 64, 4, 64), v))
    refuses("a probability of 1", "below 1", lambda: attention(q, k, v, dropout_p=1.0))
    wide = [normal(1, 64, 2, 128).requires_grad_() for _ in range(3)]
    refuses("a gradient of ALiBi", "forward pass alone",
            lambda: attention_alibi(*wide, torch.ones(2, device=DEVICE)).sum().backward())
    refuses("page_table of 64 bits", "int32",
            lambda: paged(q[:, :1], k, v, torch.zeros(1, 1, dtype=torch.int64, device=DEVICE),
                          torch.ones(1, dtype=torch.int32, device=DEVICE)))
    refuses("a layer of another width", "dimension 1", lambda: linear(normal(16, 64), normal(64, 72)))
    refuses("rows of 60 elements", "lda", lambda: linear(normal(16, 60), normal(64, 60)))
    refuses("angles of fewer tokens", "turns", lambda: qkv_rotary(
        normal(1, 16, 128), normal(384, 128), torch.ones(8, 64, 2, device=DEVICE), 256))
    if not EMULATED:
        refuses("a tensor of the CPU's", "CUDA device", lambda: attention(q.cpu(), k.cpu(), v.cpu()))
        refuses("tensors of two devices", "on cpu", lambda: attention(q, k.cpu(), v))


# ----------------------------------------------------------------------------------------------------------------------
# What PyTorch's own machinery says of the operators.
def operators():
    import tc_attention
    import tc_layers
    from llama import turns_of
    ops, wants = torch.ops.tc, lambda *shape: normal(*shape).requires_grad_()
    rng = torch.tensor([3, 4], dtype=torch.int64)
    n = size(100, 24)
    q, k, v = wants(2, n, 4, 64), wants(2, n, 2, 64), wants(2, n, 2, 64)
    o, lse = (x.detach() for x in ops.attention(q, k, v, True, 0.0, 0.0, None))
    pages, table = normal(4, 16, 2, 64), torch.tensor([[0, 2], [3, 1]], dtype=torch.int32, device=DEVICE)
    lens = torch.tensor([20, 32], dtype=torch.int32, device=DEVICE)
    x, w, r = wants(2, n, 128), wants(384, 128), wants(2, n, 384)
    gate_up, down = wants(512, 128), wants(128, 256)
    turns = turns_of(n, DEVICE)
    plain = normal(2, n, 384)
    calls = [("attention", (q, k, v, True, 0.0, 0.0, None)), ("attention", (q, k, v, False, 0.1, 0.2, rng)),
             ("attention_backward", (o, q.detach(), k.detach(), v.detach(), o, lse, True, 0.0, 0.0, None)),
             ("attention_alibi", tuple(normal(1, n, 2, 128) for _ in range(3)) + (torch.ones(2, device=DEVICE),)),
             ("attention_paged", (normal(2, 1, 4, 64), pages, pages.clone(), table, lens, 0.0)),
             ("linear", (x, w, r)), ("linear_dx", (plain, w.detach())), ("linear_dw", (plain, x.detach())),
             ("qkv_rotary", (x, w, turns, 256)), ("rotary_back", (plain, turns, 256)),
             ("feed_forward", (x, gate_up, down, wants(2, n, 128))),
             ("ungated", (normal(2, n, 128), down.detach(), normal(2, n, 512)))]
    for name, args in calls:
        try:
            said = torch.library.opcheck(getattr(ops, name).default, args)
            count(all(x == "SUCCESS" for x in said.values()), f"opcheck of tc::{name}: {len(said)} tests")
        except Exception as e:
            count(False, f"opcheck of tc::{name}: {type(e).__name__}: {(str(e).splitlines() or [''])[0]}")


lacks = []


def inductor_lacks():
    """What torch.compile's inductor misses on this machine, tried with no function of tc's; None where it works."""
    if not lacks:
        try:
            for device in {"cpu", DEVICE}:
                torch.compile(lambda x: x.sin() + 1, fullgraph=True)(torch.ones(64, device=device))
            lacks.append(None)
        except Exception as e:
            lacks.append(f"inductor compiles nothing here: {(str(e).splitlines() or [type(e).__name__])[0]}")
    return lacks[0]


def compiled():
    """One graph, whose results are the same bits: what stands around the operators are products by powers of 2."""
    from tc_attention import attention, attention_paged as paged
    n = size(300, 40)
    t = [normal(2, n, 4, 128) for _ in range(3)]

    def call(f):
        leaves = [x.clone().requires_grad_() for x in t]
        o = f(*leaves)
        o.backward(torch.ones_like(o))
        return [o.detach()] + [x.grad for x in leaves]

    def plain(q, k, v):
        return attention(q * 2, k * 0.5, v, causal=True) * 4

    def dropping(q, k, v):
        return attention(q * 2, k * 0.5, v, dropout_p=0.25) * 4

    for backend in ("aot_eager", "inductor"):
        if backend == "inductor" and (why := inductor_lacks()):
            not_run(f"torch.compile with inductor: {why}")
            continue
        torch._dynamo.reset()
        f = torch.compile(plain, backend=backend, fullgraph=True)
        same = all(torch.equal(a, b) for a, b in zip(call(f), call(plain)))
        count(same, f"torch.compile, {backend}, fullgraph: O and gradients are the same bits")
        f = torch.compile(dropping, backend=backend, fullgraph=True)
        torch.manual_seed(3)
        first, second = call(f), call(f)
        torch.manual_seed(3)
        again = call(f)
        finite = all(torch.isfinite(x).all().item() for x in first)
        count(finite and all(torch.equal(a, b) for a, b in zip(first, again)) and not torch.equal(first[0], second[0]),
              f"torch.compile, {backend}, dropout: a seed repeats its mask, the next call has another")
        f = torch.compile(lambda q, k, v, table, lens: paged(q * 2, k, v, table, lens), backend=backend, fullgraph=True)
        table = torch.tensor([[1, 0], [2, 3]], dtype=torch.int32, device=DEVICE)
        a = (normal(2, 1, 4, 128), normal(4, 16, 2, 128), normal(4, 16, 2, 128), table,
             torch.tensor([20, 32], dtype=torch.int32, device=DEVICE))
        count(torch.equal(f(*a), paged(a[0] * 2, *a[1:])), f"torch.compile, {backend}, fullgraph: decoding from pages")


# ----------------------------------------------------------------------------------------------------------------------
# A block of a Llama.
def blocks(hidden, heads, heads_kv, inner):
    from llama import TcBlock, TorchBlock
    torch.manual_seed(11)
    with torch.device(DEVICE):
        theirs = TorchBlock(hidden, heads, heads_kv, inner).bfloat16()
        ours = TcBlock(hidden, heads, heads_kv, inner).bfloat16()
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def trained(block, x, turns, target):
    """A training step's results: loss, output and the gradients of x and all parameters."""
    block.zero_grad(set_to_none=True)
    x = x.detach().clone().requires_grad_()
    y = block(x, turns)
    loss = (y.to(target.dtype) - target).square().mean()
    loss.backward()
    found = {"output": y.detach(), "d x": x.grad}
    found.update({"d " + name: p.grad for name, p in block.named_parameters()})
    return loss.item(), found


def llama_case(name, tokens, widths, exact_type):
    from llama import TorchBlock, turns_of
    batch, n = tokens
    ours, theirs = blocks(*widths)
    x, turns = normal(batch, n, widths[0]), turns_of(n, DEVICE)
    target = torch.randn(batch, n, widths[0], device=DEVICE)
    with torch.device(DEVICE):
        exact = TorchBlock(*widths).to(exact_type)
    exact.load_state_dict(theirs.state_dict())  # the parameters in bf16, as numbers of a wider type
    loss_e, e = trained(exact, x.to(exact_type), turns, target.to(exact_type))
    loss_a, a = trained(ours, x, turns, target)
    loss_b, b = trained(theirs, x, turns, target)
    # |d^2| changes by 2 |d| |error| + |error|^2 at most, in the mean; the error allowed is 1.5 times PyTorch's
    d, off = rms(e["output"].double() - target.double()), FACTOR * rms(b["output"].double() - e["output"].double())
    bound = 2 * d * off + off * off + FLOOR * loss_e
    count(abs(loss_a - loss_e) <= bound, f"{name}, loss {loss_a:.7f}, PyTorch's {loss_b:.7f}, exactly {loss_e:.7f}")
    for what in e:
        beside(f"{name}, {what}", a[what], b[what], e[what])
    if exact_type != torch.float64:
        return
    if why := inductor_lacks():
        return not_run(f"{name}, torch.compile: {why}")
    torch._dynamo.reset()
    c = trained(torch.compile(ours, fullgraph=True), x, turns, target)[1]
    for what in ("output", "d x", "d qkv", "d gate_up"):
        key = what if what in c else what.replace("d ", "d _orig_mod.")
        beside(f"{name}, torch.compile fullgraph, {what}", c[key], b[what], e[what])


def llama_small():
    if EMULATED:
        return llama_case("2 x 40 tokens", (2, 40), (256, 2, 1, 256), torch.float64)
    llama_case("2 x 333 tokens, hidden 1024", (2, 333), (1024, 8, 2, 2816), torch.float64)


def llama_large():
    llama_case("4096 tokens, hidden 4096", (1, 4096), (4096, 32, 8, 14336), torch.float32)


class Calls:
    """Where a CUDA graph cannot be captured: the calls, Python's time with them."""

    def __init__(self, run):
        self.replay = run


def captured(name, run):
    """A CUDA graph of run: what it costs without Python."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            run()
    except RuntimeError as e:
        not_run(f"{name} in a CUDA graph, timed by calls instead: {str(e).splitlines()[0]}")
        return Calls(run)
    return graph


def medians(graphs, rounds=15, each=3):
    """Milliseconds of each, in turns: every round times all of them."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    times = [[] for _ in graphs]
    for i in range(rounds + 2):
        for graph, t in zip(graphs, times):
            start.record()
            for _ in range(each):
                graph.replay()
            stop.record()
            stop.synchronize()
            if i >= 2:
                t.append(start.elapsed_time(stop) / each)
    return [sorted(t)[len(t) // 2] for t in times]


def race(title, runs, work):
    """Times of what does the same in several ways, beside PyTorch's speed; work: floating-point operations."""
    graphs = {}
    for who, run in runs.items():
        try:
            graphs[who] = captured(f"{title}, {who}", run)
        except Exception as e:
            count(False, f"{title}, {who}: {type(e).__name__}: {(str(e).splitlines() or [''])[0]}")
    times = dict(zip(graphs, medians(list(graphs.values()))))
    for who, ms in times.items():
        print(f"      {title:34} {who:24} {ms:8.3f} ms {work / ms * 1e-9:6.0f} TFLOP/s   "
              f"{times.get('PyTorch', math.nan) / ms:.2f} times PyTorch's speed", flush=True)


class Rival:
    """A function of tensors, the parameters that it has beside them, and the gradient of its result."""

    def __init__(self, f, tensors, dout, parameters=()):
        self.f, self.tensors, self.dout, self.parameters = f, tensors, dout, list(parameters)

    def forward(self):
        with torch.no_grad():
            return self.f(*self.tensors)

    def both(self):
        for t in self.tensors + self.parameters:
            t.grad = None
        self.f(*self.tensors).backward(self.dout)


def compare(title, rivals, work):
    """work: of the forward pass, and of both."""
    race(f"{title}, forward", {who: r.forward for who, r in rivals.items()}, work[0])
    race(f"{title}, forward + backward", {who: r.both for who, r in rivals.items()}, work[1])


def times_of_parts(batch, n, widths):
    import tc_layers
    from tc_attention import attention
    hidden, heads, heads_kv, inner = widths
    leaf = lambda *shape: normal(*shape).requires_grad_()

    def sdpa_causal(q, k, v):
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True).transpose(1, 2)

    def swiglu(x, gate_up, down):
        gate, up = F.linear(x, gate_up).chunk(2, dim=2)
        return x + F.linear(F.silu(gate) * up, down)

    t, dout = [leaf(batch, n, h, 128) for h in (heads, heads_kv, heads_kv)], normal(batch, n, heads, 128)
    scores = 2.0 * batch * n * n * heads * 128  # of both products, causal: half of them
    compare("attention", {
        "tc": Rival(lambda q, k, v: attention(q, k, v, causal=True), t, dout),
        "PyTorch": Rival(sdpa_causal, t, dout),
        "tc, dropout 0.1": Rival(lambda q, k, v: attention(q, k, v, causal=True, dropout_p=0.1), t, dout),
    }, (scores, 3.5 * scores))
    t, dout = [leaf(batch, n, hidden), leaf(hidden, hidden)], normal(batch, n, hidden)
    work = 2.0 * batch * n * hidden * hidden
    compare("linear", {"tc": Rival(tc_layers.linear, t, dout), "PyTorch": Rival(F.linear, t, dout)}, (work, 3 * work))
    t = [leaf(batch, n, hidden), leaf(2 * inner, hidden), leaf(hidden, inner)]
    work = 6.0 * batch * n * hidden * inner
    compare("feed forward", {
        "tc": Rival(lambda x, gate_up, down: tc_layers.feed_forward(x, gate_up, down, x), t, dout),
        "PyTorch": Rival(swiglu, t, dout),
    }, (work, 3 * work))


def times_of_blocks(batch, n, widths):
    from llama import turns_of
    hidden, heads, heads_kv, inner = widths
    x, dout, turns = normal(batch, n, hidden).requires_grad_(), normal(batch, n, hidden), turns_of(n, DEVICE)
    ours, theirs = blocks(*widths)
    runs = {"tc": ours, "PyTorch": theirs}
    if why := inductor_lacks():
        not_run(f"times of torch.compile: {why}")
    else:
        torch._dynamo.reset()
        runs["tc, torch.compile"] = torch.compile(ours, fullgraph=True)
        runs["PyTorch, torch.compile"] = torch.compile(theirs, fullgraph=True)
    products = 2.0 * batch * n * (hidden * (2 * heads + 2 * heads_kv) * 128 + 3 * hidden * inner)
    scores = 2.0 * batch * n * n * heads * 128
    rivals = {who: Rival(lambda x, block=block: block(x, turns), [x], dout, block.parameters())
              for who, block in runs.items()}
    compare("block", rivals, (products + scores, 3 * products + 3.5 * scores))


def llama_times():
    batch, n, widths = 1, size(4096, 64), size((4096, 32, 8, 14336), (256, 2, 1, 256))
    print("      %d x %d tokens, hidden %d, heads %d/%d, inner %d" % ((batch, n) + widths), end="")
    print(", bf16; CUDA graphs in turns, medians of 15", flush=True)
    section("times of parts", lambda: times_of_parts(batch, n, widths))
    section("times of blocks", lambda: times_of_blocks(batch, n, widths))


def main():
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = False
    where = "tcemu" if EMULATED else torch.cuda.get_device_name()
    print(f"{where}, torch {torch.__version__}, CUDA {torch.version.cuda}", flush=True)
    import tc_library
    begun = time.monotonic()
    try:
        tc_library.build("attention", "layers")  # side by side
        print(f"      built in {time.monotonic() - begun:.1f} s", flush=True)
    except RuntimeError as e:
        print(e)
        failures.append("nvcc could not build the kernels")
    else:
        section("attention, forward", attention_forward)
        section("attention, gradients", attention_gradients)
        section("attention, dropout", attention_dropout)
        section("decoding from pages", attention_paged)
        section("what must be refused", refusals)
        section("torch.library", operators)
        section("torch.compile", compiled)
        section("a Llama block beside PyTorch's, against fp64", llama_small)
        if EMULATED:
            not_run("a Llama block of 8 billion parameters' size, and its times: need a GPU")
        else:
            section("a Llama block of 8 billion parameters' size, against fp32", llama_large)
            llama_times()
    for line in skipped:
        print(f"SKIP torch: {line}")
    for line in failures:
        print(f"FAIL torch: {line}")
    print(f"{passed} passed, {len(failures)} failed" + (f", {len(skipped)} skipped" if skipped else ""))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
