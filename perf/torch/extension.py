"""The PyTorch extension that the drop-in modules share: nozzle's headers, compiled by torch.utils.cpp_extension.load_inline."""

import functools
import os
import pathlib

import torch
from torch.utils.cpp_extension import CUDA_HOME, load_inline

HERE = pathlib.Path(__file__).resolve().parent

FUNCTIONS = {
    "hardtanh_cuda": ("hardtanh", ["min_val", "max_val"]),
    "hardsigmoid_cuda": ("hardsigmoid", []),
    "hardsigmoid_onnx_cuda": ("hardsigmoid_onnx", ["alpha", "beta"]),
}

# The entries: names as in the original tasks, whose one function served CUDA alone.
ENTRY = """
at::Tensor {entry}(at::Tensor const& x, {declared}bool inplace)
{{
  return nozzle_torch::activation(x, nozzle::{functor}({passed}), inplace);
}}
"""

INSTANCES = """
template void nozzle_torch::run_on_cuda(nozzle::{functor} const&, call const&);
template void nozzle_torch::run_on_cuda(nozzle::gradient_of<nozzle::{functor}> const&, call const&);
template void nozzle_torch::run_on_cuda(nozzle::gradient_from_result_of<nozzle::{functor}> const&, call const&);
"""

CUDA_SOURCE = """
#include "extension.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <thrust/system/cuda/detail/par.h>

namespace nozzle_torch
{

template <class Op>
void run_on_cuda(Op const& op, call const& c)
{
  run(thrust::cuda::par_nosync.on(at::cuda::getCurrentCUDAStream()), op, c);
}

} // namespace nozzle_torch
"""


def entry(name, functor, parameters):
    declared = "".join(f"double {p}, " for p in parameters)
    return ENTRY.format(entry=name, functor=functor, declared=declared, passed=", ".join(parameters))


@functools.lru_cache(maxsize=None)
def load(verbose=False):
    """The extension, with CUDA where PyTorch has it. The first call compiles it; PyTorch keeps what it compiled."""
    if CUDA_HOME is None:
        raise RuntimeError("nozzle's headers need the CUDA Toolkit's, for the CPU too: set CUDA_HOME")
    on_cuda = torch.version.cuda is not None
    toolkit = pathlib.Path(CUDA_HOME) / "include"
    # PyTorch turns off the conversions of half and bfloat16 that nozzle takes.
    conversions = ["HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS"]
    return load_inline(
        "nozzle",
        cpp_sources=['#include "autograd.hpp"'] + [entry(name, *of) for name, of in FUNCTIONS.items()],
        cuda_sources=[CUDA_SOURCE] + [INSTANCES.format(functor=f) for f, _ in FUNCTIONS.values()] if on_cuda else None,
        functions=list(FUNCTIONS),
        extra_include_paths=[str(p) for p in (HERE, HERE.parent.parent / "include", toolkit, toolkit / "cccl")],
        extra_cflags=["-std=c++17", "-O3", "-fopenmp"] + ["-DNOZZLE_TORCH_CUDA"] * on_cuda,
        extra_cuda_cflags=["-std=c++17", "-O3"] + [f"-U__CUDA_NO_{name}__" for name in conversions],
        verbose=verbose)
