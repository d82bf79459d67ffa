"""nozzle.transform on arrays of other libraries."""

import math

import pytest

import nozzle

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


def test_gate():
    a, b = numpy.array([1.0]), numpy.array([2.0])
    assert math.isclose(nozzle.transform(a, b, "swiglu")[0], 2 / (1 + math.exp(-1)))


def test_torch():
    torch = pytest.importorskip("torch")
    x = torch.randn(5, dtype=torch.bfloat16)
    out = torch.empty_like(x)
    nozzle.transform(x, "gelu", out=out)
    assert torch.equal(out, torch.ops.nozzle.gelu(x))


def test_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.linspace(-2, 2, 9)
    assert numpy.allclose(nozzle.transform(x, "relu"), numpy.maximum(numpy.asarray(x), 0))


def test_cupy():
    cupy = pytest.importorskip("cupy")
    try:
        x = cupy.linspace(-2, 2, 9)
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(str(error))
    out = cupy.empty_like(x)
    nozzle.transform(x, "relu", out=out, stream=cupy.cuda.get_current_stream().ptr)
    assert cupy.allclose(out, cupy.maximum(x, 0))


def test_errors():
    x = numpy.ones((4, 4))
    for call, error, message in (
        (lambda: nozzle.transform(x, "gellu"), ValueError, "gellu"),
        (lambda: nozzle.transform(x, "hardtanh", low=1), TypeError, "no parameter low"),
        (lambda: nozzle.transform(x, "threshold"), TypeError, "needs limit, value"),
        (lambda: nozzle.transform(x, "hardtanh", lo=3), ValueError, "lo = 3"),
        (lambda: nozzle.transform(x, x, "gelu"), TypeError, "takes 1"),
        (lambda: nozzle.transform(x[:, ::2], "gelu"), ValueError, "contiguous"),
        (lambda: nozzle.transform(x.astype("i4"), "gelu"), TypeError, "32 bits"),
        (lambda: nozzle.transform(x, "gelu", out=numpy.ones(4)), ValueError, "shapes"),
        (lambda: nozzle.transform([1.0], "gelu"), TypeError, "__dlpack__"),
    ): # yapf: disable
        with pytest.raises(error, match=message):
            call()
