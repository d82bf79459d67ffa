"""nozzle.transform on arrays of other libraries."""

import copy
import math
import pickle
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import nozzle
from support import CUDA, devices

numpy = pytest.importorskip("numpy")


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2"])
def test_numpy(dtype):
    x = numpy.linspace(-3, 3, 24, dtype=dtype).reshape(2, 3, 4)
    y = nozzle.transform(x, "silu")
    expected = x / (1 + numpy.exp(-x.astype("f8")))
    assert y.shape == x.shape and y.dtype == x.dtype
    assert numpy.allclose(y, expected, rtol=2e-3 if dtype == "f2" else 1e-6)


def test_parameters_and_place():
    x = numpy.array([-3.0, 0.25, 3.0])
    out = numpy.empty(3)
    assert nozzle.transform(x, "hardtanh", hi=2, out=out) is out
    assert out.tolist() == [-1, 0.25, 2]
    nozzle.transform(x, "hardtanh", out=x)
    assert x.tolist() == [-1, 0.25, 1]


def test_read_only():
    x = numpy.frombuffer(numpy.array([-1.0, 2.0]).tobytes())
    assert nozzle.transform(x, "relu").tolist() == [0, 2]
    with pytest.raises(ValueError, match="out = ndarray: it is read-only"):
        nozzle.transform(x, "relu", out=x)


def test_copies_are_not_written_to():

    class Copied:
        __dlpack_device__ = lambda self: x.__dlpack_device__()
        __dlpack__ = lambda self, **asked: x.__dlpack__(copy=True, **asked)

    x = numpy.array([-1.0, 2.0])
    with pytest.raises(ValueError, match="out = Copied: .*a copy"):
        nozzle.transform(x, "relu", out=Copied())


def test_negatives_in_memory():
    x = torch._neg_view(torch.ones(2))
    for arrays, out in (([x], None), ([torch.ones(2)], x)):
        with pytest.raises(TypeError, match="resolve_neg"):
            nozzle.transform(*arrays, "relu", out=out)


def test_tensors_with_a_tangent():
    x, y = torch.ones(2), torch.empty(2)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(x, x)
        for array, out in ((dual, None), (dual, y), (x, dual)):
            with pytest.raises(TypeError, match="tangent"):
                nozzle.transform(array, "relu", out=out)
        assert torch.equal(nozzle.transform(x, "relu"), x)


def test_a_trace_is_refused():
    with pytest.raises(TypeError, match="jit.trace"):
        torch.jit.trace(lambda x: nozzle.transform(x, "relu"), torch.ones(2))


def test_tensors_without_memory_are_refused():
    call = lambda x: nozzle.transform(x, "relu")
    x = torch.ones(2, 3)
    with FakeTensorMode(), pytest.raises(TypeError, match="input: it has no memory of its own"):
        call(torch.ones(2))
    for change in (torch.func.functionalize, torch.vmap, torch.func.grad):
        with pytest.raises(TypeError, match="input: it has no memory of its own"):
            change(call)(x)
        with pytest.raises(TypeError, match="out: it has no memory of its own"):
            change(lambda out: nozzle.transform(numpy.ones(out.shape, "f4"), "relu", out=out))(x)
    assert nozzle.transform(torch.ones(0, 3), "relu").shape == (0, 3)


def test_a_parameter_that_is_learned_is_refused():
    """As nozzle.functional does."""
    x, beta = torch.ones(2), torch.nn.Parameter(torch.tensor(2.0))
    for learned in (beta, beta * 1):
        with pytest.raises(TypeError, match="swish: beta is a tensor that requires a gradient"):
            nozzle.transform(x, "swish", beta=learned)
    with torch.autograd.forward_ad.dual_level(), pytest.raises(TypeError, match="swish: beta is .* has a tangent"):
        nozzle.transform(x, "swish", beta=torch.autograd.forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0)))
    with torch.no_grad():
        assert torch.equal(nozzle.transform(x, "swish", beta=beta), nozzle.transform(x, "swish", beta=2.0))


class Edited:
    """An array of another library: its device, and what it writes into DLPack's fields, are not NumPy's."""

    def __init__(self, array, device=(1, 0), **fields):
        self.array, self.device, self.fields = array, device, fields

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, stream=None):
        capsule = self.array.__dlpack__()
        tensor, _ = nozzle.arrays._contents(capsule)
        for name, value in self.fields.items():
            setattr(tensor, name, value)
        return capsule


