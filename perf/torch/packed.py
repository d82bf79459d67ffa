#!/usr/bin/env python3
"""Times what torch.compile makes of packed gates and of operands beside the data, as perf/run views times nozzle: calls
in a CUDA graph, operands rotated through 400 MB, the median of rounds. Prints a Markdown table with nozzle's times
beside them, from the file that `perf/run views --output` wrote on the same machine.
"""

import argparse
import json
import statistics
import sys

from functions import TYPES, F, list_of, positive, print_head, print_row, torch
from speed import device_us


def halves(packed):
    return packed.chunk(2, 1)


def pairs(packed):
    return packed[:, ::2], packed[:, 1::2]


def swiglu(packed, split=halves):
    a, b = split(packed)
    return F.silu(a) * b


def geglu_tanh(packed):
    a, b = halves(packed)
    return F.gelu(a, approximate="tanh") * b


def limited_swiglu(packed):
    a, b = halves(packed)
    a = a.clamp(max=7)
    return a * torch.sigmoid(1.702 * a) * (b.clamp(-7, 7) + 1)


def swiglu_gradients(g, packed):
    a, b = halves(packed)
    s = torch.sigmoid(a)
    return torch.cat([g * b * s * (1 + a * (1 - s)), g * a * s], dim=1)


def to_e4m3(result):
    return result.clamp(-448, 448).to(torch.float8_e4m3fn)


# By form and function of perf/views: the call, and its inputs' columns in those of the result; -1 is a value a row,
# 0 a row of values.
CASES = {
    "halves/swiglu": (swiglu, [2]),
    "halves/geglu_tanh": (geglu_tanh, [2]),
    "halves/limited_swiglu": (limited_swiglu, [2]),
    "gradients/swiglu": (swiglu_gradients, [1, 2]),
    "interleaved_1/swiglu": (lambda x: swiglu(x, pairs), [2]),
    "bias/gelu": (lambda x, bias: F.gelu(x + bias), [1, 0]),
    "scale/silu": (lambda x, scale: F.silu(x * scale), [1, -1]),
    "residual/silu": (lambda x, r: F.silu(x) + r, [1, 1]),
}
# The same of 16-bit data, where a value a row and a row of values are of float.
MIXED_CASES = {
    "to_e4m3/silu": (lambda x: to_e4m3(F.silu(x)), [1]),
    "to_e4m3/swiglu": (lambda x: to_e4m3(swiglu(x)), [2]),
    "scaled_to_e4m3/swiglu": (lambda x, scale: to_e4m3(swiglu(x) * scale), [2, -1]),
    "float_bias/gelu": (lambda x, bias: F.gelu(x + bias).to(x.dtype), [1, 0]),
    "float_scale/silu": (lambda x, scale: F.silu(x * scale).to(x.dtype), [1, -1]),
}
CASES.update(MIXED_CASES)


def operands(case, rows, columns, dtype):
    beside = torch.float32 if case in MIXED_CASES else dtype
    shapes = {-1: ((rows, 1), beside), 0: ((1, columns), beside)}
    described = [shapes.get(width, ((rows, width * columns), dtype)) for width in CASES[case][1]]
    return [torch.randn(shape, dtype=of, device="cuda") for shape, of in described]


class Graph:
    """Microseconds of a call, of those in a graph. Each has operands of its own, as far as 400 MB hold them."""

    def __init__(self, call, make_operands):
        sample = make_operands()
        moved = sum(x.nbytes for x in sample) + call(*sample).nbytes
        self.calls = min(max((256 << 20) // moved, 4), 32)
        sets = min(max(400_000_000 // moved, 2), self.calls)
        self.inputs = [sample] + [make_operands() for _ in range(sets - 1)]
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            results = []
            for number in range(self.calls):
                result = call(*self.inputs[number % sets])
                results = (results + [result])[-sets:]  # the memory of the oldest is taken again

    def microseconds(self):
        torch.cuda._sleep(200_000)  # or the graph's start would be part of the time
        return device_us(self.graph.replay) / self.calls


def measure(case, rows, columns, dtype, rounds):
    torch.compiler.reset()
    compiled = torch.compile(CASES[case][0], dynamic=False)
    graph = Graph(compiled, lambda: operands(case, rows, columns, dtype))
    return statistics.median([graph.microseconds() for _ in range(rounds + 1)][1:])


def numbers(text):
    return [int(each) for each in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--views", required=True, metavar="FILE", help="what perf/run views wrote")
    parser.add_argument("--cases", type=list_of(CASES), default=list(CASES), metavar="LIST", help=", ".join(CASES))
    parser.add_argument("--types", type=list_of(TYPES), default=list(TYPES), metavar="LIST", help=", ".join(TYPES))
    parser.add_argument("--rows", type=numbers, default=[1, 512, 8192])
    parser.add_argument("--columns", type=numbers, default=[2880, 11008])
    parser.add_argument("--repetitions", type=positive, default=11)
    options = parser.parse_args()
    with open(options.views) as file:
        results = json.load(file)
    nozzle = {b["name"]: b["real_time"] for b in results["benchmarks"]}
    commit = results["context"]["commit"]
    print(f"# Views beside torch.compile\n\n{torch.cuda.get_device_name()}, PyTorch {torch.__version__}; nozzle at"
          f" commit {commit}. Microseconds of a call in a CUDA graph.")
    print_head("case", "type", "rows", "columns", "nozzle", "torch.compile", "nozzle to compiled")
    for case in options.cases:
        for type_name in options.types:
            if case in MIXED_CASES and type_name == "float":
                continue
            for columns in options.columns:
                for rows in options.rows:
                    name = f"{case}/{type_name}/{rows}x{columns}/nozzle"
                    if name not in nozzle:
                        sys.exit(f"{options.views} has no {name}")
                    ours = nozzle[name]
                    theirs = measure(case, rows, columns, TYPES[type_name], options.repetitions)
                    print_row(case, type_name, rows, columns, ours, theirs, f"{ours / theirs:.3f}")


if __name__ == "__main__":
    main()
