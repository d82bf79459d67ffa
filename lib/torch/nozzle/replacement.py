"""Swaps a model's activation modules for nozzle's."""

import inspect
import sys

import torch

from . import functional, nn

_MODULES = {
    getattr(torch.nn, name): module
    for name, module in vars(nn).items()
    if isinstance(module, type) and hasattr(torch.nn, name)
}

# Of transformers.activations, with the attributes that nozzle's have.
_OF_TRANSFORMERS = {
    "GELUActivation": (nn.GELU, {"approximate": "none"}),
    "GELUTanh": (nn.GELU, {"approximate": "tanh"}),
    "PytorchGELUTanh": (nn.GELU, {"approximate": "tanh"}),
    "FastGELUActivation": (nn.GELU, {"approximate": "tanh"}),
    "NewGELUActivation": (nn.GELU, {"approximate": "tanh"}),
    "AccurateGELUActivation": (nn.GELU, {"approximate": "tanh"}),
    "SiLUActivation": (nn.SiLU, {"inplace": False}),
    "MishActivation": (nn.Mish, {"inplace": False}),
    "QuickGELUActivation": (nn.QuickGELU, {"inplace": False}),
    "ReLUSquaredActivation": (nn.SquaredReLU, {"inplace": False}),
    "SqrtSoftplusActivation": (nn.SqrtSoftplus, {"inplace": False}),
    "LaplaceActivation": (nn.Laplace, {"mu": 0.707107, "sigma": 0.282095, "inplace": False}),
} # yapf: disable
_GATES = {
    nn.SiLU: functional.swiglu, nn.ReLU: functional.reglu, nn.QuickGELU: functional.quick_geglu,
    nn.SquaredReLU: functional.squared_reglu,
} # yapf: disable


class GatedMLP(torch.nn.Module):
    """A model's own module, as in Llama, with activation and product in one pass. It calls its act_fn only if that has
    hooks or a forward of its own, or if nozzle has no gate for it; global module hooks do not count. gate_proj and
    up_proj must give one shape and type.
    """

    def forward(self, x=None, **named):
        if x is None: # a model may have another name for it
            (x, ) = named.values()
        activation = self.act_fn
        gate = _gate(activation)
        if gate is None or _is_changed(activation):
            return self.down_proj(activation(self.gate_proj(x)) * self.up_proj(x))
        return self.down_proj(gate(self.gate_proj(x), self.up_proj(x)))


def _gate(activation):
    if type(activation) is nn.GELU:
        return functional.geglu_tanh if activation.approximate == "tanh" else functional.geglu
    return _GATES.get(type(activation))


def _gated_mlp(self, x):
    return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


def _gated_mlp_with_a_name(self, x):
    down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))
    return down_proj


def _instructions(function):
    code = function.__code__
    return code.co_code, code.co_names, len(inspect.signature(function).parameters)


_GATED_MLPS = [_instructions(_gated_mlp), _instructions(_gated_mlp_with_a_name)]


def _is_changed(module):
    """Whether a call of it is not its class's forward alone: it has hooks, or a forward of its own."""
    return bool(module._forward_hooks or module._forward_pre_hooks or module._backward_hooks
                or module._backward_pre_hooks or "forward" in vars(module))


def _is_gated_mlp(module):
    """More than 100 models have a copy of Llama's class: they are known by what their forward does."""
    kind = type(module)
    members = {name for name, value in vars(kind).items() if callable(value) or not name.startswith("__")}
    return (kind.__bases__ == (torch.nn.Module, ) and members == {"__init__", "forward"}
            and hasattr(kind.forward, "__code__") and _instructions(kind.forward) in _GATED_MLPS
            and _gate(getattr(module, "act_fn", None)) is not None and not _is_changed(module.act_fn))


def _refuses(module):
    """Whether nozzle rejects its parameters, such as an infinite slope, or its operators would: under torch.compile
    they take numbers, no tensors."""
    values = (*vars(module).values(), *module.parameters(recurse=False), *module.buffers(recurse=False))
    if any(isinstance(value, torch.Tensor) for value in values):
        return True
    try:
        module.forward(torch.empty(0, device="cpu"))
    except Exception: # ValueError, or what a parameter that is no number causes
        return True
    return False


def _without_numpy(attributes):
    """Its scalars as Python's numbers: torch.compile makes tensors of NumPy's, which operators do not take."""
    numpy = sys.modules.get("numpy") # where none is imported there are none
    return {name: value.item() if numpy and isinstance(value, numpy.generic) else value
            for name, value in attributes.items()} # yapf: disable


def _swap(module):
    """Makes the module nozzle's if it can be. One with a forward of its own stays: it would not call nozzle's."""
    kind = type(module)
    if "forward" in vars(module):
        return
    if kind in _MODULES:
        module.__class__ = _MODULES[kind]
        if kind is not torch.nn.GLU and _refuses(module): # GLU needs more than an empty tensor
            module.__class__ = kind
        else:
            vars(module).update(_without_numpy(vars(module)))
    elif kind.__module__ == "transformers.activations" and kind.__name__ in _OF_TRANSFORMERS:
        module.__class__, attributes = _OF_TRANSFORMERS[kind.__name__]
        vars(module).update(attributes)
        vars(module).pop("act", None) # a method of the old class, which pickle would look for in the new one
    elif _is_gated_mlp(module):
        module.__class__ = GatedMLP


def replace(model):
    """Swaps the model's activation modules for nozzle's, in place: those whose class is torch.nn's own, not a subclass,
    and those of transformers with the same functions. Its gated MLPs become GatedMLP. Modules with parameters that
    nozzle refuses or that are tensors stay, as do those whose forward was set on the object, as by accelerate's
    device_map: call replace first.

    Hooks, names and shared modules stay. Returns what was swapped: {"features.0.2": "ReLU6"}. Functions that the model
    calls itself, such as torch.nn.functional.silu, stay PyTorch's. Results of ReLU6, Hardtanh and an in-place
    Hardsigmoid must then not be changed in place before backward; PyTorch allows it. Inputs that nozzle does not take
    (sparse, nested, quantized, integer, complex) raise afterwards, though PyTorch's modules may take them."""
    modules = [(name, module, type(module)) for name, module in model.named_modules(remove_duplicate=False)]
    for _, module, _ in reversed(modules): # children first: a gated MLP is known by its activation, nozzle's by then
        _swap(module)
    return {name: type(module).__name__ for name, module, kind in modules if type(module) is not kind}
