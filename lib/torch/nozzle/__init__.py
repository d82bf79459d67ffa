"""nozzle's activation functions for PyTorch (nozzle.functional, nozzle.nn, nozzle.replace, torch.ops.nozzle) and for other
arrays (nozzle.transform), which need no PyTorch."""

import importlib.util

from .arrays import transform
from .catalogue import functions

if importlib.util.find_spec("torch") is not None:
    from . import functional, nn
    from .replacement import replace
