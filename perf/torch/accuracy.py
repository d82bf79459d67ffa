#!/usr/bin/env python3
"""Measures PyTorch's largest errors, in ULP, on the inputs that nozzle's own tests use.

Those are every half and every bf16, and the floats whose bit patterns lie --stride apart, with the extremes of every
exponent. A function of two inputs takes each of them beside one of a few values, either way round. An ULP is the
distance between the result type's numbers at the exact result, subnormal ones included; infinity counts as the first
power of two beyond the type. Where one of the two is NaN and the other is not, the input is counted apart. The exact
results are float64's, from definitions that lose no digits.
"""

from functions import TYPES, about, arguments, measure_all, positive, torch

FRACTION_DIGITS = {"float": 23, "half": 10, "bf16": 7}
MAX_EXPONENT = {"float": 127, "half": 15, "bf16": 127}

BLOCK = 1 << 24 # floats at a time

# What the other input of a function of two is.
PARTNERS = [1, -2.6, 0.37, -1, 6.5, 1e-3, -17, 40, 0.05, -0.75, 3, -1.28, 90, -5, 0.5, -100]


def ulp_error(got, exact, type_name):
    """Distances in ULP, 0 where either is NaN; and whether only one of them is."""
    digits = FRACTION_DIGITS[type_name]
    beyond = 2.0 ** (MAX_EXPONENT[type_name] + 1)
    is_nan = torch.isnan(exact)
    differs = torch.isnan(got) != is_nan
    exact = exact.clamp(-beyond, beyond)
    exponent = (exact.view(torch.int64) >> 52 & 0x7FF) - 1023
    exponent = exponent.clamp(min=1 - MAX_EXPONENT[type_name])
    ulps_in_one = ((digits - exponent + 1023) << 52).view(torch.float64)
    error = (got.double().clamp(-beyond, beyond) - exact).abs() * ulps_in_one
    return torch.where(torch.isnan(error), torch.zeros_like(error), error), differs


def float_blocks(stride, device):
    extremes = [high << 23 | fraction for high in range(512) for fraction in (0, 1, 0x7FFFFF)]
    signed = [bits - (1 << 32) if bits >> 31 else bits for bits in extremes]
    yield torch.tensor(signed, dtype=torch.int32, device=device).view(torch.float32)
    for first in range(-(1 << 31), 1 << 31, stride * BLOCK):
        last = min(first + stride * BLOCK, 1 << 31)
        yield torch.arange(first, last, stride, dtype=torch.int64, device=device).to(torch.int32).view(torch.float32)


def blocks(type_name, options):
    """The arguments, in pieces that fit in memory."""
    if type_name == "float":
        yield from float_blocks(options.stride, options.device)
    else:
        patterns = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32, device=options.device).to(torch.int16)
        yield patterns.view(TYPES[type_name])


def pairs(x):
    """Each of x beside a value, either way round; an infinity beside 1, as other products of it may have no limit."""
    turns = len(PARTNERS) if x.element_size() == 2 else 1
    values = torch.tensor(PARTNERS, dtype=x.dtype, device=x.device)
    index = torch.arange(x.numel(), device=x.device)
    for turn in range(turns):
        partner = values[(index + turn) % len(PARTNERS)]
        partner = torch.where(torch.isinf(x), torch.ones_like(x), partner)
        yield x, partner
        yield partner, x


def evaluations(function, type_name, options):
    """(inputs, PyTorch's results) in pieces."""
    for x in blocks(type_name, options):
        if function.inputs == 1:
            yield (x,), function.call(x)
        else:
            for a, b in pairs(x):
                yield (a, b), function.call(torch.cat([a, b]))


def measure(function, type_name, options):
    largest = -1.0
    worst = None
    count = 0
    nan_count = 0
    nan_at = None
    for inputs, got in evaluations(function, type_name, options):
        exact = function.exact(*[x.double() for x in inputs])
        error, differs = ulp_error(got, exact, type_name)
        at = int(error.argmax())
        if error[at].item() > largest:
            largest = error[at].item()
            worst = ([x[at].item() for x in inputs], got[at].item(), exact[at].item())
        wrong = int(differs.sum())
        if wrong > 0 and nan_at is None:
            nan_at = [x[int(differs.int().argmax())].item() for x in inputs]
        nan_count += wrong
        count += got.numel()
    return {
        "function": function.name,
        "type": type_name,
        "inputs": count,
        "largest_error_ulp": largest,
        "at": [text(x) for x in worst[0]],
        "result": text(worst[1]),
        "exact": text(worst[2]),
        "nan_differs": nan_count,
        "nan_differs_at": [text(x) for x in nan_at] if nan_at else None,
    }


def text(x):
    """A number as text: JSON has no infinity and no NaN."""
    return f"{x:.9g}"


def cells(r):
    error = r["largest_error_ulp"]
    shown = f"{error:.4g}" if error < 1e5 else f"{error:.2e}"
    at, result = ("; ".join(r["at"]), r["result"]) if error > 0 else ("", "")
    nan = f"{r['nan_differs']}, as {'; '.join(r['nan_differs_at'])}" if r["nan_differs"] else ""
    return r["inputs"], shown, at, result, nan


def main():
    parser = arguments(__doc__)
    parser.add_argument(
        "--stride", type=positive, help="of the floats' bit patterns; default: 1, all, on a GPU, otherwise 4099")
    options = parser.parse_args()
    if options.stride is None:
        options.stride = 1 if torch.device(options.device).type == "cuda" else 4099

    facts = {**about(options), "stride": options.stride}
    columns = ("inputs", "largest ULP", "at", "result", "NaN differs")
    measure_all(options, facts, columns, lambda f, t: measure(f, t, options), cells)


if __name__ == "__main__":
    main()
