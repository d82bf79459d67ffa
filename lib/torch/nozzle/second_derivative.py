"""Derivatives of the backward operators, from PyTorch's own operators: double backward needs no speed."""

import math

import torch

_ops = torch.ops.nozzle

# f''(x), of functions where it is not 0 almost everywhere, with their parameters.


def _bell(x, beta=1.0):
    """The derivative of sigmoid at beta * x. Both factors are exact in their tails, unlike 1 - sigmoid."""
    z = beta * x
    return torch.sigmoid(z) * torch.sigmoid(-z)


def _tanh_slope(x):
    """1 - tanh(x)^2"""
    return 4 * _bell(x, 2)


def _swish(x, beta=1.0):
    largest = torch.finfo(x.dtype).max # infinity times a beta of 0 is no number
    z = (beta * x.clamp(-largest, largest)).clamp(-1000, 1000) # beyond that it is 0 too, and products could overflow
    return beta * _bell(z) * (2 - z * torch.tanh(z / 2))


def _mish(x):
    x = x.clamp(-1000, 1000) # beyond that it is 0 too; infinity times 0 is no number
    y, s = torch.nn.functional.softplus(x), torch.sigmoid(x)
    return _tanh_slope(y) * s * (2 + x * (torch.sigmoid(-x) - 2 * torch.tanh(y) * s))


def _gelu(x):
    x = x.clamp(-40, 40)
    return torch.exp(-x * x / 2) * (2 - x * x) / math.sqrt(2 * math.pi)


def _gelu_tanh(x):
    x = x.clamp(-10, 10)
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    du = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x * x)
    d2u = math.sqrt(2 / math.pi) * 6 * 0.044715 * x
    return _tanh_slope(u) * (du + x * (d2u / 2 - torch.tanh(u) * du * du))


def _where(condition, value, x):
    return torch.where(condition, value, torch.zeros_like(x))


def _scaled_tanh(x, alpha, beta):
    z = beta * x
    return torch.tanh(z) * _tanh_slope(z) * beta * beta * (-2 * alpha) # beta² alone may overflow


def _sqrt_softplus(x):
    x = x.clamp(max=torch.finfo(x.dtype).max) # at infinity the root times the quotient is no number
    z = x.clamp(min=math.log(torch.finfo(x.dtype).tiny)) # below, the quotient is 1, and its parts turn to 0
    s = torch.sigmoid(z)
    quotient = s / torch.nn.functional.softplus(z)
    return _ops.sqrt_softplus(x) * quotient * ((1 - s) / 2 - quotient / 4)


def _squareplus(x, b):
    root = torch.sqrt(x * x + b)
    return b / 2 / root / root / root


def _laplace(x, mu, sigma):
    z = ((x - mu) / sigma).clamp(-40, 40)
    return -z * torch.exp(-z * z / 2) / (math.sqrt(2 * math.pi) * sigma**2)


OF_INPUT = {
    "squared_relu": lambda x: _where(x > 0, 2.0, x),
    "hardswish": lambda x: _where((x > -3) & (x < 3), 1 / 3, x),
    "softsign": lambda x: -2 * torch.sign(x) * (1 + x.abs()).reciprocal()**3,
    "sigmoid": lambda x: -_bell(x) * torch.tanh(x / 2),
    "log_sigmoid": lambda x: -_bell(x),
    "tanh": lambda x: -2 * torch.tanh(x) * _tanh_slope(x),
    "tanhshrink": lambda x: 2 * torch.tanh(x) * _tanh_slope(x),
    "softplus": lambda x, beta, threshold: torch.where(beta * x > threshold, 0, beta * _bell(x, beta)),
    "elu": lambda x, alpha: _where(x < 0, alpha * torch.exp(x.clamp(max=0)), x),
    "celu": lambda x, alpha: _where(x < 0, torch.exp((x / alpha).clamp(max=0)) / alpha, x),
    "selu": lambda x: _where(x < 0, 1.7580993408473768 * torch.exp(x.clamp(max=0)), x),
    "silu": _swish,
    "swish": _swish,
    "quick_gelu": lambda x: _swish(x, 1.702),
    "mish": _mish,
    "gelu": _gelu,
    "gelu_tanh": _gelu_tanh,
    "sparse_plus": lambda x: _where((x > -1) & (x < 1), 1 / 2, x),
    "star_relu": lambda x, scale, bias: _where(x > 0, 2 * scale, x),
    "hard_mish": lambda x: _where((x > -2) & (x < 0), 1.0, x),
    "exp": torch.exp,
    "expm1": torch.exp,
    "scaled_tanh": _scaled_tanh,
    "parametric_softplus": lambda x, alpha, beta: _bell(x, beta) * beta * beta * alpha,
    "sqrt_softplus": _sqrt_softplus,
    "squareplus": _squareplus,
    "laplace": _laplace,
    "xielu": lambda x, alpha_p, alpha_n, beta: torch.where(x > 0, 2 * alpha_p, alpha_n * torch.exp(x.clamp(max=0))),
}

