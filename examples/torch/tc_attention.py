"""tc_attention.py - tc's attention as PyTorch's own: functions with gradients, which torch.compile takes whole.

    from tc_attention import attention, attention_alibi, attention_paged
    o = attention(q, k, v, causal=True, dropout_p=0.1)      (batch, rows, heads, head_dim), bf16; q, k and v may be
                                                            slices; k and v may have fewer heads
    o = attention_paged(q, k_pages, v_pages, page_table, lens)      decoding: K and V in pages

Behind each stands an operator of torch.library: torch.ops.tc.attention and its like. An operator has a body, which
calls attention.cu; a fake, which says of what shape its results are; and a formula for gradients.

Dropout. The mask is a function of two numbers and of an element's place, and nobody stores it: attention draws the two
numbers from PyTorch's generator of the CPU, so that torch.manual_seed repeats them, and the backward pass is given
the same ones. A CUDA graph that is captured keeps the numbers it was captured with.
"""
import ctypes
from typing import Optional, Tuple

import torch
from torch import Tensor
from torch.library import custom_op

import tc_library

FIELDS = dict.fromkeys("q k v o lse dout dq dk dv slopes table lens workspace".split(), tc_library.Tensor)
FIELDS.update(scale=ctypes.c_double, dropout_p=ctypes.c_double)
FIELDS.update(causal=ctypes.c_int64, seed=ctypes.c_int64, offset=ctypes.c_int64)
lib = tc_library.Library("attention", FIELDS)


def attention(q, k, v, causal=False, scale=0.0, dropout_p=0.0):
    """softmax(scale q k') v; scale 0: 1 / sqrt(head_dim). causal: the last query sees all keys."""
    if not 0 <= dropout_p < 1:
        raise ValueError(f"dropout_p = {dropout_p} must be 0 or more, and below 1")
    rng = torch.randint(0, 2**63 - 1, (2,), dtype=torch.int64) if dropout_p > 0 else None
    return torch.ops.tc.attention(q, k, v, causal, scale, dropout_p, rng)[0]


def attention_alibi(q, k, v, slopes):
    """Causal, with a bias of slopes[h] * (key - query): a hook of attention.cu. Forward alone."""
    return torch.ops.tc.attention_alibi(q, k, v, slopes)


def attention_paged(q, k_pages, v_pages, page_table, lens, scale=0.0):
    """Decoding. q: (batch, new rows, heads, head_dim), the last of which stands at row lens[b] - 1; k_pages, v_pages:
    (pages, rows of a page, heads_kv, head_dim); page_table: (batch, n) int32, the pages of each sequence in order."""
    return torch.ops.tc.attention_paged(q, k_pages, v_pages, page_table, lens, scale)


def dropout_mask(rng, p, shape):
    """What multiplies the probabilities of (batch, heads, queries, keys): for checks, made on the CPU."""
    mask = torch.empty(shape, dtype=torch.float32)
    call = lib.filled({"q": mask, "dropout_p": p, "seed": int(rng[0]), "offset": int(rng[1])})
    why = lib.function("attention_dropout_mask", ctypes.c_char_p)(ctypes.byref(call), None)
    if why is not None:
        raise RuntimeError(why.decode())
    return mask


def numbers(rng):
    return dict(seed=int(rng[0]), offset=int(rng[1])) if rng is not None else {}


def like(t):
    """A contiguous tensor of t's shape: what an operator returns has no layout to guess."""
    return torch.empty(t.shape, dtype=t.dtype, device=t.device)


def lse_of(q):
    return torch.empty(q.shape[0], q.shape[2], q.shape[1], dtype=torch.float32, device=q.device)


def four(**tensors):
    for name, t in tensors.items():
        if t.dim() != 4:
            raise RuntimeError(f"{name} must be (batch, rows, heads, head_dim), not of {t.dim()} dimensions")


@custom_op("tc::attention", mutates_args=())
def attention_op(q: Tensor, k: Tensor, v: Tensor, causal: bool, scale: float, dropout_p: float,
                 rng: Optional[Tensor]) -> Tuple[Tensor, Tensor]:
    four(q=q, k=k, v=v)
    o, lse = like(q), lse_of(q)
    lib.call("attention_forward", q=q, k=k, v=v, o=o, lse=lse, causal=causal, scale=scale, dropout_p=dropout_p,
             **numbers(rng))
    return o, lse


@attention_op.register_fake
def _(q, k, v, causal, scale, dropout_p, rng):
    four(q=q, k=k, v=v)
    return like(q), lse_of(q)


@custom_op("tc::attention_backward", mutates_args=())
def attention_backward_op(dout: Tensor, q: Tensor, k: Tensor, v: Tensor, o: Tensor, lse: Tensor, causal: bool,
                          scale: float, dropout_p: float, rng: Optional[Tensor]) -> Tuple[Tensor, Tensor, Tensor]:
    dq, dk, dv = like(q), like(k), like(v)
    given = dict(dout=dout.contiguous(), q=q, k=k, v=v, o=o, lse=lse, dq=dq, dk=dk, dv=dv, causal=causal, scale=scale,
                 dropout_p=dropout_p, **numbers(rng))
    given["workspace"] = tc_library.scratch(lib.ask("attention_backward_room", **given), q)
    lib.call("attention_backward", **given)
    return dq, dk, dv


@attention_backward_op.register_fake
def _(dout, q, k, v, o, lse, causal, scale, dropout_p, rng):
    return like(q), like(k), like(v)


def keep(ctx, inputs, output):
    q, k, v, causal, scale, dropout_p, rng = inputs
    o, lse = output
    ctx.save_for_backward(q, k, v, o, lse, rng)
    ctx.how = causal, scale, dropout_p
    ctx.mark_non_differentiable(lse)
    ctx.set_materialize_grads(False)  # nobody makes zeros for lse


def gradients(ctx, dout, dlse):
    q, k, v, o, lse, rng = ctx.saved_tensors
    dq, dk, dv = torch.ops.tc.attention_backward(dout, q, k, v, o, lse, *ctx.how, rng)
    return dq, dk, dv, None, None, None, None


attention_op.register_autograd(gradients, setup_context=keep)


@custom_op("tc::attention_alibi", mutates_args=())
def attention_alibi_op(q: Tensor, k: Tensor, v: Tensor, slopes: Tensor) -> Tensor:
    four(q=q, k=k, v=v)
    o = like(q)
    lib.call("attention_alibi", q=q, k=k, v=v, o=o, slopes=slopes)
    return o


@attention_alibi_op.register_fake
def _(q, k, v, slopes):
    return like(q)


@custom_op("tc::attention_paged", mutates_args=())
def attention_paged_op(q: Tensor, k_pages: Tensor, v_pages: Tensor, page_table: Tensor, lens: Tensor,
                       scale: float) -> Tensor:
    four(q=q, k_pages=k_pages, v_pages=v_pages)
    o = like(q)
    given = dict(q=q, k=k_pages, v=v_pages, o=o, table=page_table, lens=lens, scale=scale)
    given["workspace"] = tc_library.workspace(lib.ask("attention_paged_room", **given), q)
    lib.call("attention_paged", **given)
    return o


@attention_paged_op.register_fake
def _(q, k_pages, v_pages, page_table, lens, scale):
    return like(q)


def forward_alone(name):
    def no_gradient(ctx, *unused):
        raise RuntimeError(f"{name} has no backward pass: it is the forward pass alone")

    return no_gradient


attention_alibi_op.register_autograd(forward_alone("attention_alibi"))
attention_paged_op.register_autograd(forward_alone("attention_paged"))
