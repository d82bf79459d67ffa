"""nozzle's activation functions.

For PyTorch nozzle.functional, nozzle.nn, nozzle.replace and torch.ops.nozzle; for other arrays nozzle.transform, which
needs no PyTorch."""

import functools
import importlib.util
import sys

from .arrays import transform
from .catalogue import functions

if importlib.util.find_spec("torch") is not None:
    import torch

    from . import functional, nn
    from .replacement import replace

    _transform, _graph_breaking = transform, torch._disable_dynamo(transform)

    @functools.wraps(_transform)
    def transform(*inputs, **named):
        # The first call of the other one imports Dynamo, which takes seconds. Without Dynamo nothing is compiled.
        return (_graph_breaking if "torch._dynamo" in sys.modules else _transform)(*inputs, **named)

    transform.__module__ = __name__ # for pickle
