"""Swaps a model's activation modules for nozzle's."""

import torch

from . import nn

_MODULES = {
    getattr(torch.nn, name): module
    for name, module in vars(nn).items()
    if isinstance(module, type) and hasattr(torch.nn, name)
}


def replace(model):
    """Swaps the model's activation modules for nozzle's, in place: those whose class is torch.nn's own, not a subclass.

    Hooks, names and shared modules stay. Returns what was swapped: {"features.0.2": "ReLU6"}. Functions that the model
    calls itself, such as torch.nn.functional.silu, stay PyTorch's."""
    swapped = {}
    for name, module in model.named_modules(remove_duplicate=False):
        if type(module) in _MODULES:
            module.__class__ = _MODULES[type(module)]
        elif type(module) not in _MODULES.values():
            continue
        swapped[name] = type(module).__name__
    return swapped
