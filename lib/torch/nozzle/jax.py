"""nozzle's functions for JAX, in jit, vmap and grad: first derivatives, in reverse mode.

    import nozzle.jax
    y = nozzle.jax.hardtanh(x, lo=-2, hi=2)

Every function of the catalogue by its name there, with its parameters by name, on the CPU and on CUDA. Over several
devices call it inside shard_map: under jit alone sharded arrays are gathered, and each device computes the whole.
"""

import ctypes
import functools
import pathlib

import jax
import numpy

from .catalogue import functions

_TYPES = ("float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
_RESULT, _GRADIENT, _GRADIENT_BY_SECOND = range(3)
_typeof = jax.typeof if hasattr(jax, "typeof") else jax.core.get_aval # before JAX 0.6


def _register():
    path = pathlib.Path(__file__).with_name("_jax.so")
    if not path.exists():
        raise ImportError("nozzle was built without JAX: install JAX and build it again")
    functions() # loads libnozzle, as in operators.py
    library = ctypes.CDLL(str(path))
    for platform, symbol in (("cpu", "nozzle_jax_on_host"), ("CUDA", "nozzle_jax_on_cuda")):
        jax.ffi.register_ffi_target("nozzle", jax.ffi.pycapsule(getattr(library, symbol)), platform=platform)


def _call(function, values, form, *arrays):
    # The result has an input's type, which in a mesh of devices also says how it is sharded. XLA gathers the inputs of
    # such a call nonetheless: it computes on whole arrays.
    call = jax.ffi.ffi_call("nozzle", _typeof(arrays[-1]), vmap_method="broadcast_all")
    return call(*arrays, op=numpy.int32(function.op), form=numpy.int32(form), parameters=numpy.frombuffer(values))


@functools.lru_cache
def _differentiable(name, values):
    function = functions()[name]
    # What jit compiles is freed with this. Eager calls without jit keep 1.4 MB for each set of values.
    call = jax.jit(functools.partial(_call, function, values), static_argnums=0, inline=True)
    forms = (_GRADIENT, _GRADIENT_BY_SECOND)[:function.inputs]
    result = jax.custom_vjp(lambda *x: call(_RESULT, *x))
    result.defvjp(lambda *x: (call(_RESULT, *x), x), lambda x, g: tuple(call(form, g, *x) for form in forms))
    return result


def _apply(function, *arrays, **parameters):
    values = numpy.array(function.values(parameters)).tobytes() # bytes tell 0 from -0 in the cache
    arrays = [jax.numpy.asarray(array) for array in arrays]
    if len(arrays) != function.inputs:
        raise TypeError(f"{function.name} takes {function.inputs} arrays, not {len(arrays)}")
    kinds = [f"{array.dtype}{list(array.shape)}" for array in arrays]
    if kinds[0] != kinds[-1]:
        raise ValueError(f"{function.name}: arrays of different shapes or types: {' and '.join(kinds)}")
    if arrays[0].dtype.name not in _TYPES:
        raise TypeError(f"{function.name}: array of type {arrays[0].dtype}, not one of {', '.join(_TYPES)}")
    if len({getattr(_typeof(array), "sharding", None) for array in arrays}) > 1: # in an explicit mesh
        sharding = jax.eval_shape(jax.numpy.add, *arrays).sharding
        arrays = [jax.sharding.reshard(array, sharding) for array in arrays]
    if _typeof(arrays[0]) != _typeof(arrays[-1]): # such as in shard_map, where one is the same on each device
        arrays = [jax.numpy.where(True, x, other) for x, other in zip(arrays, reversed(arrays))]
    return _differentiable(function.name, values)(*arrays)


_register()
globals().update({name: functools.partial(_apply, function) for name, function in functions().items()})
