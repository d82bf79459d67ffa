"""libnozzle through ctypes: what it lists, and calls on plain memory. Nothing here needs PyTorch."""

import ctypes
import functools
import math
import pathlib
import types
from ctypes import POINTER, Structure, byref, c_char_p, c_double, c_int, c_size_t, c_void_p

MAX_PARAMETERS = 4
TYPES = ("double", "float", "half", "bf16", "fp8_e4m3", "fp8_e5m2")
HOST, CUDA = range(2)
INVALID_ARGUMENT = 1


class _Function(Structure):
    _fields_ = [("op", c_int), ("count", c_int), ("parameters", c_double * MAX_PARAMETERS)]


class _Description(Structure):
    _fields_ = [("op", c_int), ("name", c_char_p), ("inputs", c_int), ("parameters", c_int), ("required", c_int),
                ("has_gradient_from_result", c_int), ("parameter_names", c_char_p * MAX_PARAMETERS),
                ("defaults", c_double * MAX_PARAMETERS)]


class Function:
    """A function of the library: its name, inputs (1 or 2), and parameters with their defaults, or None."""

    def __init__(self, description):
        self.op = description.op
        self.name = description.name.decode()
        self.inputs = description.inputs
        self.has_gradient_from_result = bool(description.has_gradient_from_result)
        names = [name.decode() for name in description.parameter_names[:description.parameters]]
        # A keyword of Python's has PyTorch's spelling.
        self.parameters = types.MappingProxyType({
            "lambd" if name == "lambda" else name: None if math.isnan(default) else default
            for name, default in zip(names, description.defaults)
        })

    def __reduce__(self): # by name: a read-only mapping is neither copied nor pickled
        return _by_name, (self.name, )

    @property
    def derivatives(self):
        """The names of the operators that give its derivatives by its inputs, and the one from its result."""
        by_input = ("", ) if self.inputs == 1 else ("_first", "_second")
        from_result = ("_from_result", ) * self.has_gradient_from_result
        return [f"{self.name}_backward{suffix}" for suffix in by_input + from_result]

    def values(self, given):
        """All parameters in order, from those given by name. Throws TypeError."""
        if unknown := given.keys() - self.parameters.keys():
            raise TypeError(f"{self.name} has no parameter {', '.join(sorted(unknown))}")
        values = {**self.parameters, **given}
        if missing := [name for name, value in values.items() if value is None]:
            raise TypeError(f"{self.name} needs {', '.join(missing)}")
        return [self._number(name, value) for name, value in values.items()]

    def _number(self, name, value):
        try:
            return c_double(value).value # a string is none
        except TypeError as error:
            if type(error) is not TypeError: # JAX's, of a traced value
                raise
            raise TypeError(f"{self.name}: {name} = {value!r}: it is no number") from error


@functools.lru_cache(maxsize=None)
def library():
    loaded = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libnozzle.so.0")))
    loaded.nozzle_describe.restype = POINTER(_Description)
    loaded.nozzle_last_error.restype = c_char_p
    return loaded


@functools.lru_cache(maxsize=None)
def functions():
    """All functions by name, read-only: every call of transform takes its defaults from here."""
    found = {}
    while description := library().nozzle_describe(len(found)):
        function = Function(description.contents)
        found[function.name] = function
    return types.MappingProxyType(found)


def _by_name(name):
    return functions()[name]


def apply(function, values, type_name, n, addresses, place, stream):
    """result = function(inputs) on n elements at each address, the result's last. Throws ValueError or RuntimeError."""
    entry = library().nozzle_apply if function.inputs == 1 else library().nozzle_apply_two
    f = _Function(function.op, len(values), (c_double * MAX_PARAMETERS)(*values))
    status = entry(byref(f), TYPES.index(type_name), c_size_t(n), *map(c_void_p, addresses), place, c_void_p(stream))
    if status != 0:
        error = ValueError if status == INVALID_ARGUMENT else RuntimeError
        raise error(library().nozzle_last_error().decode())
