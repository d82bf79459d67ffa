"""torch.nn.functional.hardsigmoid, relu6(x + 3) / 6, through nozzle."""

from torch import nn

import extension


class ModelNew(nn.Module):
    """Takes the place of a module whose forward is F.hardsigmoid(x): x of any shape and layout, double, float, half or
    bfloat16, on the CPU or on CUDA; NaN stays NaN. With `inplace` x itself is changed."""

    def __init__(self, inplace=False):
        super().__init__()
        self.hardsigmoid = extension.load()
        self.inplace = inplace

    def forward(self, x):
        return self.hardsigmoid.hardsigmoid_cuda(x, self.inplace)
