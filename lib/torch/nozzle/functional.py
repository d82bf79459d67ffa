"""torch.nn.functional through nozzle: the same names, arguments and defaults, so that

    import nozzle.functional as F

is a whole port for such tensors: double, float, half, bfloat16, float8_e4m3fn or float8_e5m2, dense, of any shape and
strides, on the CPU or on CUDA, in PyTorch's current stream. What nozzle does not compute is PyTorch's own: F.linear,
but also prelu, whose weights lie across the input, and rrelu in training. Functions are in place with inplace=True;
relu_, elu_ and the like are PyTorch's. Behind PyTorch's functions stand nozzle's further ones.

Tensors of other types throw TypeError, those that are not dense NotImplementedError. A parameter that is a tensor
which requires a gradient or has a tangent throws TypeError, as it would get none; under torch.no_grad() the value of
one that requires a gradient is taken, under torch.inference_mode() that of either. Parameters that a function does not
allow throw ValueError. Under torch.compile parameters are Python numbers: pass a tensor's .item(). That breaks the
graph: with fullgraph=True call it outside.
"""

import torch.fx as _fx
import torch.nn.functional as _torch
from torch import _check
from torch.compiler import is_compiling as _is_compiling

from .operators import operators as _operators

globals().update({name: value for name, value in vars(_torch).items() if not name.startswith("_")})


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return (_operators.hardtanh_ if inplace else _operators.hardtanh)(input, min_val, max_val)


def hardsigmoid(input, inplace=False):
    return (_operators.hardsigmoid_ if inplace else _operators.hardsigmoid)(input)


def relu(input, inplace=False):
    return (_operators.relu_ if inplace else _operators.relu)(input)


def relu6(input, inplace=False):
    return (_operators.relu6_ if inplace else _operators.relu6)(input)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return (_operators.leaky_relu_ if inplace else _operators.leaky_relu)(input, negative_slope)


def threshold(input, threshold, value, inplace=False):
    return (_operators.threshold_ if inplace else _operators.threshold)(input, threshold, value)


def hardshrink(input, lambd=0.5):
    return _operators.hardshrink(input, lambd)


def softshrink(input, lambd=0.5):
    return _operators.softshrink(input, lambd)


def hardswish(input, inplace=False):
    return (_operators.hardswish_ if inplace else _operators.hardswish)(input)


def softsign(input):
    return _operators.softsign(input)


def sigmoid(input):
    return _operators.sigmoid(input)


def logsigmoid(input):
    return _operators.log_sigmoid(input)


def tanh(input):
    return _operators.tanh(input)


def tanhshrink(input):
    return _operators.tanhshrink(input)


def softplus(input, beta=1.0, threshold=20.0):
    return _operators.softplus(input, beta, threshold)


def elu(input, alpha=1.0, inplace=False):
    return (_operators.elu_ if inplace else _operators.elu)(input, alpha)


def celu(input, alpha=1.0, inplace=False):
    return (_operators.celu_ if inplace else _operators.celu)(input, alpha)


def selu(input, inplace=False):
    return (_operators.selu_ if inplace else _operators.selu)(input)


def silu(input, inplace=False):
    return (_operators.silu_ if inplace else _operators.silu)(input)


def mish(input, inplace=False):
    return (_operators.mish_ if inplace else _operators.mish)(input)


def gelu(input, approximate="none"):
    if approximate == "none":
        return _operators.gelu(input)
    if approximate == "tanh":
        return _operators.gelu_tanh(input)
    raise ValueError(f"gelu: approximate = {approximate!r}: it must be 'none' or 'tanh'")


def rrelu(input, lower=1 / 8, upper=1 / 3, training=False, inplace=False):
    if training:
        return _torch.rrelu(input, lower, upper, True, inplace)
    return (_operators.rrelu_ if inplace else _operators.rrelu)(input, lower, upper)


