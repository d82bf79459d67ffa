"""The hardsigmoid of ONNX and Keras 2, max(0, min(1, alpha * x + beta)), through nozzle."""

from torch import nn

import extension


class ModelNew(nn.Module):
    """Takes the place of a module whose forward is (alpha * x + beta).clamp(0, 1): x of any shape and layout, double, float,
    half or bfloat16, on the CPU or on CUDA; NaN stays NaN. With `inplace` x itself is changed."""

    def __init__(self, alpha=0.2, beta=0.5, inplace=False):
        super().__init__()
        self.hardsigmoid = extension.load()
        self.alpha = alpha
        self.beta = beta
        self.inplace = inplace

    def forward(self, x):
        return self.hardsigmoid.hardsigmoid_onnx_cuda(x, self.alpha, self.beta, self.inplace)
