"""Swaps a model's activation modules for nozzle's."""

import torch

from . import functional, nn

_MODULES = {
    getattr(torch.nn, name): module
    for name, module in vars(nn).items()
    if isinstance(module, type) and hasattr(torch.nn, name)
}

# Of transformers.activations, with the attributes that torch.nn's counterparts have.
_OF_TRANSFORMERS = {
    "GELUActivation": (nn.GELU, {"approximate": "none"}),
    "GELUTanh": (nn.GELU, {"approximate": "tanh"}),
    "NewGELUActivation": (nn.GELU, {"approximate": "tanh"}),
    "SiLUActivation": (nn.SiLU, {"inplace": False}),
    "MishActivation": (nn.Mish, {"inplace": False}),
} # yapf: disable


class GatedMLP(torch.nn.Module):
    """A model's own module, as in Llama, with activation and product in one pass. It does not call its act_fn."""

    def forward(self, x):
        return self.down_proj(_gate(self.act_fn)(self.gate_proj(x), self.up_proj(x)))


def _gate(activation):
    if type(activation) is nn.GELU:
        return functional.geglu_tanh if activation.approximate == "tanh" else functional.geglu
    return {nn.SiLU: functional.swiglu, nn.ReLU: functional.reglu}.get(type(activation))


def _gated_mlp(self, x):
    return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


def _gated_mlp_with_a_name(self, x):
    down_proj = self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))
    return down_proj


_instructions = lambda function: (function.__code__.co_code, function.__code__.co_names)
_GATED_MLPS = [_instructions(_gated_mlp), _instructions(_gated_mlp_with_a_name)]


def _has_hooks(module):
    return any(value for name, value in vars(module).items() if name.endswith("_hooks"))


def _is_gated_mlp(module):
    """More than 100 models have a copy of Llama's class: they are known by what their forward does."""
    kind = type(module)
    methods = {name for name, value in vars(kind).items() if callable(value)}
    return (kind.__bases__ == (torch.nn.Module, ) and methods == {"__init__", "forward"}
            and hasattr(kind.forward, "__code__") and _instructions(kind.forward) in _GATED_MLPS
            and _gate(module.act_fn) is not None and not _has_hooks(module.act_fn))


def _swap(module):
    """Whether the module is nozzle's now."""
    kind = type(module)
    if kind in _MODULES:
        module.__class__ = _MODULES[kind]
    elif kind.__module__ == "transformers.activations" and kind.__name__ in _OF_TRANSFORMERS:
        module.__class__, attributes = _OF_TRANSFORMERS[kind.__name__]
        vars(module).update(attributes)
    elif _is_gated_mlp(module):
        module.__class__ = GatedMLP
    return type(module) is GatedMLP or type(module) in _MODULES.values()


def replace(model):
    """Swaps the model's activation modules for nozzle's, in place: those whose class is torch.nn's own, not a subclass,
    and those of transformers with the same functions. Its gated MLPs become GatedMLP.

    Hooks, names and shared modules stay. Returns what was swapped: {"features.0.2": "ReLU6"}. Functions that the model
    calls itself, such as torch.nn.functional.silu, stay PyTorch's."""
    modules = list(model.named_modules(remove_duplicate=False))
    # Children first: a gated MLP is known by its activation, which is nozzle's by then.
    swapped = {name: type(module).__name__ for name, module in reversed(modules) if _swap(module)}
    return dict(reversed(swapped.items()))
