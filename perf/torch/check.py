#!/usr/bin/env python3
"""Compares the drop-in modules with PyTorch. The package's tests compare the functions, with layouts, gradients and
calls in place.

  modules    ModelNew of hardtanh.py, hardsigmoid.py and hardsigmoid_onnx.py beside torch.nn.functional: every half and
             bf16, and the floats whose bit patterns lie --stride apart. They must be the same numbers wherever
             PyTorch's is the one nearest to the exact result, and within 2 ULP elsewhere.
  times      on 4096 x 393216 elements, uniform in [0, 1) as in the original tasks: nozzle's module, PyTorch's eager
             function, and torch.compile's, in turns. The median of calls; a call's time is the device's alone where
             the host enqueues it while L2 is still being cleared.

It ends with an error where something is not as it must be.
"""

import argparse
import sys

import accuracy
import hardsigmoid
import hardsigmoid_onnx
import hardtanh
from functions import TYPES, F, about, positive, print_head, print_row, to_float, torch
from speed import GpuTimer, in_turns


def onnx_formula(x):
    return (0.2 * x + 0.5).clamp(0, 1)


# name: the module, PyTorch's function, the same in place, and the definition in float64, with parameters as floats.
MODULES = {
    "hardtanh": (hardtanh, F.hardtanh, lambda x: F.hardtanh(x, inplace=True), lambda x: x.clamp(-1, 1)),
    "hardsigmoid": (hardsigmoid, F.hardsigmoid, lambda x: F.hardsigmoid(x, inplace=True), lambda x:
                    (x.clamp(-3, 3) + 3) / 6),
    "hardsigmoid_onnx": (hardsigmoid_onnx, onnx_formula, lambda x: x.mul_(0.2).add_(0.5).clamp_(0, 1), lambda x:
                         (to_float(0.2) * x + 0.5).clamp(0, 1)),
}

# PyTorch rounds more often than once in its own way to compute this one: there is nothing to be equal to.
NO_COUNTERPART = {"hardsigmoid_onnx"}

failures = []


def require(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED: " + what, flush=True)


def inputs(type_name, options):
    return torch.cat(list(accuracy.blocks(type_name, options)))


def check_module(name, type_name, options):
    """The module's results beside PyTorch's, and beside what is exact."""
    module, theirs, _, exact = MODULES[name]
    x = inputs(type_name, options)
    got, expected, right = module.ModelNew()(x), theirs(x), exact(x.double())
    distance, nan_differs = accuracy.ulp_error(got, expected.double(), type_name)
    error, _ = accuracy.ulp_error(got, right, type_name)
    their_error, _ = accuracy.ulp_error(expected, right, type_name)
    differs = (got != expected) & ~torch.isnan(right)
    result = {
        "function": name,
        "type": type_name,
        "inputs": x.numel(),
        "differ": int(differs.sum()),
        # Both may be nearest: halfway between two numbers.
        "differ_where_pytorch_is_nearest": int((differs & (their_error < 0.49999)).sum()),
        "largest_distance_ulp": distance.max().item(),
        "error_ulp": error.max().item(),
        "pytorch_error_ulp": their_error.max().item(),
        "nan_differs": int(nan_differs.sum()),
    }
    what = f"{name}, {type_name}: {result}"
    require(result["nan_differs"] == 0, what)
    require(result["error_ulp"] <= 0.51, what)
    if name not in NO_COUNTERPART:
        require(result["differ_where_pytorch_is_nearest"] == 0 and result["largest_distance_ulp"] <= 2, what)
    return result


def time_calls(name, type_name, options):
    """Microseconds of each way to call."""
    module, theirs, theirs_in_place, _ = MODULES[name]
    timer = GpuTimer(options.device)
    x = torch.rand(options.shape, device=options.device).to(TYPES[type_name])
    y = x.clone()  # for what changes its argument
    new, new_in_place, compiled = module.ModelNew(), module.ModelNew(inplace=True), torch.compile(theirs)
    ways = {
        "nozzle": lambda: new(x),
        "eager": lambda: theirs(x),
        "compiled": lambda: compiled(x),
        "nozzle_in_place": lambda: new_in_place(y),
        "eager_in_place": lambda: theirs_in_place(y),
    }
    row = {"function": name, "type": type_name, **in_turns(ways, timer, options.repetitions)}
    slower = [way for way in ("eager", "compiled") if row["nozzle"] > row[way] * 1.005]
    require(not slower, f"{name}, {type_name}: slower than {slower}: {row}")
    return row


def print_table(title, rows):
    """Markdown of rows that share their keys."""
    print(f"\n## {title}")
    print_head(*(key.replace("_", " ") for key in rows[0]))
    for row in rows:
        print_row(*(f"{value:.4g}" if isinstance(value, float) else value for value in row.values()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="default: %(default)s")
    parser.add_argument(
        "--stride", type=positive, default=127, help="of the floats' bit patterns; default: %(default)s")
    parser.add_argument("--shape", type=positive, nargs="+", default=[4096, 393216], help="of what is timed")
    parser.add_argument("--repetitions", type=positive, default=20, help="default: %(default)s")
    options = parser.parse_args()

    facts = ", ".join(f"{key} {value}" for key, value in about(options).items())
    print(f"# nozzle beside PyTorch: {facts}, floats {options.stride} bit patterns apart")
    with torch.no_grad():
        print_table("Modules", [check_module(name, t, options) for name in MODULES for t in TYPES])
    if torch.device(options.device).type == "cuda":
        with torch.no_grad():
            print_table("Times", [time_calls(name, t, options) for name in MODULES for t in TYPES])
    if failures:
        sys.exit(f"{len(failures)} comparisons failed")


if __name__ == "__main__":
    main()
