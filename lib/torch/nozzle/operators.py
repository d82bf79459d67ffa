"""Loads torch.ops.nozzle, and tells PyTorch what the C++ file does not: shapes, vmap and second derivatives."""

import functools
import types

import torch
from torch._prims_common import is_contiguous_or_false

from . import second_derivative
from ._build import TORCH_VERSION
from .catalogue import functions


def _load():
    """The module that registers the operators."""
    release = lambda version: version.split("+")[0].split(".")[:2]
    if release(torch.__version__) != release(TORCH_VERSION):
        raise ImportError(f"nozzle was built for PyTorch {TORCH_VERSION}, this is {torch.__version__}: build it again")
    functions() # loads libnozzle, which the loader would look for in LD_LIBRARY_PATH first
    from . import _torch
    return _torch


def _in_batches(operator, info, in_dims, *arguments):
    """An element-wise operator takes a batch as it is; tensors without one are repeated."""
    moved = [
        argument if not isinstance(argument, torch.Tensor) else argument.movedim(d, 0) if d is not None else
        argument.expand(info.batch_size, *argument.shape) for argument, d in zip(arguments, in_dims)
    ]
    return operator(*moved), 0


def _in_place_in_batches(operator, info, in_dims, *arguments):
    operator(*arguments)
    return None, None


def _packed_in_batches(operator, info, in_dims, *arguments):
    """As _in_batches, but that the batch is not what is packed."""
    for x, d in zip(arguments, in_dims):
        if d is not None and x.dim() == 1:
            _check_packed(())
    return _in_batches(operator, info, in_dims, *arguments)


def _differ(what, x, other):
    return lambda: f"tensors of {what} {x} and {other}: they must be equal"


def _last_of(arguments):
    """The last tensor, after a check that the others are like it: without data no kernel checks that."""
    *others, last = [x for x in arguments if isinstance(x, torch.Tensor)]
    for x in others:
        torch._check_value(x.dim() == last.dim(), _differ("shapes", list(x.shape), list(last.shape)))
        for size, size_of_last in zip(x.shape, last.shape):
            torch._check_value(size == size_of_last, _differ("shapes", list(x.shape), list(last.shape)))
        torch._check_type(x.dtype == last.dtype, _differ("types", x.dtype, last.dtype))
        torch._check_type(x.device == last.device, _differ("devices", x.device, last.device))
    return last


def _like_the_last(*arguments):
    """What an operator returns for inputs and parameters: a tensor in the layout of the last input. One that is
    contiguous and channels_last counts as contiguous. If that depends on unknown sizes, the layout is kept: the
    elements lie in the same order either way."""
    last = _last_of(arguments)
    return last.new_empty(last.shape) if is_contiguous_or_false(last) else torch.empty_like(last)


def _nothing(*arguments, **named):
    _last_of((*arguments, *named.values()))


def _check_packed(shape):
    torch._check_value(
        len(shape) > 0 and shape[-1] % 2 == 0,
        lambda: f"a packed tensor of shape {list(shape)}: its last dimension must be even")


def _of_packed(input, *parameters):
    _check_packed(input.shape)
    *rows, columns = input.shape
    return input.new_empty((*rows, columns // 2))


def _packed_gradient(grad, input, *parameters):
    _last_of((grad, _of_packed(input)))
    return input.new_empty(input.shape)


class _Direct(torch._ops.OpOverload):
    """An operator with a faster call. torch.compile knows it as an OpOverload."""

    __slots__ = ("__call__", )

    def __init__(self, operator):
        vars(self).update(vars(operator))
        self.__call__ = _cpp.direct(operator._schema.name, operator._op)


def _returning_input(operator):

    def call(input, *parameters):
        operator(input, *parameters)
        return input

    return call


def _register(name, fake, in_batches, alike):
    operator = getattr(_ops, name).default
    torch.library.register_fake(operator, fake)
    torch.library.register_vmap(operator, functools.partial(in_batches, operator))
    alike.append(operator)
    direct = _Direct(operator)
    setattr(operators, name, _returning_input(direct) if alike is in_place else direct)


def _register_function(function):
    name = function.name
    torch.library.register_fake(getattr(_ops, name).out, _nothing)
    for each in (name, *function.derivatives):
        _register(each, _like_the_last, _in_batches, element_wise)
    if function.inputs == 1:
        _register(name + "_", _nothing, _in_place_in_batches, in_place)
    else:
        for each in (name + "_halves", name + "_interleaved"):
            _register(each, _of_packed, _packed_in_batches, packed)
            _register(each + "_backward", _packed_gradient, _packed_in_batches, packed)
    second_derivative.register(function)


_cpp = _load()
_ops = torch.ops.nozzle
# Functions that call the operators: silu, silu_. They do not look in torch.ops. Those in place return their input.
operators = types.SimpleNamespace()
element_wise, in_place, packed = [], [], [] # what is registered, by what DTensor must know of it
for _function in functions().values():
    _register_function(_function)