def test_fields_of_dlpack():
    x = numpy.array([-1.0, 2.0, -3.0, 4.0])
    behind = Edited(x[1:], data=x.ctypes.data, byte_offset=8)
    assert nozzle.transform(behind, "relu").tolist() == [2, 0, 4]
    assert nozzle.transform(Edited(x, strides=None), "relu").tolist() == [0, 2, 0, 4]
    with pytest.raises(TypeError, match="type 2 with 64 bits"):
        nozzle.transform(Edited(x, lanes=2), "relu")


def test_devices():
    x, y = numpy.array([-1.0, 2.0]), numpy.empty(2)
    nozzle.transform(Edited(x, device=(3, 0)), "relu", out=Edited(y)) # 3 is CUDA's memory on the host
    assert y.tolist() == [0, 2]
    with pytest.raises(TypeError, match="input: on a device of DLPack's type 7"):
        nozzle.transform(Edited(x, device=(7, 0)), "relu")


def test_strides_that_mean_nothing():
    x = numpy.arange(8.0).reshape(2, 4)
    assert nozzle.transform(x[::2], "relu").tolist() == x[:1].tolist()
    for shape in ((), (0, 3), (4, 0, 3)):
        x = numpy.zeros(shape)[::2] if shape else numpy.zeros(shape)
        assert nozzle.transform(x, "relu").shape == x.shape


def test_subclass():

    class Mine(numpy.ndarray):
        pass

    assert type(nozzle.transform(numpy.ones(3).view(Mine), "relu")) is Mine


def test_gate():
    a, b = numpy.array([1.0]), numpy.array([2.0])
    assert math.isclose(nozzle.transform(a, b, "swiglu")[0], 2 / (1 + math.exp(-1)))


@devices
def test_torch(device):
    x = torch.randn(2, 5, dtype=torch.bfloat16, device=device)
    expected = torch.ops.nozzle.gelu(x)
    out = torch.empty_like(x)
    assert nozzle.transform(x, "gelu", out=out) is out and torch.equal(out, expected)
    assert torch.equal(nozzle.transform(x, "gelu"), expected)
    assert torch.equal(nozzle.transform(torch.nn.Parameter(x, requires_grad=False), "gelu"), expected)


def test_in_a_compiled_function():
    """The graph breaks there."""
    x = torch.ones(3)
    compiled = torch.compile(lambda x: nozzle.transform(x * 2, "silu") + 1, backend="eager")
    assert torch.equal(compiled(x), nozzle.transform(x * 2, "silu") + 1)


def test_autograd_sees_what_changed():
    """As after out= of PyTorch's own."""
    y = torch.sigmoid(torch.randn(3, requires_grad=True)) # which keeps its result
    nozzle.transform(torch.zeros(3), "bias", offset=5.0, out=y.detach())
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    with torch.inference_mode():
        x = torch.randn(3) # which has no version
        assert nozzle.transform(x, "relu", out=x) is x
    assert nozzle.transform(torch.randn(3), "relu", out=x) is x and bool((x >= 0).all())


def test_several_devices():
    """On a host: the arrays' memory is not looked at."""
    x = numpy.array([-1.0, 2.0])
    managed, *on_cuda = (Edited(x, device) for device in ((13, 0), (2, 0), (2, 1)))
    with pytest.raises(ValueError, match=r"CUDA devices \[0, 1\]"):
        nozzle.transform(on_cuda[0], managed, "swiglu", out=on_cuda[1])


def test_the_catalogue_is_read_only():
    with pytest.raises(TypeError):
        nozzle.functions()["elu"].parameters["alpha"] = 5.0
    with pytest.raises(TypeError):
        nozzle.functions()["elu"] = None
    elu = nozzle.functions()["elu"]
    assert copy.deepcopy(elu) is elu and pickle.loads(pickle.dumps(elu)) is elu
    assert pickle.loads(pickle.dumps(nozzle.transform)) is nozzle.transform
    assert math.isclose(nozzle.transform(numpy.array([-1.0]), "elu")[0], math.expm1(-1))


