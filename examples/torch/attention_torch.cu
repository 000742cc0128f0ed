/* attention_torch.cu - generated attention as functions of PyTorch. run.py beside this file builds it, checks it and
 * shows its use:
 *     python3 examples/torch/run.py        needs PyTorch with CUDA, nvcc of the same major version, ninja, and a GPU
 *
 * Tensors are (batch, rows, heads, head_dim) in bf16, with any strides in which the elements of a head are neighbours:
 * slices of a fused projection go in as they are. This file is C++ where it speaks PyTorch's language and nowhere
 * else. */
#include <torch/csrc/utils/pybind.h> /* torch/extension.h, in a third of the time */
#include <ATen/core/grad_mode.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/ops/empty.h>
#include <c10/cuda/CUDAGuard.h>
#include "../../tc_attn.h"

typedef struct { const float *slopes; } alibi_args;

TC_DEV float alibi(float s, tc_attn_at at, const void *args)
{
    return s + ((const alibi_args *)args)->slopes[at.h] * (at.kv - at.q);
}

TC_ATTN_DEFINE(attn_64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_DEFINE(attn_64_causal, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_DEFINE(attn_128, .type = TC_BF16, .head_dim = 128)
TC_ATTN_DEFINE(attn_128_causal, .type = TC_BF16, .head_dim = 128, .causal = 1)
TC_ATTN_DEFINE(attn_128_alibi, .type = TC_BF16, .head_dim = 128, .causal = 1, .hook_size = sizeof(alibi_args),
               .score = alibi)

typedef tc_status (*attn_run_fn)(const tc_attn_args *, cudaStream_t);

/* What PyTorch says of the stride of a dimension of size 1 means nothing, and may break a rule; 0 is its word for
 * expanded. */
static int64_t step(const at::Tensor &t, int i)
{
    return t.size(i) <= 1 ? t.size(3) : t.stride(i) ? t.stride(i) : (int64_t)TC_ATTN_SHARED;
}
static tc_attn_strides strides(const at::Tensor &t) { return tc_attn_strides{step(t, 0), step(t, 1), step(t, 2)}; }

/* Checks what PyTorch knows and tc does not (types, devices, ranks); tc checks the rest, and says what is wrong. */
static at::Tensor call(attn_run_fn run, const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, double scale,
                       const void *hook_args, size_t hook_size)
{
    const at::Tensor *all[3] = {&q, &k, &v};
    for (int i = 0; i < 3; i++) {
        const at::Tensor &t = *all[i];
        TORCH_CHECK(t.is_cuda() && t.device() == q.device(), "qkv"[i], " must be on the same CUDA device as q");
        TORCH_CHECK(t.scalar_type() == at::kBFloat16, "qkv"[i], " must be bfloat16, not ", t.scalar_type());
        TORCH_CHECK(t.dim() == 4, "qkv"[i], " must be (batch, rows, heads, head_dim), not of ", std::to_string(t.dim()),
                    " dimensions");
        TORCH_CHECK(t.stride(3) == 1, "qkv"[i], ": the elements of a head must be neighbours, not ",
                    std::to_string(t.stride(3)), " apart");
        TORCH_CHECK(t.size(0) == q.size(0) && t.size(3) == q.size(3), "qkv"[i],
                    " must have the batch and head_dim of q");
        TORCH_CHECK(!(at::GradMode::is_enabled() && t.requires_grad()), "qkv"[i],
                    " requires a gradient, and this is the forward pass alone: call it under torch.no_grad()");
    }
    TORCH_CHECK(k.size(1) == v.size(1) && k.size(2) == v.size(2), "k and v must have the same rows and heads");
    const c10::cuda::CUDAGuard guard(q.device());
    at::Tensor o = at::empty({q.size(0), q.size(1), q.size(2), q.size(3)}, q.options());
    tc_attn_args a;
    memset(&a, 0, sizeof a);
    a.batch = (int)q.size(0), a.heads = (int)q.size(2), a.heads_kv = (int)k.size(2), a.q_len = (int)q.size(1),
        a.k_len = (int)k.size(1);
    a.q = q.data_ptr(), a.k = k.data_ptr(), a.v = v.data_ptr(), a.o = o.data_ptr();
    a.q_stride = strides(q), a.k_stride = strides(k), a.v_stride = strides(v);
    a.scale = (float)scale;
    a.hook_args = hook_args, a.hook_size = hook_size;
    TORCH_CHECK(run(&a, at::cuda::getCurrentCUDAStream()) == TC_OK, tc_why());
    return o;
}

at::Tensor attention(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, bool causal, double scale)
{
    const int64_t dim = q.size(-1);
    TORCH_CHECK(dim == 64 || dim == 128, "no kernel for head_dim ", std::to_string(dim), ": add a TC_ATTN_DEFINE");
    return call(dim == 64 ? causal ? attn_64_causal_run : attn_64_run : causal ? attn_128_causal_run : attn_128_run, q,
                k, v, scale, 0, 0);
}

/* Causal; slopes: one f32 for each head of q. */
at::Tensor attention_alibi(const at::Tensor &q, const at::Tensor &k, const at::Tensor &v, const at::Tensor &slopes)
{
    TORCH_CHECK(q.dim() == 4 && q.size(3) == 128, "attention_alibi has a kernel for head_dim 128 only");
    TORCH_CHECK(slopes.device() == q.device() && slopes.scalar_type() == at::kFloat && slopes.is_contiguous()
                && slopes.numel() == q.size(2), "slopes: one contiguous float32 for each head, beside q");
    const alibi_args args = {slopes.data_ptr<float>()};
    return call(attn_128_alibi_run, q, k, v, 0, &args, sizeof args);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m)
{
    m.def("attention", &attention, py::arg("q"), py::arg("k"), py::arg("v"), py::arg("causal") = false,
          py::arg("scale") = 0.0);
    m.def("attention_alibi", &attention_alibi, py::arg("q"), py::arg("k"), py::arg("v"), py::arg("slopes"));
}
