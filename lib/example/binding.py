#!/usr/bin/env python3
"""nozzle from Python, through ctypes: a function for every one of the library's, made from what the library lists.

Arrays are anything with an address: `of_ctypes` takes arrays of the host. lib/torch takes those of PyTorch, NumPy, CuPy
and JAX.
"""

import ctypes
import functools
import math
import sys
from ctypes import CDLL, POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_void_p

MAX_PARAMETERS = 4
DOUBLE, FLOAT, HALF, BF16, FP8_E4M3, FP8_E5M2 = range(6)
HOST, CUDA = range(2)


class Function(Structure):
    _fields_ = [("op", c_int), ("count", c_int), ("parameters", c_double * MAX_PARAMETERS)]


class Description(Structure):
    _fields_ = [("op", c_int), ("name", c_char_p), ("inputs", c_int), ("parameters", c_int), ("required", c_int),
                ("has_gradient_from_result", c_int), ("parameter_names", c_char_p * MAX_PARAMETERS),
                ("defaults", c_double * MAX_PARAMETERS)]


class Array:
    """n elements at an address, and where they lie."""

    def __init__(self, address, n, type, place=HOST, stream=None):
        self.address, self.n, self.type, self.place, self.stream = address, n, type, place, stream


def of_ctypes(array):
    types = {c_double: DOUBLE, ctypes.c_float: FLOAT}
    return Array(ctypes.addressof(array), len(array), types[array._type_])


class Nozzle:
    """nozzle.gelu(x, y) and so on: the inputs, then the result; parameters by name. The gradient is
    nozzle.gradient("gelu", g, x, dx)."""

    def __init__(self, path):
        self.library = CDLL(path)
        self.library.nozzle_describe.restype = POINTER(Description)
        self.library.nozzle_last_error.restype = c_char_p
        self.functions = {}
        while description := self.library.nozzle_describe(len(self.functions)):
            d = description.contents
            self.functions[d.name.decode()] = d
            entry = self.library.nozzle_apply if d.inputs == 1 else self.library.nozzle_apply_two
            setattr(self, d.name.decode(), functools.partial(self.call, entry, d))

    def gradient(self, name, g, x, dx, **parameters):
        self.call(self.library.nozzle_gradient, self.functions[name], g, x, dx, **parameters)

    def call(self, entry, d, /, *arrays, **parameters):
        names = [d.parameter_names[i].decode() for i in range(d.parameters)]
        if unknown := parameters.keys() - set(names):
            raise TypeError(f"{d.name.decode()} has no parameter {', '.join(unknown)}")
        values = [parameters.get(name, d.defaults[i]) for i, name in enumerate(names)]
        f = Function(d.op, len(values), (c_double * MAX_PARAMETERS)(*values))
        expected = 3 if entry is self.library.nozzle_gradient else d.inputs + 1
        if len(arrays) != expected:
            raise TypeError(f"{d.name.decode()} takes {expected} arrays here, not {len(arrays)}")
        y = arrays[-1]
        if any((a.n, a.type, a.place) != (y.n, y.type, y.place) for a in arrays):
            raise ValueError(f"{d.name.decode()}: the arrays differ in length, type or place")
        addresses = [c_void_p(a.address) for a in arrays]
        if entry(byref(f), y.type, c_size_t(y.n), *addresses, y.place, c_void_p(y.stream)) != 0:
            raise ValueError(self.library.nozzle_last_error().decode())


def refusal(call):
    try:
        call()
    except (TypeError, ValueError) as error:
        return str(error)
    return "nothing was refused"


def check(nozzle):
    x = (c_double * 3)(-2, 0.25, 3)
    y = (c_double * 3)()
    nozzle.hardtanh(of_ctypes(x), of_ctypes(y), hi=2)
    assert list(y) == [-1, 0.25, 2], list(y)
    nozzle.gradient("hardtanh", of_ctypes(x), of_ctypes(x), of_ctypes(y))
    assert list(y) == [0, 0.25, 0], list(y)
    nozzle.swiglu(of_ctypes(x), of_ctypes(x), of_ctypes(y))
    assert all(abs(b - a * a / (1 + math.exp(-a))) < 1e-15 for a, b in zip(x, y)), list(y)
    assert "lo = 5" in refusal(lambda: nozzle.hardtanh(of_ctypes(x), of_ctypes(y), lo=5))
    assert "length" in refusal(lambda: nozzle.relu(of_ctypes((c_double * 2)()), of_ctypes(y)))
    assert "3 arrays" in refusal(lambda: nozzle.swiglu(of_ctypes(x), of_ctypes(y)))


def main():
    nozzle = Nozzle(sys.argv[1] if len(sys.argv) > 1 else "libnozzle.so.0")
    check(nozzle)


if __name__ == "__main__":
    main()
