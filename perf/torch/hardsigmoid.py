"""torch.nn.functional.hardsigmoid, relu6(x + 3) / 6, through nozzle."""

from torch import nn

from extension import functional as F


class ModelNew(nn.Module):
    """Takes the place of a module whose forward is F.hardsigmoid(x): x of any shape and layout, on the CPU or
    on CUDA; NaN stays NaN. With `inplace` x itself is changed."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace

    def forward(self, x):
        return F.hardsigmoid(x, self.inplace)
