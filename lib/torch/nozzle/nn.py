"""torch.nn's activation modules through nozzle.

Each is a subclass of PyTorch's own: the same arguments, attributes, repr and state. There is no PReLU, and RReLU's
training is PyTorch's. Behind them stand modules that PyTorch lacks.
"""

import inspect as _inspect

from torch import nn as _nn

from . import functional as _F

# Each module has a forward of its own. Made from a table they would share a code object, and dynamo counts
# recompilations, which it limits, per code object.


class Hardtanh(_nn.Hardtanh):

    def forward(self, input):
        return _F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(_nn.ReLU6):

    def forward(self, input):
        return _F.relu6(input, self.inplace)


class Hardsigmoid(_nn.Hardsigmoid):

    def forward(self, input):
        return _F.hardsigmoid(input, self.inplace)


class ReLU(_nn.ReLU):

    def forward(self, input):
        return _F.relu(input, self.inplace)


class LeakyReLU(_nn.LeakyReLU):

    def forward(self, input):
        return _F.leaky_relu(input, self.negative_slope, self.inplace)


class RReLU(_nn.RReLU):

    def forward(self, input):
        return _F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Threshold(_nn.Threshold):

    def forward(self, input):
        return _F.threshold(input, self.threshold, self.value, self.inplace)


class Hardshrink(_nn.Hardshrink):

    def forward(self, input):
        return _F.hardshrink(input, self.lambd)


class Softshrink(_nn.Softshrink):

    def forward(self, input):
        return _F.softshrink(input, self.lambd)


class Hardswish(_nn.Hardswish):

    def forward(self, input):
        return _F.hardswish(input, self.inplace)


class Softsign(_nn.Softsign):

    def forward(self, input):
        return _F.softsign(input)


class Sigmoid(_nn.Sigmoid):

    def forward(self, input):
        return _F.sigmoid(input)


class LogSigmoid(_nn.LogSigmoid):

    def forward(self, input):
        return _F.logsigmoid(input)


class Tanh(_nn.Tanh):

    def forward(self, input):
        return _F.tanh(input)


class Tanhshrink(_nn.Tanhshrink):

    def forward(self, input):
        return _F.tanhshrink(input)


class Softplus(_nn.Softplus):

    def forward(self, input):
        return _F.softplus(input, self.beta, self.threshold)


class ELU(_nn.ELU):

    def forward(self, input):
        return _F.elu(input, self.alpha, self.inplace)


class CELU(_nn.CELU):

    def forward(self, input):
        return _F.celu(input, self.alpha, self.inplace)


class SELU(_nn.SELU):

    def forward(self, input):
        return _F.selu(input, self.inplace)


class SiLU(_nn.SiLU):

    def forward(self, input):
        return _F.silu(input, self.inplace)


class Mish(_nn.Mish):

    def forward(self, input):
        return _F.mish(input, self.inplace)


class GELU(_nn.GELU):

    def forward(self, input):
        return _F.gelu(input, self.approximate)


class GLU(_nn.GLU):

    def forward(self, input):
        return _F.glu(input, self.dim)


class _Further(_nn.Module):
    """A module that PyTorch lacks. Attributes are its arguments; its repr has them, but no flags that are False."""

    def __init__(self, **arguments):
        super().__init__()
        for name, value in arguments.items():
            setattr(self, name, value)

    def extra_repr(self):
        ours = next(each for each in type(self).__mro__ if each.__module__ == __name__) # a subclass may take others
        arguments = ((name, getattr(self, name, False)) for name in _inspect.signature(ours).parameters)
        return ", ".join(f"{name}={value!r}" for name, value in arguments if value is not False)


class HardsigmoidONNX(_Further):
    """The hardsigmoid of ONNX and Keras 2: max(0, min(1, alpha * x + beta))."""

    def __init__(self, alpha=0.2, beta=0.5, inplace=False):
        super().__init__(alpha=alpha, beta=beta, inplace=inplace)

    def forward(self, input):
        return _F.hardsigmoid_onnx(input, self.alpha, self.beta, self.inplace)


class _InPlace(_Further):
    """A function without parameters, maybe in place."""

    def __init__(self, inplace=False):
        super().__init__(inplace=inplace)


class QuickGELU(_InPlace):
    """x * sigmoid(1.702 * x)"""

    def forward(self, input):
        return _F.quick_gelu(input, self.inplace)


class SquaredReLU(_InPlace):
    """relu(x)^2"""

    def forward(self, input):
        return _F.squared_relu(input, self.inplace)


class SqrtSoftplus(_InPlace):
    """sqrt(log(1 + e^x))"""

    def forward(self, input):
        return _F.sqrt_softplus(input, self.inplace)


class Laplace(_Further):
    """(1 + erf((x - mu) / (sigma * sqrt(2)))) / 2. A call may override mu and sigma, as transformers' may."""

    def __init__(self, mu=0.707107, sigma=0.282095, inplace=False):
        super().__init__(mu=mu, sigma=sigma, inplace=inplace)

    def forward(self, input, mu=None, sigma=None):
        return _F.laplace(input, self.mu if mu is None else mu, self.sigma if sigma is None else sigma, self.inplace)


class SwiGLU(_Further):
    """silu(a) * b, of two tensors, or of one that holds both in its last dimension: in halves, or interleaved."""

    def __init__(self, interleaved=False):
        super().__init__(interleaved=interleaved)

    def forward(self, a, b=None):
        return _F.swiglu(a, b, self.interleaved)


class GEGLU(_Further):
    """gelu(a) * b, of tensors as SwiGLU; with approximate="tanh" gelu_tanh(a) * b."""

    def __init__(self, approximate="none", interleaved=False):
        if approximate not in ("none", "tanh"):
            raise ValueError(f"GEGLU: approximate = {approximate!r}: it must be 'none' or 'tanh'")
        super().__init__(approximate=approximate, interleaved=interleaved)

    def forward(self, a, b=None):
        return (_F.geglu_tanh if self.approximate == "tanh" else _F.geglu)(a, b, self.interleaved)


class LimitedSwiGLU(_Further):
    """gpt-oss's swiglu, of tensors as SwiGLU: a * sigmoid(alpha * a) * (b + offset) within limits. gpt-oss's own are
    interleaved."""

    def __init__(self, limit=7.0, alpha=1.702, offset=1.0, interleaved=False):
        super().__init__(limit=limit, alpha=alpha, offset=offset, interleaved=interleaved)

    def forward(self, a, b=None):
        return _F.limited_swiglu(a, b, self.limit, self.alpha, self.offset, self.interleaved)
