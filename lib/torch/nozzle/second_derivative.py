"""Derivatives of the backward operators, from PyTorch's own operators: double backward needs no speed."""

import math

import torch

# f''(x), of functions where it is not 0 almost everywhere, with their parameters.


def _bell(x, beta=1.0):
    """The derivative of sigmoid at beta * x."""
    s = torch.sigmoid(beta * x)
    return s * (1 - s)


def _tanh_slope(x):
    t = torch.tanh(x)
    return 1 - t * t


def _swish(x, beta=1.0):
    z = (beta * x).clamp(-1000, 1000) # beyond that it is 0 too, and products could overflow
    return beta * _bell(z) * (2 + z * (1 - 2 * torch.sigmoid(z)))


def _mish(x):
    t, s = torch.tanh(torch.nn.functional.softplus(x)), torch.sigmoid(x)
    slope = (1 - t * t) * s
    return 2 * slope + x * (slope * (1 - s) - 2 * t * slope * s)


def _gelu(x):
    x = x.clamp(-40, 40)
    return torch.exp(-x * x / 2) * (2 - x * x) / math.sqrt(2 * math.pi)


def _gelu_tanh(x):
    x = x.clamp(-10, 10)
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    du = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    d2u = math.sqrt(2 / math.pi) * 6 * 0.044715 * x
    t = torch.tanh(u)
    return (1 - t * t) * (du + x * (d2u / 2 - t * du * du))


def _where_negative(x, value):
    return torch.where(x < 0, value, 0)


OF_INPUT = {
    "squared_relu": lambda x: torch.where(x > 0, 2.0, 0.0).to(x.dtype),
    "hardswish": lambda x: torch.where((x > -3) & (x < 3), 1 / 3, 0.0).to(x.dtype),
    "softsign": lambda x: -2 * torch.sign(x) / (1 + x.abs())**3,
    "sigmoid": lambda x: _bell(x) * (1 - 2 * torch.sigmoid(x)),
    "log_sigmoid": lambda x: -_bell(x),
    "tanh": lambda x: -2 * torch.tanh(x) * _tanh_slope(x),
    "tanhshrink": lambda x: 2 * torch.tanh(x) * _tanh_slope(x),
    "softplus": lambda x, beta, threshold: torch.where(beta * x > threshold, 0, beta * _bell(x, beta)),
    "elu": lambda x, alpha: _where_negative(x, alpha * torch.exp(x)),
    "celu": lambda x, alpha: _where_negative(x, torch.exp(x / alpha) / alpha),
    "selu": lambda x: _where_negative(x, 1.7580993408473768 * torch.exp(x)),
    "silu": _swish,
    "swish": _swish,
    "quick_gelu": lambda x: _swish(x, 1.702),
    "mish": _mish,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
}

# The derivative of the slope by the result, of functions with a gradient from it.
OF_RESULT = {
    "sigmoid": lambda y: 1 - 2 * y,
    "tanh": lambda y: -2 * y,
    "softplus": lambda y, beta, threshold: torch.where(beta * y > threshold, 0, beta * torch.exp(-beta * y)),
    "elu": lambda y, alpha: _where_negative(y, torch.ones_like(y)),
    "celu": lambda y, alpha: _where_negative(y, torch.ones_like(y) / alpha),
    "selu": lambda y: _where_negative(y, torch.ones_like(y)),
}

# Gates act(a) * b, or a * act(b), by the activation, whose parameters are the gate's.
GATES = {
    "glu": ("sigmoid", "b"),
    "swiglu": ("silu", "a"),
    "geglu": ("gelu", "a"),
    "geglu_tanh": ("gelu_tanh", "a"),
    "reglu": ("relu", "a"),
    "squared_reglu": ("squared_relu", "a"),
    "fatreglu": ("thresholded_relu", "a"),
}


_library = torch.library.Library("nozzle", "IMPL")


def _register(operator, derivatives):
    """`derivatives`: of what multiplies grad in operator(grad, *inputs, *parameters), by each of the inputs."""

    def by_input(grad_grad, grad, *inputs_and_parameters):
        *arguments, input = inputs_and_parameters
        return grad_grad * grad * derivatives[input](*arguments)

    for key in ("CompositeImplicitAutograd", "FuncTorchBatchedDecomposition"):
        _library.impl(operator._schema.name + "_backward", by_input, key)


def _zero(x, *rest):
    return torch.zeros_like(x)


def _limited_swiglu_derivatives(ops):

    def twice_by_a(a, b, limit, alpha, offset):
        return torch.where(a <= limit, _swish(a, alpha) * (b.clamp(-limit, limit) + offset), 0)

    def mixed(a, b, limit, alpha, offset):
        slope = ops.swish_backward(torch.ones_like(a), a, alpha)
        return torch.where((a <= limit) & (b.abs() <= limit), slope, 0)

    return (twice_by_a, mixed), (mixed, _zero)


def _gate_derivatives(function, ops):
    """Derivatives by a and b of the slopes by a, and by b."""
    if function.name == "limited_swiglu":
        return _limited_swiglu_derivatives(ops)
    if function.name == "prelu_weights": # x, or weight * x where x < 0
        mixed = lambda x, weight: _where_negative(x, torch.ones_like(x))
        return (_zero, mixed), (mixed, _zero)
    name, inner = GATES[function.name]
    second = OF_INPUT.get(name, _zero)
    slope = getattr(ops, name + "_backward").default
    if inner == "a":
        mixed = lambda a, b, *parameters: slope(torch.ones_like(a), a, *parameters)
        return (lambda a, b, *parameters: second(a, *parameters) * b, mixed), (mixed, _zero)
    mixed = lambda a, b: slope(torch.ones_like(b), b)
    return (_zero, mixed), (mixed, lambda a, b: a * second(b))


def register(function, ops):
    """For the function's backward operators."""
    name = function.name
    if function.inputs == 2:
        for which, derivatives in zip(("first", "second"), _gate_derivatives(function, ops)):
            _register(getattr(ops, f"{name}_backward_{which}").default, derivatives)
        return
    _register(getattr(ops, name + "_backward").default, (OF_INPUT.get(name, _zero), ))
    if function.has_gradient_from_result:
        _register(getattr(ops, name + "_backward_from_result").default, (OF_RESULT.get(name, _zero), ))
