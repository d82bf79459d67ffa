"""nozzle's activation functions.

For PyTorch nozzle.functional, nozzle.nn, nozzle.replace and torch.ops.nozzle; for other arrays nozzle.transform, which
needs no PyTorch."""

import importlib.util

from .arrays import transform
from .catalogue import functions

if importlib.util.find_spec("torch") is not None:
    import torch

    from . import functional, nn
    from .replacement import replace

    transform = torch._disable_dynamo(transform) # a graph breaks there; torch.compiler.disable takes seconds to import
    transform.__module__ = __name__ # for pickle
