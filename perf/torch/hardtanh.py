"""torch.nn.functional.hardtanh through nozzle."""

from extension import nn


class ModelNew(nn.Hardtanh):
    """Takes the place of a module whose forward is F.hardtanh(x, min_val, max_val): x of any shape and layout, on the
    CPU or on CUDA; NaN stays NaN. With `inplace` x itself is changed."""
