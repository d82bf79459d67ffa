"""nozzle's functions through libnozzle, called as functions.py calls PyTorch's."""

import pathlib
import sys

from functions import torch

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "lib/example"))
import binding  # noqa: E402  (found in the line above)

# nozzle's own functions take the parameters that functions.py gives to PyTorch's.
PARAMETERS = {"prelu": {"weight": 0.25}, "threshold": {"limit": 0.125, "value": -2}}


def of_library(library, name):
    """A function of new tensors; two inputs are halves of one tensor."""
    apply = getattr(library, name)
    parameters = PARAMETERS.get(name, {})

    def call(x):
        arrays = x.chunk(library.functions[name].inputs)
        y = torch.empty_like(arrays[0])
        apply(*[binding.of_torch(a) for a in arrays], binding.of_torch(y), **parameters)
        return y

    return call