WITHOUT_TORCH = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name: None if name == "torch" else find(name)
import numpy, nozzle
assert nozzle.transform(numpy.array([-1.0, 2.0]), "relu").tolist() == [0, 2] and "torch" not in sys.modules
"""


def test_without_pytorch():
    subprocess.run([sys.executable, "-c", WITHOUT_TORCH], check=True)


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.linspace(-2, 2, 9)
    with pytest.raises(ValueError, match="out: it is needed for ArrayImpl of bf16 on .*torch.empty"):
        nozzle.transform(x.astype("bfloat16"), "relu")
    with pytest.raises(TypeError, match="out: JAX's arrays are not written to"):
        nozzle.transform(x, "relu", out=x)
    with pytest.raises(TypeError, match="input = .*Tracer: it has no __dlpack_device__"):
        jax.jit(lambda x: nozzle.transform(x, "relu"))(x)
    if jax.default_backend() == "gpu":
        with pytest.raises(ValueError, match="out: it is needed for ArrayImpl of float on CUDA"):
            nozzle.transform(x, "relu")
    else:
        assert numpy.array_equal(nozzle.transform(x, "relu"), numpy.maximum(numpy.asarray(x), 0))


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_jax_with_out_of_pytorch(dtype):
    jax = pytest.importorskip("jax")
    device = "cuda" if jax.default_backend() == "gpu" else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("JAX has a GPU, PyTorch has none")
    x = jax.numpy.linspace(-2, 2, 9).astype(dtype)
    out = torch.empty(x.shape, dtype=getattr(torch, dtype), device=device)
    y = jax.dlpack.from_dlpack(nozzle.transform(x, "relu", out=out))
    assert y.dtype == x.dtype and jax.numpy.array_equal(y, jax.numpy.maximum(x, 0))


class Foreign:
    """A tensor as an array of another library."""

    def __init__(self, tensor):
        self.__dlpack__, self.__dlpack_device__ = tensor.__dlpack__, tensor.__dlpack_device__


@CUDA
@pytest.mark.parametrize("of_input", [lambda x: x, Foreign])
def test_runs_in_the_current_stream_of_pytorch(of_input):
    x = torch.randn(1 << 20, device="cuda")
    out, graph = torch.empty_like(x), torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph): # a call in another stream breaks the capture
        nozzle.transform(of_input(x), "gelu", out=out)
    out.zero_()
    graph.replay()
    assert torch.equal(out, nozzle.transform(x, "gelu"))


def test_whose_current_stream(monkeypatch):
    """That of the result's library."""

    class OnCuda(torch.Tensor):
        is_cuda = True

    def stream_of(*arrays, out=None):
        streams = []
        monkeypatch.setattr(nozzle.arrays, "_Memory", lambda array, name, stream: streams.append(stream) or 1 / 0)
        with pytest.raises(ZeroDivisionError):
            nozzle.transform(*arrays, "relu" if len(arrays) == 1 else "swiglu", out=out)
        return streams[0]

    current = lambda device: SimpleNamespace(cuda_stream=f"that of {device}")
    monkeypatch.setattr(torch.cuda, "current_stream", current)
    x, on_cuda = numpy.ones(2), torch.ones(2).as_subclass(OnCuda)
    assert stream_of(on_cuda) == stream_of(on_cuda, x) == stream_of(x, out=on_cuda) == "that of cpu"
    assert stream_of(x) is None and stream_of(x, on_cuda) is None and stream_of(on_cuda, out=x) is None


def test_cupy():
    cupy = pytest.importorskip("cupy")
    try:
        x = cupy.linspace(-2, 2, 9)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(str(error))
    out = cupy.empty_like(x)
    stream = cupy.cuda.get_current_stream().ptr
    for y in (nozzle.transform(x, "relu", out=out, stream=stream), nozzle.transform(x, "relu", stream=stream)):
        assert cupy.allclose(y, cupy.maximum(x, 0))


def test_errors():
    x = numpy.ones((4, 4))
    for call, error, message in (
        (lambda: nozzle.transform(x, "gellu"), ValueError, "gellu"),
        (lambda: nozzle.transform(x, "hardtanh", low=1), TypeError, "no parameter low"),
        (lambda: nozzle.transform(x, "threshold"), TypeError, "needs limit, value"),
        (lambda: nozzle.transform(x, "hardtanh", lo=3), ValueError, "lo = 3"),
        (lambda: nozzle.transform(x, "leaky_relu", slope="1"), TypeError, "leaky_relu: slope = '1'"),
        (lambda: nozzle.transform(x, x, "gelu"), TypeError, "takes 1"),
        (lambda: nozzle.transform(x[:, ::2], "gelu"), ValueError, "contiguous"),
        (lambda: nozzle.transform(x.astype("i4"), "gelu"), TypeError, "32 bits"),
        (lambda: nozzle.transform(x, "gelu", out=numpy.ones(4)), ValueError, "shapes"),
        (lambda: nozzle.transform(x, x.astype("f4"), "swiglu"), ValueError, "types double and float"),
        (lambda: nozzle.transform([1.0], "gelu"), TypeError, "__dlpack__"),
        (lambda: nozzle.transform("gelu", x), TypeError, "arrays, then the name"),
        (lambda: nozzle.transform(), TypeError, "arrays, then the name"),
    ): # yapf: disable
        with pytest.raises(error, match=message):
            call()
