"""The package nozzle for the drop-in modules: the one that is installed, or else lib/torch's Python files over an
extension of PyTorch's that torch.utils.cpp_extension.load_inline compiles of nozzle's sources."""

import importlib.util
import os
import pathlib
import shutil
import sys

import torch
from torch.utils.cpp_extension import CUDA_HOME, load_inline

ROOT = pathlib.Path(__file__).resolve().parents[2]
TYPES = ["double", "float", "__half", "__nv_bfloat16", "__nv_fp8_e4m3", "__nv_fp8_e5m2"]


def includes(*names):
    return "".join(f'#include "{name}"\n' for name in names)


def instances(function):
    return "".join(f"template void nozzle::lib::{function}<{type_name}>(nozzle::lib::{call} const&);\n"
                   for type_name in TYPES for call in ("call", "matrix_call")) # yapf: disable


def compile_extension():
    """The library: the C interface and torch.ops.nozzle, of the functions up to hardsigmoid_onnx."""
    # A PyTorch for the CPU alone looks for no toolkit.
    toolkit = pathlib.Path(CUDA_HOME or os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    if not toolkit.is_dir():
        raise RuntimeError("nozzle's headers need the CUDA Toolkit's, for the CPU too: set CUDA_HOME")
    on_cuda = torch.version.cuda is not None
    folders = [ROOT / "include", ROOT / "lib", ROOT / "lib/torch/src", toolkit, toolkit / "cccl"]
    sources = ["check.cpp", "describe.cpp", "nozzle.cpp", "compute.cpp", "operators.cpp", "python.cpp"]
    sources += on_cuda * ["device_memory.cpp"]
    options = ["-std=c++20", "-O3", "-DNOZZLE_OPERATIONS=6"]
    # PyTorch turns off the conversions of half and bfloat16 that nozzle takes.
    conversions = ["HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS"]
    return load_inline(
        "nozzle_inline",
        cpp_sources=includes("run_matrices.hpp", *sources) + instances("run_on_host"),
        cuda_sources=includes("run_matrices.hpp") + instances("run_on_cuda") if on_cuda else None,
        extra_include_paths=[str(folder) for folder in folders],
        extra_cflags=options + ["-fopenmp"] + on_cuda * ["-DNOZZLE_WITH_CUDA"],
        extra_cuda_cflags=options + [f"-U__CUDA_NO_{name}__" for name in conversions],
        # PyTorch's, which a g++ without libstdc++.so beside its libstdc++.a would not link: the extension would crash.
        extra_ldflags=["-l:libstdc++.so.6"],
        is_python_module=False,
        no_implicit_headers=True)


def make_package():
    """The folder where the package is. PyTorch keeps what it compiled."""
    library = pathlib.Path(compile_extension())
    package = library.parent / "site/nozzle"
    shutil.copytree(ROOT / "lib/torch/nozzle", package, dirs_exist_ok=True)
    (package / "_build.py").write_text(f'TORCH_VERSION = "{torch.__version__}"\n')
    for name in ("libnozzle.so.0", "_torch.so"):
        link = package / f"{name}.{os.getpid()}" # other processes may be here too
        link.symlink_to(library)
        link.replace(package / name)
    return package.parent


if importlib.util.find_spec("nozzle") is None:
    sys.path.insert(0, str(make_package()))
from nozzle import nn # noqa: E402, F401  (the modules' bases)
