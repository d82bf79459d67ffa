"""nozzle.jax beside nozzle.transform and the C interface's gradients."""

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import nozzle
from support import FUNCTIONS, GIVEN, all_functions

numpy = pytest.importorskip("numpy")
jax = pytest.importorskip("jax")
import nozzle.jax as nj # fails in a build without JAX


def arrays(name, dtype="float32"):
    generator = numpy.random.default_rng(3)
    return [jax.numpy.asarray(generator.normal(size=(3, 5)) * 2, dtype) for _ in range(FUNCTIONS[name].inputs)]


@all_functions
def test_results(name):
    x, parameters = arrays(name), GIVEN.get(name, {})
    call = lambda *x: getattr(nj, name)(*x, **parameters)
    expected = nozzle.transform(*map(numpy.array, x), name, **parameters)
    # A GPU rounds exponentials its own way. On a CPU XLA flushes subnormal numbers, which exp computes with.
    apart = 0 if jax.default_backend() == "cpu" and name != "exp" else 2.0**-22
    for y in (call(*x), jax.jit(call)(*x), jax.vmap(call)(*x)):
        assert numpy.allclose(y, expected, rtol=apart, atol=0) and y.dtype == x[0].dtype


@all_functions
def test_gradients(name):
    x, parameters = arrays(name), GIVEN.get(name, {})
    leaves = [torch.tensor(numpy.asarray(t), requires_grad=True) for t in x]
    y = getattr(torch.ops.nozzle, name)(*leaves, *FUNCTIONS[name].values(parameters))
    expected = torch.autograd.grad(y.square().sum(), leaves)
    loss = lambda *x: (getattr(nj, name)(*x, **parameters)**2).sum()
    for got, wanted in zip(jax.jit(jax.grad(loss, tuple(range(len(x)))))(*x), expected):
        assert numpy.allclose(got, wanted.numpy(), rtol=1e-5, atol=1e-6)


SHARDED = """
import jax, numpy, nozzle.jax as nj
from jax.sharding import AxisType, PartitionSpec as P
over = lambda f, mesh, *specs: jax.shard_map(f, mesh=mesh, in_specs=specs, out_specs=P())
x, one = numpy.random.randn(4, 8).astype("f4"), numpy.random.randn(1, 8).astype("f4")
gate = lambda a, b: jax.nn.silu(a) * b
mesh = jax.make_mesh((4, ), ("d", ), axis_types=(AxisType.Auto, ))
for ours, theirs, arrays, specs in ((nj.silu, jax.nn.silu, (x, ), (P("d"), )),
                                    (nj.swiglu, gate, (x, x), (P("d"), P("d"))),
                                    (nj.swiglu, gate, (x, one), (P("d"), P())),
                                    (nj.swiglu, gate, (one, x), (P(), P("d")))):
    slope = lambda f: jax.grad(over(lambda *x: jax.lax.psum(f(*x).sum(), "d"), mesh, *specs), tuple(range(len(arrays))))
    for got, wanted in zip(slope(ours)(*arrays), slope(theirs)(*arrays)):
        assert numpy.allclose(got, wanted, atol=1e-5)
    try:
        over(ours, mesh, *specs)(*arrays)
    except ValueError:
        continue
    raise AssertionError("a result that differs from device to device passes for one that does not")
with jax.set_mesh(jax.make_mesh((4, ), ("d", ), axis_types=(AxisType.Explicit, ))):
    sharded = jax.device_put(x, P("d"))
    slope = jax.jit(jax.grad(lambda x: nj.silu(x).sum()))(sharded)
    assert jax.typeof(slope) == jax.typeof(sharded)
with jax.set_mesh(jax.make_mesh((2, 2), ("d", "e"), axis_types=(AxisType.Explicit, ) * 2)):
    sharded, other = jax.device_put(x, P("d", "e")), numpy.random.randn(4, 8).astype("f4")
    for arrays in ((sharded, other), (other, sharded), (sharded, jax.device_put(other, P("d")))):
        for ours in (nj.swiglu, jax.jit(nj.swiglu)):
            assert numpy.allclose(ours(*arrays), gate(*map(numpy.asarray, arrays)), atol=1e-5)
        slope = lambda f: jax.grad(lambda *x: f(*x).sum(), (0, 1))(*arrays)
        for got, wanted, array in zip(slope(nj.swiglu), slope(gate), arrays):
            assert numpy.allclose(got, wanted, atol=1e-5)
"""


