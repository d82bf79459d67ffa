"""The functions that both nozzle and PyTorch have, by nozzle's names: PyTorch's call, and the definition in float64.

The definitions lose no more than some 1e-14 of a result, down to the least float, so an error of a thousandth of an ULP
of float shows. A parameter is what nozzle takes for it: its nearest float.
"""

import argparse
import functools
import json
import math
import sys

try:
    import torch
    import torch.nn.functional as F
except ImportError as error:
    sys.exit(f"this needs PyTorch: {error}")

TYPES = {"float": torch.float32, "half": torch.float16, "bf16": torch.bfloat16}


def to_float(value):
    return torch.tensor(value, dtype=torch.float32).item()


def choose(condition, a, b):
    """condition ? a : b, where a and b may be numbers."""
    on_device = {"dtype": torch.float64, "device": condition.device}
    return torch.where(condition, torch.as_tensor(a, **on_device), torch.as_tensor(b, **on_device))


def limit_product(a, b):
    """a * b, but 0 where one is 0 and the other infinite: the limit along the one that grows."""
    plain = a * b
    return choose(torch.isnan(plain) & ~torch.isnan(a) & ~torch.isnan(b), 0.0, plain)


def linear_right(x, left):
    """x on the right of 0, `left` elsewhere."""
    return choose(x > 0, x, left)


def logistic(x):
    e = torch.exp(-x.abs())
    return choose(x > 0, 1.0, e) / (1 + e)


def log_1_plus_exp(x):
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def tanh_of_softplus(x):
    e = torch.exp(-x.abs())
    right = (1 + 2 * e) / (1 + 2 * e * (1 + e))
    left = e * (e + 2) / (e * (e + 2) + 2)
    return choose(x > 0, right, left)


def tanh_defect(x):
    """x - tanh(x): for small x through the continued fraction of tanh, where nothing cancels."""
    square = x * x
    fraction = torch.full_like(x, 31.0)
    for odd in range(29, 2, -2):
        fraction = odd + square / fraction
    return choose(x.abs() < 1, x * (square / (fraction + square)), x - torch.tanh(x))


def hardswish(x):
    return choose(x <= -3, 0.0, choose(x >= 3, x, x * (x + 3) / 6))


def softshrink(x):
    return choose(x > 0.5, x - 0.5, choose(x < -0.5, x + 0.5, choose(torch.isnan(x), x, 0.0)))


def softsign(x):
    return choose(x.isinf(), torch.sign(x), x / (1 + x.abs()))


def gelu_tanh(x):
    v = 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)
    return limit_product(x, logistic(v))


def elu(x):
    return linear_right(x, torch.expm1(x))


def selu(x):
    return choose(x > 0, 1.0507009873554805 * x, 1.7580993408473768 * torch.expm1(x))


class Function:
    """`call` is PyTorch's, `exact` the definition in float64; both take as many tensors as there are inputs."""

    def __init__(self, name, call, exact, inputs=1):
        self.name = name
        self.call = call
        self.exact = exact
        self.inputs = inputs


@functools.lru_cache
def prelu_weight(dtype, device):
    return torch.full((1, ), 0.25, dtype=dtype, device=device) # an upload in each call would be timed with it


FUNCTIONS = [
    Function("hardtanh", F.hardtanh, lambda x: x.clamp(-1, 1)),
    Function("hardsigmoid", F.hardsigmoid, lambda x: (x.clamp(-3, 3) + 3) / 6),
    Function("relu", F.relu, lambda x: x.clamp(min=0)),
    Function("relu6", F.relu6, lambda x: x.clamp(0, 6)),
    Function("leaky_relu", F.leaky_relu, lambda x: linear_right(x, to_float(0.01) * x)),
    Function("prelu", lambda x: F.prelu(x, prelu_weight(x.dtype, x.device)), lambda x: linear_right(x, 0.25 * x)),
    # PyTorch rounds these parameters to the data's type: they are numbers that every type has.
    Function("threshold", lambda x: F.threshold(x, 0.125, -2), lambda x: choose(x <= 0.125, -2.0, x)),
    Function("hardshrink", F.hardshrink, lambda x: choose(x.abs() <= 0.5, 0.0, x)),
    Function("softshrink", F.softshrink, softshrink),
    Function("hardswish", F.hardswish, hardswish),
    Function("softsign", F.softsign, softsign),
    Function("sigmoid", torch.sigmoid, logistic),
    Function("log_sigmoid", F.logsigmoid, lambda x: -log_1_plus_exp(-x)),
    Function("tanh", torch.tanh, torch.tanh),
    Function("tanhshrink", F.tanhshrink, tanh_defect),
    Function("softplus", F.softplus, lambda x: choose(x > 20, x, log_1_plus_exp(x))),
    Function("elu", F.elu, elu),
    Function("celu", F.celu, elu),
    Function("selu", F.selu, selu),
    Function("silu", F.silu, lambda x: limit_product(x, logistic(x))),
    Function("mish", F.mish, lambda x: limit_product(x, tanh_of_softplus(x))),
    Function("gelu", F.gelu, lambda x: limit_product(x, torch.erfc(-x * math.sqrt(0.5)) / 2)),
    Function("gelu_tanh", lambda x: F.gelu(x, approximate="tanh"), gelu_tanh),
    # PyTorch takes both inputs as the halves of one tensor.
    Function("glu", lambda x: F.glu(x, dim=0), lambda a, b: limit_product(a, logistic(b)), inputs=2),
]


def arguments(description):
    """A parser with the options that the programs share."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [f.name for f in FUNCTIONS]
    parser.add_argument("--functions", type=list_of(names), default=names, metavar="LIST", help=", ".join(names))
    parser.add_argument("--types", type=list_of(TYPES), default=list(TYPES), metavar="LIST", help=", ".join(TYPES))
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="default: %(default)s")
    parser.add_argument("--output", metavar="FILE", help="write JSON into this file")
    return parser


def list_of(known):
    def parse(text):
        names = text.split(",")
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name}: not one of {', '.join(known)}")
        return names

    return parse


def positive(word):
    value = int(word)
    if value <= 0:
        raise ValueError
    return value


def chosen(options):
    """(function, name of a type) for all that the options select."""
    return [(f, t) for f in FUNCTIONS if f.name in options.functions for t in options.types]


def about(options):
    """What the numbers depend on."""
    on_gpu = torch.device(options.device).type == "cuda"
    return {
        "torch": torch.__version__,
        "cuda": torch.version.cuda if on_gpu else None,
        "device": torch.cuda.get_device_name(options.device) if on_gpu else options.device,
    }


def measure_all(options, facts, columns, measure, cells):
    """Prints the facts and a table with the cells of each result, and writes both into the file that is asked for."""
    if options.output:
        open(options.output, "a").close() # fails here, not when all is measured
    print("\n".join(f"{key}: {value}" for key, value in facts.items()))
    print_head("function", "type", *columns)
    results = []
    with torch.no_grad():
        for function, type_name in chosen(options):
            try:
                results.append(measure(function, type_name))
            except NotImplementedError: # the function lacks this type
                print_row(function.name, type_name, "not on this device", *[""] * (len(columns) - 1))
            else:
                print_row(function.name, type_name, *cells(results[-1]))
    if options.output:
        with open(options.output, "w", encoding="utf-8") as file:
            json.dump({**facts, "results": results}, file, indent=1, allow_nan=False)
            file.write("\n")


def print_row(*cells):
    texts = (f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in cells)
    print("| " + " | ".join(texts) + " |", flush=True)


def print_head(*cells):
    print()
    print_row(*cells)
    print("|" + "---|" * len(cells), flush=True)
