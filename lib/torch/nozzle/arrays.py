"""nozzle's functions on arrays of NumPy, CuPy, JAX and PyTorch, in their own memory."""

import ctypes
import math
import sys
from ctypes import (POINTER, PYFUNCTYPE, Structure, c_char_p, c_int, c_int32, c_int64, c_uint8, c_uint16, c_uint32,
                    c_uint64, c_void_p, py_object) # yapf: disable

from . import catalogue

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13
_FLOAT, _BFLOAT = 2, 4
_TYPES = {(_FLOAT, 64): "double", (_FLOAT, 32): "float", (_FLOAT, 16): "half", (_BFLOAT, 16): "bf16",
          (10, 8): "fp8_e4m3", (12, 8): "fp8_e5m2"} # yapf: disable


class _DLTensor(Structure):
    _fields_ = [("data", c_void_p), ("device_type", c_int32), ("device_id", c_int32), ("ndim", c_int32),
                ("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16), ("shape", POINTER(c_int64)),
                ("strides", POINTER(c_int64)),
                ("byte_offset", c_uint64)]


class _Versioned(Structure):
    """What DLPack has since version 1.0. Flag 1 means read-only, flag 2 a copy."""
    _fields_ = [("version", c_uint32 * 2), ("context", c_void_p), ("deleter", c_void_p), ("flags", c_uint64),
                ("tensor", _DLTensor)]


def _capsule(array, **stream):
    try:
        return array.__dlpack__(max_version=(1, 0), **stream) # NumPy gives no older one of a read-only array
    except TypeError:
        return array.__dlpack__(**stream) # an older library's


_is_valid = PYFUNCTYPE(c_int, py_object, c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_address_in = PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


def _contents(capsule):
    """The tensor, and whether writing to it is lost or forbidden: it is read-only, or a copy."""
    if not _is_valid(capsule, b"dltensor_versioned"):
        return _DLTensor.from_address(_address_in(capsule, b"dltensor")), False
    versioned = _Versioned.from_address(_address_in(capsule, b"dltensor_versioned"))
    return versioned.tensor, bool(versioned.flags & 3)


def _torch_of(x):
    """PyTorch, if x is its tensor, or None."""
    torch = sys.modules.get("torch")
    return torch if torch and isinstance(x, torch.Tensor) else None


def _has_memory(torch, tensor):
    try:
        return tensor.numel() == 0 or torch._C._data_address(tensor) != 0 # data_ptr() warns of a fake tensor
    except RuntimeError: # of a sparse tensor, and in torch.func
        return False


def _check_tensor(array, name):
    """Refuses what DLPack does not pass on: PyTorch's negative bit, tangents and traces, and tensors without memory."""
    torch = _torch_of(array)
    if torch is None:
        return
    if torch.jit.is_tracing():
        raise TypeError(f"{name}: torch.jit.trace would keep the result as a constant: use nozzle.functional")
    if not _has_memory(torch, array):
        raise TypeError(f"{name}: it has no memory of its own (within torch.func use nozzle.functional)")
    if array.is_neg():
        raise TypeError(f"{name}: its memory has the negatives of its numbers: pass resolve_neg()")
    if torch.autograd.forward_ad.unpack_dual(array).tangent is not None:
        raise TypeError(f"{name}: it has a tangent, which the result would lack: use nozzle.functional")


def _check_number(value, name):
    torch = _torch_of(value)
    if torch and (torch.is_grad_enabled() and value.requires_grad
                  or torch.autograd.forward_ad.unpack_dual(value).tangent is not None):
        raise TypeError(f"{name} is a tensor that requires a gradient or has a tangent, and would get none: "
                        "pass a number")


class _Memory:
    """Where an array's elements lie. It keeps the array's DLPack capsule as long as it lives."""

    def __init__(self, array, name, stream):
        for method in ("__dlpack__", "__dlpack_device__"): # JAX's traced values have the first alone
            if not hasattr(array, method):
                raise TypeError(f"{name} = {type(array).__name__}: it has no {method}")
        _check_tensor(array, name)
        device_type, device = array.__dlpack_device__()
        self.device = device if device_type == _CUDA else None # managed memory belongs to no single device
        self.place = catalogue.HOST if device_type in (_CPU, _CUDA_HOST) else catalogue.CUDA
        if device_type not in (_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED):
            raise TypeError(f"{name}: on a device of DLPack's type {device_type}, which is neither the host nor CUDA")
        # DLPack's number for the default stream is 1.
        self.capsule = _capsule(array, **({"stream": stream or 1} if self.place == catalogue.CUDA else {}))
        tensor, self.keeps_no_writes = _contents(self.capsule)
        self.shape = tuple(tensor.shape[:tensor.ndim])
        self.n = math.prod(self.shape)
        if not self._is_contiguous(tensor):
            raise ValueError(f"{name}: its elements do not lie in a row: pass a contiguous copy")
        self.type = _TYPES.get((tensor.code, tensor.bits))
        if self.type is None or tensor.lanes != 1:
            known = ", ".join(_TYPES.values())
            raise TypeError(f"{name}: of DLPack's type {tensor.code} with {tensor.bits} bits, not one of {known}")
        self.address = (tensor.data or 0) + tensor.byte_offset

    def _is_contiguous(self, tensor):
        step = 1
        for d in reversed(range(tensor.ndim)):
            if tensor.strides and self.shape[d] > 1 and tensor.strides[d] != step and self.n > 0:
                return False
            step *= self.shape[d]
        return True


def transform(*inputs, out=None, stream=None, **parameters):
    """nozzle.transform(x, "gelu") or nozzle.transform(a, b, "swiglu"): the function, by its name in the catalogue, of
    arrays of one shape and type: anything with __dlpack__ whose elements lie in a row, on the host or on the current
    CUDA device. Parameters are numbers.

    The result goes into `out`, which may be an input, and is returned. Without `out` it is a new array of the first
    input's library. JAX, whose arrays are not written to, gives none: on the host the result is NumPy's then, in
    double, float or half. On CUDA it is work in `stream`, a cudaStream_t as a number, which is not waited for. Without
    one it is PyTorch's current stream if the result is its tensor, and the default stream otherwise. Throws TypeError
    and ValueError, RuntimeError if CUDA fails, and what an array's __dlpack__ throws, such as BufferError.
    """
    if not inputs or not isinstance(inputs[-1], str):
        raise TypeError("transform takes arrays, then the name of a function, such as \"gelu\"")
    *arrays, name = inputs
    function = catalogue.functions().get(name)
    if function is None:
        raise ValueError(f"{name!r}: there is no such function; there are {', '.join(catalogue.functions())}")
    if len(arrays) != function.inputs:
        raise TypeError(f"{name} takes {function.inputs} arrays, not {len(arrays)}")
    for parameter, value in parameters.items():
        _check_number(value, f"{name}: {parameter}")
    values = function.values(parameters)
    if stream is None:
        stream = _current_stream(arrays[0] if out is None else out)
    memory = [_Memory(array, "input", stream) for array in arrays]
    first = memory[0]
    if out is None:
        out = _new_array(arrays[0], first)
    elif type(out).__module__.partition(".")[0] in ("jax", "jaxlib"):
        raise TypeError("out: JAX's arrays are not written to: pass an array of another library")
    memory.append(_Memory(out, "out", stream))
    if memory[-1].keeps_no_writes:
        raise ValueError(f"out = {type(out).__name__}: it is read-only, or its library gave a copy")
    for other in memory[1:]:
        if (other.shape, other.type, other.place) != (first.shape, first.type, first.place):
            raise ValueError(f"{name}: arrays of shapes {first.shape} and {other.shape}, of types {first.type} and "
                             f"{other.type}: they must be equal, and in one place")
    devices = sorted({m.device for m in memory} - {None})
    if len(devices) > 1:
        raise ValueError(f"{name}: arrays on the CUDA devices {devices}: they must be on one")
    catalogue.apply(function, values, first.type, first.n, [m.address for m in memory], first.place, stream)
    _tell_autograd(out)
    return out


def _current_stream(array):
    """PyTorch's, where its tensor on CUDA lies, or None."""
    torch = _torch_of(array)
    return torch.cuda.current_stream(array.device).cuda_stream if torch and array.is_cuda else None


def _tell_autograd(out):
    """Marks PyTorch's tensor as changed, so that a backward pass that needs its former values fails."""
    torch = _torch_of(out)
    if torch and not out.is_inference():
        torch.autograd.graph.increment_version(out)


def _new_array(like, memory):
    for base in type(like).__mro__:
        library = sys.modules.get(base.__module__.partition(".")[0])
        if hasattr(library, "empty_like"):
            return library.empty_like(like)
    numpy_types = {"double": "f8", "float": "f4", "half": "f2"}
    if memory.place == catalogue.CUDA or memory.type not in numpy_types:
        place = "CUDA" if memory.place == catalogue.CUDA else "the host"
        raise ValueError(f"out: it is needed for {type(like).__name__} of {memory.type} on {place}: pass an array "
                         "there that can be written, such as torch.empty's or cupy.empty's; "
                         "jax.dlpack.from_dlpack takes it")
    import numpy
    return numpy.empty(memory.shape, numpy_types[memory.type])