# The derivative of the slope by the result, of functions with a gradient from it.
OF_RESULT = {
    "sigmoid": lambda y: 1 - 2 * y,
    "tanh": lambda y: -2 * y,
    "softplus": lambda y, beta, threshold: torch.where(beta * y > threshold, 0, beta * torch.exp(-beta * y)),
    "elu": lambda y, alpha: _where(y < 0, 1.0, y),
    "celu": lambda y, alpha: _where(y < 0, 1 / alpha, y),
    "selu": lambda y: _where(y < 0, 1.0, y),
}

# Gates are products u(a) * v(b). Their factors return a value, a slope and a second derivative, None where that is 0,
# of the input and the gate's parameters.


def _linear(x, *parameters):
    return x, torch.ones_like(x), None


def _clamped(x, limit, *rest):
    offset = sum(rest[-1:]) # not every gate has one
    return x.clamp(-limit, limit) + offset, _where(x.abs() <= limit, 1.0, x), None


def _activation(name):
    """The function of that name, which takes all of the gate's parameters."""

    def factor(x, *parameters):
        slope = getattr(_ops, name + "_backward")(torch.ones_like(x), x, *parameters)
        second = OF_INPUT[name](x, *parameters) if name in OF_INPUT else None
        return getattr(_ops, name)(x, *parameters), slope, second

    return factor


def _limited(name):
    """The function of that name, of x at most the limit. The gate's parameters are the limit, the function's own, and
    the offset."""

    def factor(x, limit, *rest):
        value, *derivatives = _activation(name)(x.clamp(max=limit), *rest[:-1])
        return value, *(_where(x <= limit, derivative, x) for derivative in derivatives)

    return factor


def _limited_silu(x, limit):
    """silu(x), at most the limit."""
    value, *derivatives = _activation("silu")(x)
    return value.clamp(max=limit), *(_where(value <= limit, derivative, x) for derivative in derivatives)


def _bounded(x, beta):
    """beta * tanh(x / beta)"""
    return _activation("scaled_tanh")(x, beta, 1 / beta)


def _bounded_silu(x, beta, _):
    """beta * tanh(x / beta) * sigmoid(x)"""
    (u, du, ddu), (v, dv, ddv) = _bounded(x, beta), _activation("sigmoid")(x)
    return u * v, du * v + u * dv, ddu * v + 2 * du * dv + u * ddv


GATES = {
    "glu": (_linear, _activation("sigmoid")),
    "swiglu": (_activation("silu"), _linear),
    "geglu": (_activation("gelu"), _linear),
    "geglu_tanh": (_activation("gelu_tanh"), _linear),
    "reglu": (_activation("relu"), _linear),
    "limited_swiglu": (_limited("swish"), _clamped),
    "squared_reglu": (_activation("squared_relu"), _linear),
    "fatreglu": (_activation("thresholded_relu"), _linear),
    "limited_geglu": (_limited("gelu"), _clamped),
    "quick_geglu": (_activation("quick_gelu"), _linear),
    "swiglustep": (_limited_silu, _clamped),
    "situglu": (_bounded_silu, lambda x, _, linear_beta: _bounded(x, linear_beta)),
}

_library = torch.library.Library("nozzle", "IMPL")


def _register(name, derivatives):
    """The operator `name` multiplies grad by a slope. `derivatives` has that slope's derivative by each input."""

    def by_input(grad_grad, grad, *inputs_and_parameters):
        *arguments, input = inputs_and_parameters
        return grad_grad * grad * derivatives[input](*arguments)

    for key in ("CompositeImplicitAutograd", "FuncTorchBatchedDecomposition"):
        _library.impl(name + "_backward", by_input, key)


def _zero(x, *rest):
    return torch.zeros_like(x)


def _product(u, v, order_of_u, order_of_v):
    """A derivative of u(a) * v(b)."""

    def derivative(a, b, *parameters):
        of_u, of_v = u(a, *parameters)[order_of_u], v(b, *parameters)[order_of_v]
        return torch.zeros_like(a) if of_u is None or of_v is None else of_u * of_v

    return derivative


def _gate_derivatives(name):
    """Derivatives by a and b of the slopes by a, and by b."""
    if name == "prelu_weights": # x, or weight * x where x < 0
        mixed = lambda x, weight: _where(x < 0, 1.0, x)
        return (_zero, mixed), (mixed, _zero)
    mixed = _product(*GATES[name], 1, 1)
    return (_product(*GATES[name], 2, 0), mixed), (mixed, _product(*GATES[name], 0, 2))


def register(function):
    """For the function's backward operators."""
    name = function.name
    if function.inputs == 2:
        derivatives = _gate_derivatives(name)
    else: # the second of functions with a gradient from their results
        derivatives = (OF_INPUT.get(name, _zero), ), (OF_RESULT.get(name, _zero), )
    for operator, by_inputs in zip(function.derivatives, derivatives):
        _register(operator, by_inputs)
