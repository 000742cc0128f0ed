"""tc_layers.py - linear layers of a Llama block as PyTorch's own: functions with gradients, which torch.compile takes
whole. What stands between the products is in their epilogues: layers.cu says how.

    from tc_layers import linear, qkv_rotary, feed_forward
    y = linear(x, w, residual)                            x w' + residual; w is (out, in), as in torch.nn.Linear
    qkv = qkv_rotary(x, w, turns, rotated)                (batch, tokens, in); the first `rotated` columns are turned
    y = feed_forward(x, w_gate_up, w_down, residual)      silu(x wg') * (x wu') wd' + residual

bf16; sizes are multiples of 8. turns: (tokens, 64, 2) float32, cosine and sine by which each token's pairs of
neighbours of a head of 128 are turned.
"""
import ctypes
from typing import Optional, Tuple

import torch
from torch import Tensor
from torch.library import custom_op

import tc_library

FIELDS = dict.fromkeys("x w y residual turns gate_up dgate_up".split(), tc_library.Tensor)
lib = tc_library.Library("layers", dict(FIELDS, rotated=ctypes.c_int64))


def linear(x, w, residual=None):
    return torch.ops.tc.linear(x, w, residual)


def qkv_rotary(x, w, turns, rotated):
    return torch.ops.tc.qkv_rotary(x, w, turns, rotated)


def feed_forward(x, w_gate_up, w_down, residual):
    return torch.ops.tc.feed_forward(x, w_gate_up, w_down, residual)[0]


def rows(t):
    """t as a matrix of rows that a kernel can read as it is: a copy where they lie in another way."""
    if t is None:
        return None
    t = t.reshape(-1, t.shape[-1])
    fits = t.stride(1) == 1 and t.stride(0) >= t.shape[1] and t.stride(0) % 8 == 0 and t.data_ptr() % 16 == 0
    return t if fits else t.clone(memory_format=torch.contiguous_format)


def flat(t):
    """A result as a matrix of rows: never a copy."""
    return t.view(-1, t.shape[-1])


def new(like, *shape):
    return torch.empty(shape, dtype=like.dtype, device=like.device)


def wide(x, columns):
    return new(x, *x.shape[:-1], columns)


def matrix(**tensors):
    for name, t in tensors.items():
        if t.dim() != 2:
            raise RuntimeError(f"{name} must be a matrix, not of {t.dim()} dimensions")


@custom_op("tc::linear", mutates_args=())
def linear_op(x: Tensor, w: Tensor, residual: Optional[Tensor]) -> Tensor:
    matrix(w=w)
    y = wide(x, w.shape[0])
    lib.call("layer_linear", x=rows(x), w=rows(w), y=flat(y), residual=rows(residual))
    return y


@linear_op.register_fake
def _(x, w, residual):
    matrix(w=w)
    return wide(x, w.shape[0])


@custom_op("tc::linear_dx", mutates_args=())
def linear_dx_op(dy: Tensor, w: Tensor) -> Tensor:
    dx = wide(dy, w.shape[1])
    lib.call("layer_linear_dx", y=rows(dy), w=rows(w), x=flat(dx))
    return dx


@linear_dx_op.register_fake
def _(dy, w):
    return wide(dy, w.shape[1])


@custom_op("tc::linear_dw", mutates_args=())
def linear_dw_op(dy: Tensor, x: Tensor) -> Tensor:
    dw = new(x, dy.shape[-1], x.shape[-1])
    lib.call("layer_linear_dw", y=rows(dy), x=rows(x), w=dw)
    return dw


@linear_dw_op.register_fake
def _(dy, x):
    return new(x, dy.shape[-1], x.shape[-1])


def linear_keep(ctx, inputs, output):
    ctx.save_for_backward(inputs[0], inputs[1])


def linear_gradients(ctx, dy):
    x, w = ctx.saved_tensors
    dx = torch.ops.tc.linear_dx(dy, w) if ctx.needs_input_grad[0] else None
    dw = torch.ops.tc.linear_dw(dy, x) if ctx.needs_input_grad[1] else None
    return dx, dw, dy if ctx.needs_input_grad[2] else None


linear_op.register_autograd(linear_gradients, setup_context=linear_keep)