def glu(input, dim=-1):
    if dim in (-1, input.dim() - 1) or input.dim() == 0:
        return _operators.glu_halves(input)
    size = input.size(dim)
    if _is_compiling(): # the size may depend on data, and no message may name it
        _check(size % 2 == 0, lambda: "glu: the dimension must be even")
    elif size % 2 != 0:
        raise ValueError(f"glu: input of shape {list(input.shape)}: dimension dim = {dim} must be even")
    dim %= input.dim()
    return _operators.glu_halves(input.flatten(dim)).unflatten(dim, (size // 2, *input.shape[dim + 1:]))


_fx.wrap("glu") # whose branches torch.fx.symbolic_trace cannot follow


# What torch.nn.functional has not.


def squared_relu(input, inplace=False):
    return (_operators.squared_relu_ if inplace else _operators.squared_relu)(input)


def thresholded_relu(input, alpha=1.0, inplace=False):
    return (_operators.thresholded_relu_ if inplace else _operators.thresholded_relu)(input, alpha)


def hardsigmoid_onnx(input, alpha=0.2, beta=0.5, inplace=False):
    return (_operators.hardsigmoid_onnx_ if inplace else _operators.hardsigmoid_onnx)(input, alpha, beta)


def swish(input, beta=1.0, inplace=False):
    return (_operators.swish_ if inplace else _operators.swish)(input, beta)


def quick_gelu(input, inplace=False):
    return (_operators.quick_gelu_ if inplace else _operators.quick_gelu)(input)


def general_relu(input, slope=0.0, maximum=float("inf"), threshold=0.0, inplace=False):
    """min(x, maximum) from the threshold on, slope * (x - threshold) below: Keras's ReLU"""
    return (_operators.general_relu_ if inplace else _operators.general_relu)(input, slope, maximum, threshold)


def clip(input, lo=-float("inf"), hi=float("inf"), inplace=False):
    """min(max(x, lo), hi): torch.clamp, whose gradient passes at the bounds, unlike hardtanh's"""
    return (_operators.clip_ if inplace else _operators.clip)(input, lo, hi)


def shrink(input, lambd=0.5, bias=0.0, inplace=False):
    """x - bias where x > lambd, x + bias where x < -lambd, 0 between: ONNX's Shrink"""
    return (_operators.shrink_ if inplace else _operators.shrink)(input, lambd, bias)


def sparse_plus(input, inplace=False):
    """0 up to -1, (x + 1)^2 / 4 between, x from 1 on"""
    return (_operators.sparse_plus_ if inplace else _operators.sparse_plus)(input)


def sparse_sigmoid(input, inplace=False):
    """0 up to -1, (x + 1) / 2 between, 1 from 1 on: the slope of sparse_plus"""
    return (_operators.sparse_sigmoid_ if inplace else _operators.sparse_sigmoid)(input)


def star_relu(input, scale=0.8944, bias=-0.4472, inplace=False):
    """scale * relu(x)^2 + bias"""
    return (_operators.star_relu_ if inplace else _operators.star_relu)(input, scale, bias)


def hard_mish(input, inplace=False):
    """x / 2 * min(max(x + 2, 0), 2)"""
    return (_operators.hard_mish_ if inplace else _operators.hard_mish)(input)


def exp(input, inplace=False):
    """e^x"""
    return (_operators.exp_ if inplace else _operators.exp)(input)


def expm1(input, inplace=False):
    """e^x - 1"""
    return (_operators.expm1_ if inplace else _operators.expm1)(input)


def scaled_tanh(input, alpha=1.0, beta=1.0, inplace=False):
    """alpha * tanh(beta * x)"""
    return (_operators.scaled_tanh_ if inplace else _operators.scaled_tanh)(input, alpha, beta)


def parametric_softplus(input, alpha=1.0, beta=1.0, inplace=False):
    """alpha * log(1 + e^(beta * x))"""
    return (_operators.parametric_softplus_ if inplace else _operators.parametric_softplus)(input, alpha, beta)


def sqrt_softplus(input, inplace=False):
    """sqrt(log(1 + e^x))"""
    return (_operators.sqrt_softplus_ if inplace else _operators.sqrt_softplus)(input)


def squareplus(input, b=4.0, inplace=False):
    """(x + sqrt(x^2 + b)) / 2"""
    return (_operators.squareplus_ if inplace else _operators.squareplus)(input, b)


def laplace(input, mu=0.707107, sigma=0.282095, inplace=False):
    """(1 + erf((x - mu) / (sigma * sqrt(2)))) / 2"""
    return (_operators.laplace_ if inplace else _operators.laplace)(input, mu, sigma)


def xielu(input, alpha_p=0.8, alpha_n=0.8, beta=0.5, inplace=False):
    """alpha_p * x^2 + beta * x where x > 0, alpha_n * (e^x - 1 - x) + beta * x elsewhere. Apertus's modules
    learn other numbers, from which they make these parameters"""
    return (_operators.xielu_ if inplace else _operators.xielu)(input, alpha_p, alpha_n, beta)


# Gates take two tensors, or one that holds both in its last dimension: a, then b, or, interleaved, a in the even places
# and b in the odd ones. Neither is copied where the tensor's other dimensions have one stride.


def _gate(name, a, b, interleaved, *parameters):
    if b is None:
        return getattr(_operators, name + ("_interleaved" if interleaved else "_halves"))(a, *parameters)
    if interleaved:
        raise ValueError(f"{name}: interleaved = {interleaved!r}: it says how one packed tensor lies, not two")
    return getattr(_operators, name)(a, b, *parameters)


def swiglu(a, b=None, interleaved=False):
    """silu(a) * b"""
    return _gate("swiglu", a, b, interleaved)


def geglu(a, b=None, interleaved=False):
    """gelu(a) * b"""
    return _gate("geglu", a, b, interleaved)


def geglu_tanh(a, b=None, interleaved=False):
    """gelu_tanh(a) * b"""
    return _gate("geglu_tanh", a, b, interleaved)


def reglu(a, b=None, interleaved=False):
    """relu(a) * b"""
    return _gate("reglu", a, b, interleaved)


def limited_swiglu(a, b=None, limit=7.0, alpha=1.702, offset=1.0, interleaved=False):
    """a * sigmoid(alpha * a) * (b + offset), with a at most the limit and |b| too: gpt-oss's swiglu, whose tensor is
    interleaved"""
    return _gate("limited_swiglu", a, b, interleaved, limit, alpha, offset)


def squared_reglu(a, b=None, interleaved=False):
    """squared_relu(a) * b"""
    return _gate("squared_reglu", a, b, interleaved)


def fatreglu(a, b=None, threshold=0.0, interleaved=False):
    """a * b where a > threshold, 0 elsewhere"""
    return _gate("fatreglu", a, b, interleaved, threshold)


def limited_geglu(a, b=None, limit=7.0, offset=0.0, interleaved=False):
    """gelu(a) * (b + offset), with a at most the limit and |b| too"""
    return _gate("limited_geglu", a, b, interleaved, limit, offset)


def quick_geglu(a, b=None, interleaved=False):
    """quick_gelu(a) * b"""
    return _gate("quick_geglu", a, b, interleaved)


def swiglustep(a, b=None, limit=7.0, interleaved=False):
    """silu(a) * b, with silu(a) at most the limit and |b| too: Step-3.5's"""
    return _gate("swiglustep", a, b, interleaved, limit)


def situglu(a, b=None, beta=4.0, linear_beta=25.0, interleaved=False):
    """beta * tanh(a / beta) * sigmoid(a) * linear_beta * tanh(b / linear_beta): Kimi K3's"""
    return _gate("situglu", a, b, interleaved, beta, linear_beta)
