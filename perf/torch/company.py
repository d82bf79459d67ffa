#!/usr/bin/env python3
"""Times the package nozzle (lib/torch) beside PyTorch, in microseconds: what a call costs the host, and on a GPU a
function alone on 4096 x 393216 elements, and between Linear layers, eager, compiled and in a CUDA graph.
"""

import argparse
import itertools
import statistics
import timeit

import torch

import nozzle.functional as ours
from functions import TYPES, positive, print_head, print_row
from speed import GpuTimer, device_us, in_turns, ratio, samples_in_turns
from torch.nn import functional as theirs

NAMES = ["hardtanh", "hardsigmoid", "silu", "gelu", "gelu_tanh", "swiglu"]
PACKED = "swiglu, packed" # between Linear layers only


def function(where, name):
    if name == "gelu_tanh":
        return lambda x: where.gelu(x, approximate="tanh")
    gate = lambda a, b: theirs.silu(a) * b
    if name == "swiglu":
        return ours.swiglu if where is ours else gate
    if name == PACKED:
        return ours.swiglu if where is ours else lambda x: gate(*x.chunk(2, -1))
    return getattr(where, name)


def host_cost(device):
    """Of calls on 8 elements; the device keeps up with the host."""
    wait = torch.cuda.synchronize if device == "cuda" else lambda: None

    def measure(call):
        wait()
        return timeit.timeit(call, number=500) * 1e6 / 500

    print_head("host cost", "nozzle", "eager", "difference")
    for name in NAMES:
        for kind in ("", " with gradient"):
            x = [torch.randn(8, device=device, requires_grad=bool(kind)) for _ in range(1 + (name == "swiglu"))]
            ways = {where: (lambda f: lambda: f(*x))(function(where, name)) for where in (ours, theirs)}
            times = in_turns(ways, measure, 40)
            print_row(name + kind, times[ours], times[theirs], times[ours] - times[theirs])


def compiled(call):
    torch._dynamo.reset()
    return torch.compile(call, fullgraph=True)


def print_times(head, samples):
    medians = map(statistics.median, samples.values())
    print_row(*head, *medians, *(ratio(samples["nozzle"], samples[way]) for way in ("eager", "compiled")))


def alone(shape):
    timer = GpuTimer("cuda")
    print_head(f"{shape[0]} x {shape[1]} elements", "type", "nozzle", "eager", "compiled", "nozzle/eager",
               "nozzle/compiled")
    for name in NAMES:
        for type_name, dtype in TYPES.items():
            x = [torch.rand(shape, device="cuda").to(dtype) for _ in range(1 + (name == "swiglu"))]
            calls = {"nozzle": function(ours, name), "eager": function(theirs, name)}
            calls["compiled"] = compiled(calls["eager"])
            calls["compiled"](*x)
            print_times([name, type_name], samples_in_turns(calls, lambda call: timer(lambda: call(*x)), 20))


def captured(call):
    """Four graphs, replayed in turns: where their buffers lie decides 1% of a GEMM's time."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    graphs = [torch.cuda.CUDAGraph() for _ in range(4)]
    for graph in graphs:
        with torch.cuda.graph(graph):
            for _ in range(20):
                call()
    turns = itertools.cycle(graphs)
    return lambda: next(turns).replay()


def company(width):
    print_head("between Linear layers, bf16", "rows", "way", "nozzle", "eager", "compiled",
               "nozzle/eager", "nozzle/compiled")
    linear = lambda wide=width: torch.nn.Linear(width, wide, bias=False, device="cuda", dtype=torch.bfloat16)
    for name in [*NAMES, PACKED]:
        before = [linear(2 * width)] if name == PACKED else [linear() for _ in range(1 + (name == "swiglu"))]
        behind = linear()
        for rows in (1, 16, 64, 256, 1024, 4096):
            x = torch.randn(rows, width, device="cuda", dtype=torch.bfloat16)
            calls = {}
            for way, call in (("nozzle", function(ours, name)), ("eager", function(theirs, name))):
                calls[way] = lambda call=call: behind(call(*[layer(x) for layer in before]))
            calls["compiled"] = compiled(calls["eager"])
            torch.testing.assert_close(calls["nozzle"](), calls["eager"](), rtol=2e-2, atol=2e-2)
            repeated = lambda call: lambda: [call() for _ in range(10)]
            # A host's pace changes while it enqueues: more and shorter rounds.
            for way, prepare, repetitions, rounds in (("graph", captured, 20, 200), ("eager", repeated, 10, 800)):
                prepared = {key: prepare(call) for key, call in calls.items()}
                print_times([name, rows, way], samples_in_turns(prepared, lambda f: device_us(f) / repetitions, rounds))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=positive, default=4096, help="of the Linear layers; default: %(default)s")
    parser.add_argument("--shape", type=positive, nargs=2, default=[4096, 393216], help="of what is timed alone")
    options = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    print(f"torch {torch.__version__}, {torch.cuda.get_device_name() if on_gpu else 'cpu'}")
    host_cost("cuda" if on_gpu else "cpu")
    if on_gpu:
        with torch.no_grad():
            alone(options.shape)
            company(options.width)


if __name__ == "__main__":
    main()
