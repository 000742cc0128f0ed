"""llama.py - a block of a Llama twice, with the same parameters: TorchBlock in PyTorch's operators, TcBlock in tc's.

    x = x + attention(rotary(rms_norm(x) Wqkv')) Wo'
    x = x + (silu(rms_norm(x) Wg') * (rms_norm(x) Wu')) Wd'

Heads have 128 columns, of which neighbours are a pair for the rotary embedding, as in Meta's Llama. TorchBlock computes
in the type of its parameters: in float64 it is what both are measured by.
"""
import torch
import torch.nn.functional as F

from tc_attention import attention
from tc_layers import feed_forward, linear, qkv_rotary

DIM = 128


def turns_of(tokens, device, base=500000.0):
    """(tokens, 64, 2): cosine and sine of each pair's angle at each place."""
    place = torch.arange(tokens, dtype=torch.float64)[:, None]
    angle = place * base ** (-torch.arange(0, DIM, 2, dtype=torch.float64) / DIM)
    return torch.stack((angle.cos(), angle.sin()), -1).float().to(device)


class TorchBlock(torch.nn.Module):
    def __init__(self, hidden, heads, heads_kv, inner):
        super().__init__()
        self.hidden, self.heads, self.heads_kv = hidden, heads, heads_kv
        of = lambda rows, cols: torch.nn.Parameter(torch.randn(rows, cols) / cols**0.5)
        self.norm1 = torch.nn.Parameter(1 + torch.randn(hidden) / 8)
        self.qkv = of((heads + 2 * heads_kv) * DIM, hidden)
        self.out = of(hidden, heads * DIM)
        self.norm2 = torch.nn.Parameter(1 + torch.randn(hidden) / 8)
        self.gate_up = of(2 * inner, hidden)
        self.down = of(hidden, inner)

    def norm(self, x, weight):
        return F.rms_norm(x, (self.hidden,), weight, 1e-5)

    def split(self, qkv):
        return qkv.unflatten(2, (-1, DIM)).split([self.heads, self.heads_kv, self.heads_kv], dim=2)

    def rotary(self, x, turns):
        """In float32 at least, then back to x's type."""
        wide = torch.promote_types(x.dtype, torch.float32)
        pair = x.to(wide).unflatten(3, (-1, 2))
        cos, sin = turns[None, :, None, :, 0].to(wide), turns[None, :, None, :, 1].to(wide)
        a, b = pair[..., 0], pair[..., 1]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(3).to(x.dtype)

    def forward(self, x, turns):
        q, k, v = self.split(F.linear(self.norm(x, self.norm1), self.qkv))
        q, k, v = (t.transpose(1, 2) for t in (self.rotary(q, turns), self.rotary(k, turns), v))
        o = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + F.linear(o.transpose(1, 2).flatten(2), self.out)
        gate, up = F.linear(self.norm(x, self.norm2), self.gate_up).chunk(2, dim=2)
        return x + F.linear(F.silu(gate) * up, self.down)


class TcBlock(TorchBlock):
    def forward(self, x, turns):
        qkv = qkv_rotary(self.norm(x, self.norm1), self.qkv, turns, (self.heads + self.heads_kv) * DIM)
        q, k, v = self.split(qkv)
        x = linear(attention(q, k, v, causal=True).flatten(2), self.out, x)
        return feed_forward(self.norm(x, self.norm2), self.gate_up, self.down, x)
