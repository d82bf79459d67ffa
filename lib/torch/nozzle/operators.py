"""Loads torch.ops.nozzle, and tells PyTorch what the C++ file does not: shapes, vmap and second derivatives."""

import torch

from . import second_derivative
from ._build import TORCH_VERSION
from .catalogue import functions


def _load():
    """The module that registers the operators."""
    release = lambda version: version.split("+")[0].split(".")[:2]
    if release(torch.__version__) != release(TORCH_VERSION):
        raise ImportError(f"nozzle was built for PyTorch {TORCH_VERSION}, this is {torch.__version__}: build it again")
    from . import _torch
    return _torch


def _in_batches(operator):
    """An element-wise operator takes a batch as it is; tensors without one are repeated."""

    def rule(info, in_dims, *arguments, **named):
        moved = [
            argument if not isinstance(argument, torch.Tensor) else argument.movedim(d, 0) if d is not None else
            argument.expand(info.batch_size, *argument.shape) for argument, d in zip(arguments, in_dims)
        ]
        return operator(*moved, **named), 0

    return rule


def _in_place_in_batches(operator):

    def rule(info, in_dims, input, *parameters):
        operator(input, *parameters)
        return None, None

    return rule


def _register(operator, fake, batch_rule):
    name = operator._schema.name + ("." + operator._schema.overload_name if operator._schema.overload_name else "")
    torch.library.register_fake(name, fake)
    if batch_rule:
        torch.library.register_vmap(name, batch_rule)


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
    """What an operator returns for inputs and parameters: a tensor in the layout of the last input."""
    return torch.empty_like(_last_of(arguments))


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


def _packed_in_batches(operator):
    """As _in_batches, but that the batch is not what is packed."""
    in_batches = _in_batches(operator)

    def rule(info, in_dims, *arguments):
        for x, d in zip(arguments, in_dims):
            if d is not None and x.dim() == 1:
                _check_packed(())
        return in_batches(info, in_dims, *arguments)

    return rule


def _register_packed(name):
    operator, backward = (getattr(_ops, name + suffix).default for suffix in ("", "_backward"))
    _register(operator, _of_packed, _packed_in_batches(operator))
    _register(backward, _packed_gradient, _packed_in_batches(backward))
    packed.extend((operator, backward))
    _offer(operator)


def _register_element_wise(name):
    operator = getattr(_ops, name).default
    _register(operator, _like_the_last, _in_batches(operator))
    element_wise.append(operator)


def _register_in_place(name):
    operator = getattr(_ops, name).default
    _register(operator, _nothing, _in_place_in_batches(operator))
    in_place.append(operator)
    _offer(operator)


def _register_function(function):
    name = function.name
    _register_element_wise(name)
    _offer(getattr(_ops, name).default)
    _register(getattr(_ops, name).out, _nothing, None)
    for derivative in function.derivatives:
        _register_element_wise(derivative)
    if function.inputs == 1:
        _register_in_place(name + "_")
    else:
        _register_packed(name + "_halves")
        _register_packed(name + "_interleaved")
    second_derivative.register(function)


class _Direct(torch._ops.OpOverload):
    """An operator with a faster call. torch.compile knows it as an OpOverload."""

    __slots__ = ("__call__", )

    def __init__(self, operator):
        vars(self).update(vars(operator))
        self.__call__ = _cpp.direct(operator._schema.name, operator._op)


class _Operators:
    """The operators without overloads, by name: silu, silu_. They are called without a look at torch.ops."""


def _offer(operator):
    setattr(operators, operator._opname, _Direct(operator))


_cpp = _load()
_ops = torch.ops.nozzle
operators = _Operators()
element_wise, in_place, packed = [], [], [] # what is registered, by what DTensor must know of it
for _function in functions().values():
    _register_function(_function)
