"""AOTInductor, DTensor, and load_inline."""

import importlib
import os
import subprocess
import sysconfig
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.utils.cpp_extension import include_paths

import nozzle
import nozzle.functional as F
from support import FUNCTIONS, apply, inputs_of, ops, parameters_of, two_gpus


class Model(torch.nn.Module):

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(8, 16), nozzle.nn.GELU(), nozzle.nn.SwiGLU(),
                                          torch.nn.Linear(8, 8), nozzle.nn.Hardtanh(-0.5, 0.5, inplace=True))

    def forward(self, x):
        return self.layers(x)


def check_aot_inductor(_, model, package):
    x = torch.randn(4, 8)
    exported = torch.export.export(model, (x, ), dynamic_shapes=({0: torch.export.Dim("batch", min=2)}, ))
    loaded = torch._inductor.aoti_load_package(torch._inductor.aoti_compile_and_package(exported, package_path=package))
    with torch.no_grad():
        for batch in (x, x[:3]):
            torch.testing.assert_close(loaded(batch), model(batch))


def test_aot_inductor(tmp_path):
    """In a process of its own: on some machines PyTorch 2.11's loader ends it, whatever the model."""
    package = str(tmp_path / "model.pt2")
    try:
        torch.multiprocessing.spawn(check_aot_inductor, (Model(), package))
    except torch.multiprocessing.ProcessExitedException:
        try:
            torch.multiprocessing.spawn(check_aot_inductor, (torch.nn.Linear(8, 8), package))
        except torch.multiprocessing.ProcessExitedException as error:
            pytest.skip(f"AOTInductor ends the process without nozzle too: {error}")
        raise


def check_shards(rank, store, device):
    """On each of two processes: every operator's results and gradients, sharded by rows and by columns."""
    import nozzle.distributed # noqa: F401
    from torch.distributed.tensor import Replicate, Shard, distribute_tensor, init_device_mesh

    if device == "cuda":
        torch.cuda.set_device(rank)
    backend = {"cpu": "gloo", "cuda": "nccl"}[device]
    dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=2)
    mesh = init_device_mesh(device, (2, ))

    def check(call, tensors, placement, expected_placement):
        leaves = [x.clone().requires_grad_() for x in tensors]
        sharded = [distribute_tensor(x, mesh, [placement]).requires_grad_() for x in tensors]
        y, expected = call(*sharded), call(*leaves)
        assert y.placements == (expected_placement, ), (y.placements, placement)
        torch.testing.assert_close(y.full_tensor(), expected)
        gradients = torch.autograd.grad(y.sum(), sharded)
        for got, wanted in zip(gradients, torch.autograd.grad(expected.sum(), leaves)):
            torch.testing.assert_close(got.full_tensor(), wanted)

    for name, function in FUNCTIONS.items():
        x = inputs_of(name, (4, 6), torch.float, device)
        for placement in (Shard(0), Shard(1), Replicate()):
            check(lambda *x: apply(name, *x), x, placement, placement)
        if function.inputs == 2:
            packed = lambda x: getattr(ops, name + "_halves")(x, *parameters_of(name))
            for placement, of_result in ((Shard(0), Shard(0)), (Shard(1), Replicate())):
                check(packed, x[:1], placement, of_result)
    if torch.__version__ >= "2.11":  # before, DTensor needs a result of each call
        x = distribute_tensor(torch.randn(4, 6, device=device), mesh, [Shard(0)])
        expected = F.silu(x.full_tensor())
        torch.testing.assert_close(F.silu(x, inplace=True).full_tensor(), expected)
    dist.destroy_process_group()
    os._exit(0)  # PyTorch's thread for gloo may still hold a tensor, and aborts if it frees that while Python ends


@pytest.mark.skipif(not dist.is_available(), reason="this PyTorch has no torch.distributed")
@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=two_gpus)])
def test_shards(tmp_path, device):
    torch.multiprocessing.spawn(check_shards, (str(tmp_path / "store"), device), nprocs=2)


def test_what_load_inline_compiles(monkeypatch, tmp_path):
    """For perf/torch's drop-in modules without this package: all sources in one file, where names must not collide."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "perf/torch"))
    extension, given = importlib.import_module("extension"), {}
    monkeypatch.setattr(extension, "load_inline", lambda name, **named: given.update(named))
    extension.compile_extension()
    source = tmp_path / "extension.cpp"
    source.write_text(given["cpp_sources"])
    folders = given["extra_include_paths"] + include_paths() + [sysconfig.get_path("include")]
    subprocess.run(["c++", "-fsyntax-only", *given["extra_cflags"], *(f"-I{each}" for each in folders), source],
                   check=True)