@custom_op("tc::qkv_rotary", mutates_args=())
def qkv_rotary_op(x: Tensor, w: Tensor, turns: Tensor, rotated: int) -> Tensor:
    matrix(w=w)
    y = wide(x, w.shape[0])
    lib.call("layer_rotary", x=x.contiguous(), w=rows(w), y=y, turns=turns, rotated=rotated)
    return y


@qkv_rotary_op.register_fake
def _(x, w, turns, rotated):
    matrix(w=w)
    return wide(x, w.shape[0])


@custom_op("tc::rotary_back", mutates_args=())
def rotary_back_op(dy: Tensor, turns: Tensor, rotated: int) -> Tensor:
    d = wide(dy, dy.shape[-1])
    lib.call("layer_rotary_back", x=dy.contiguous(), y=d, turns=turns, rotated=rotated)
    return d


@rotary_back_op.register_fake
def _(dy, turns, rotated):
    return wide(dy, dy.shape[-1])


def qkv_keep(ctx, inputs, output):
    x, w, turns, ctx.rotated = inputs
    ctx.save_for_backward(x, w, turns)


def qkv_gradients(ctx, dy):
    x, w, turns = ctx.saved_tensors
    d = torch.ops.tc.rotary_back(dy, turns, ctx.rotated)
    dx = torch.ops.tc.linear_dx(d, w) if ctx.needs_input_grad[0] else None
    dw = torch.ops.tc.linear_dw(d, x) if ctx.needs_input_grad[1] else None
    return dx, dw, None, None


qkv_rotary_op.register_autograd(qkv_gradients, setup_context=qkv_keep)


@custom_op("tc::feed_forward", mutates_args=())
def feed_forward_op(x: Tensor, w_gate_up: Tensor, w_down: Tensor, residual: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    """Beside the result h = silu(gate) * up and (gate, up), which the backward pass wants."""
    matrix(w_gate_up=w_gate_up, w_down=w_down)
    h, gate_up, y = wide(x, w_down.shape[1]), wide(x, w_gate_up.shape[0]), wide(x, w_down.shape[0])
    lib.call("layer_gated", x=rows(x), w=rows(w_gate_up), y=flat(h), gate_up=flat(gate_up))
    lib.call("layer_linear", x=rows(h), w=rows(w_down), y=flat(y), residual=rows(residual))
    return y, h, gate_up


@feed_forward_op.register_fake
def _(x, w_gate_up, w_down, residual):
    matrix(w_gate_up=w_gate_up, w_down=w_down)
    return wide(x, w_down.shape[0]), wide(x, w_down.shape[1]), wide(x, w_gate_up.shape[0])


@custom_op("tc::ungated", mutates_args=())
def ungated_op(dy: Tensor, w_down: Tensor, gate_up: Tensor) -> Tensor:
    d = new(gate_up, *gate_up.shape)
    lib.call("layer_ungated", x=rows(dy), w=rows(w_down), gate_up=rows(gate_up), dgate_up=flat(d))
    return d


@ungated_op.register_fake
def _(dy, w_down, gate_up):
    return new(gate_up, *gate_up.shape)


def feed_forward_keep(ctx, inputs, output):
    x, w_gate_up, w_down, _ = inputs
    y, h, gate_up = output
    ctx.save_for_backward(x, w_gate_up, w_down, h, gate_up)
    ctx.mark_non_differentiable(h, gate_up)
    ctx.set_materialize_grads(False)  # nobody makes zeros for these


def feed_forward_gradients(ctx, dy, *unused):
    x, w_gate_up, w_down, h, gate_up = ctx.saved_tensors
    d = torch.ops.tc.ungated(dy, w_down, gate_up)
    dx = torch.ops.tc.linear_dx(d, w_gate_up) if ctx.needs_input_grad[0] else None
    dgate_up = torch.ops.tc.linear_dw(d, x) if ctx.needs_input_grad[1] else None
    ddown = torch.ops.tc.linear_dw(dy, h) if ctx.needs_input_grad[2] else None
    return dx, dgate_up, ddown, dy if ctx.needs_input_grad[3] else None


feed_forward_op.register_autograd(feed_forward_gradients, setup_context=feed_forward_keep)
