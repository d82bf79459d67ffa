"""torch.nn.functional.hardsigmoid, relu6(x + 3) / 6, through nozzle."""

from extension import nn


class ModelNew(nn.Hardsigmoid):
    """Takes the place of a module whose forward is F.hardsigmoid(x): x of any shape and layout, on the CPU or on CUDA;
    NaN stays NaN. With `inplace` x itself is changed."""
