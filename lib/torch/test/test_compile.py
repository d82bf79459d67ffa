"""The ways in which PyTorch compiles, exports and traces the package's functions and modules."""

import pytest
import torch

import nozzle
import nozzle.functional as F
from support import counterparts, devices, ours, small_model


@devices
@counterparts
def test_compile(name, device):
    torch._dynamo.reset()

    def step(x):
        return ours(name)(x * 2) + 1

    x = torch.randn(4, 6, device=device, requires_grad=True)
    compiled = torch.compile(step, fullgraph=True, backend="aot_eager")
    y, expected = compiled(x), step(x)
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), torch.autograd.grad(expected.sum(), x))


@devices
def test_compile_with_inductor(device):
    torch._dynamo.reset()
    model = small_model().to(device)
    nozzle.replace(model)
    x = torch.randn(4, 8, device=device)
    expected = model(x)
    compiled = torch.compile(model, fullgraph=True, dynamic=True)
    torch.testing.assert_close(compiled(x), expected)
    torch.testing.assert_close(compiled(x[:3]), expected[:3])


def test_compile_in_place():
    torch._dynamo.reset()

    def step(x):
        y = x * 2
        F.silu(y, inplace=True)
        return y

    x = torch.randn(5, requires_grad=True)
    y = torch.compile(step, fullgraph=True, backend="aot_eager")(x)
    torch.testing.assert_close(y, step(x))
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), torch.autograd.grad(step(x).sum(), x))


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile_in_place_behind_a_view(dynamic):
    """By Inductor, which reads wrong elements there for operators that PyTorch makes functional in its own way."""
    torch._dynamo.reset()

    def step(x):
        y = torch.zeros(2, *x.shape)
        torch.ops.nozzle.silu.out(x, out=y[1])
        return F.relu(x[1:].clone(), inplace=True), y

    x = torch.randn(4, 8)
    with torch._inductor.config.patch(force_disable_caches=True): # of code that was made before
        for got, expected in zip(torch.compile(step, dynamic=dynamic)(x), step(x)):
            torch.testing.assert_close(got, expected)
    for wrong in (torch.empty(3), torch.empty(4, 8, device="meta")):
        with pytest.raises(ValueError, match="shape, type and device"):
            torch.func.functionalize(lambda x: torch.ops.nozzle.silu.out(x, out=wrong))(x)


def test_compile_with_a_tensors_number():
    torch._dynamo.reset()
    x, beta = torch.randn(5), torch.tensor(1.5)
    compiled = torch.compile(lambda x, beta: F.swish(x, beta.item()), backend="eager")
    assert torch.equal(compiled(x, beta), F.swish(x, 1.5))


def test_export():
    model = small_model()
    nozzle.replace(model)
    x = torch.randn(4, 8)
    batch = torch.export.Dim("batch")
    exported = torch.export.export(model, (x, ), dynamic_shapes=({0: batch}, ))
    assert "nozzle" in str(exported.graph)
    torch.testing.assert_close(exported.module()(x[:2]), model(x[:2]))


class Selecting(torch.nn.Module):
    """A function of rows whose number depends on data."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x[x[:, 0] > 0])


@pytest.mark.parametrize("function", [lambda x: F.silu(x.t()), lambda x: F.silu(x.t()[:, 1:]),
                                      lambda x: F.swiglu(x.t(), x.t() * 1), lambda x: F.glu(x, 0)])
def test_sizes_that_depend_on_data(function):
    torch._dynamo.reset()
    model, x = Selecting(function), torch.randn(6, 4)
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        for same in (compiled, torch.export.export(model, (x, )).module()):
            for rows in (4, 2, 0):
                x[:rows, 0], x[rows:, 0] = 1, -1
                assert torch.equal(same(x), model(x)) and same(x).stride() == model(x).stride()


def test_glu_of_a_size_that_turns_out_odd():
    exported = torch.export.export(Selecting(lambda x: F.glu(x, 0)), (torch.ones(6, 4), )).module()
    x = torch.ones(6, 4)
    x[3:] = -1
    with pytest.raises(RuntimeError):
        exported(x)


def test_jit_trace():
    traced = torch.jit.trace(lambda x: F.hardtanh(F.gelu(x)), torch.randn(3))
    x = torch.randn(7)
    assert torch.equal(traced(x), F.hardtanh(F.gelu(x)))
    assert "nozzle::gelu" in str(traced.graph)