def test_meshes():
    """In a process of its own, which has four devices."""
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    subprocess.run([sys.executable, "-c", SHARDED], check=True, env=environment)


@pytest.mark.skipif(jax.device_count() < 2, reason="JAX has no two devices")
def test_second_device():
    x = jax.device_put(arrays("silu")[0], jax.devices()[1])
    slope = lambda f: jax.jit(jax.grad(lambda x: f(x).sum()))(x)
    for got, expected in ((nj.silu(x), jax.nn.silu(x)), (slope(nj.silu), slope(jax.nn.silu))):
        assert got.devices() == x.devices() and numpy.allclose(got, expected, atol=1e-6)


def test_types():
    for dtype in ("float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"):
        x = arrays("relu", dtype)[0]
        assert nj.relu(x).dtype == x.dtype and numpy.array_equal(nj.relu(x), numpy.maximum(numpy.asarray(x), 0))


def test_parameters():
    x = arrays("elu")[0]
    for alpha in (2, numpy.float32(2), jax.numpy.float32(2)):
        assert numpy.array_equal(nj.elu(x, alpha=alpha), nj.elu(x, alpha=2.0))
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(lambda x, alpha: nj.elu(x, alpha=alpha))(x, 2.0)


def test_parameters_that_change_are_not_all_kept():
    for alpha in range(1, 300):
        nj._differentiable("elu", numpy.array([float(alpha)]).tobytes())
    assert nj._differentiable.cache_info().currsize < 299


def test_what_is_compiled_is_not_kept():
    """Longer than the function for these parameters."""
    def bytes_after(alphas):
        for alpha in alphas:
            nj.elu(arrays("elu")[0], alpha=alpha)
        nj._differentiable.cache_clear()
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    before = bytes_after(range(1, 31))
    assert bytes_after(range(31, 61)) - before < 15 << 20


def test_zeros_with_signs():
    x = jax.numpy.ones(3)
    for factor in (0.0, -0.0, 0.0):
        call = lambda x: nj.scale(x, factor=factor)
        for y in (call(x), jax.jit(call)(x)):
            assert bool((numpy.signbit(y) == numpy.signbit(factor)).all())


def test_errors():
    x = arrays("relu")[0]
    with pytest.raises(TypeError, match="takes 2 arrays"):
        nj.swiglu(x)
    with pytest.raises(ValueError, match=r"swiglu: .*different shapes .*float32\[3, 5\] and float32\[1, 5\]"):
        nj.swiglu(x, x[:1])
    with pytest.raises(TypeError, match="no parameter low"):
        nj.hardtanh(x, low=1)
    with pytest.raises(Exception, match="lo = 3"):
        nj.hardtanh(x, lo=3).block_until_ready()
    for call in (nj.relu, jax.jit(nj.relu)):
        with pytest.raises(TypeError, match="relu: array of type int32, not one of"):
            call(x.astype("int32"))


def test_a_function_that_is_not_in_the_library():
    """As in a program that jax.export wrote with a later one."""
    x = arrays("relu")[0]
    call = jax.ffi.ffi_call("nozzle", jax.ShapeDtypeStruct(x.shape, x.dtype))
    with pytest.raises(Exception, match="f->op = .*no such function"):
        call(x, op=numpy.int32(len(FUNCTIONS)), form=numpy.int32(0), parameters=numpy.zeros(0)).block_until_ready()
