"""Results and gradients beside what is exact, and beside PyTorch's: every 16-bit value, and a million floats.

The exact results are those of perf/torch, which lose no digits. Its README has PyTorch's own errors.
"""

import importlib
import math
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import nozzle.functional as F
from support import (COUNTERPARTS, FUNCTIONS, IN_PLACE, all_functions, apply, devices, inputs_of, ours, parameters_of,
                     theirs) # yapf: disable

sys.path.insert(0, str(Path(__file__).parents[3] / "perf/torch"))
from accuracy import FRACTION_DIGITS, blocks, ulp_error  # noqa: E402  (found in the line above)
from functions import FUNCTIONS as COMPARED, TYPES, log_1_plus_exp  # noqa: E402

EXACT = {function.name: function.exact for function in COMPARED}
# Of results and gradients. PyTorch's gradients in float64, the reference, are not exact either.
BOUNDS = {"float": 2, "half": 0.51, "bf16": 0.51}
GRADIENT_BOUNDS = {"float": 4.5, "half": 0.6, "bf16": 0.6}

types = pytest.mark.parametrize("type_name", TYPES)


def every(type_name, device):
    """Every value of a 16-bit type, or floats whose bit patterns are 4099 apart, and the extremes of every exponent."""
    return torch.cat(list(blocks(type_name, SimpleNamespace(stride=4099, device=device))))


def check_results(got, exact, bound, type_name, *inputs):
    error, nan_differs = ulp_error(got, exact, type_name)
    assert not nan_differs.any(), [x[nan_differs][:5] for x in inputs]
    assert error.max() <= bound, [x[error.argmax()] for x in inputs]


@devices
@types
@pytest.mark.parametrize("name", [name for name in COUNTERPARTS if name in EXACT])
def test_results(name, type_name, device):
    x = every(type_name, device)
    check_results(ours(name)(x), EXACT[name](x.double()), BOUNDS[type_name], type_name, x)


@devices
@types
def test_results_of_glu(type_name, device):
    """On random pairs, of first inputs up to 10^20, as it is stated for."""
    torch.manual_seed(5)
    b = every(type_name, device)
    a = b[torch.randperm(len(b), device=device)]
    a = torch.where(a.abs() > 1e20, 1, a)
    exact = EXACT["glu"](a.double(), b.double())
    check_results(torch.ops.nozzle.glu(a, b), exact, BOUNDS[type_name], type_name, a, b)


@devices
@types
def test_results_of_prelu(type_name, device):
    x = every(type_name, device)
    check_results(torch.ops.nozzle.prelu(x, 0.25), EXACT["prelu"](x.double()), BOUNDS[type_name], type_name, x)


@devices
@types
@pytest.mark.parametrize("name", ["hardtanh", "relu", "relu6", "threshold", "hardshrink", "leaky_relu", "softshrink"])
def test_the_same_numbers_as_pytorch(name, type_name, device):
    x = every(type_name, device)
    got, expected = ours(name)(x), theirs(name)(x)
    assert ((got == expected) | (got.isnan() & expected.isnan())).all()


def squareplus(x, b):
    root = torch.sqrt(x * x + b)
    return torch.where(x < 0, b / (root - x), x + root) / 2


# What torch.nn.functional lacks, in float64, without loss of digits.
DEFINITIONS = {
    "general_relu": lambda x, slope, maximum, threshold:
        torch.where(x < threshold, slope * (x - threshold), x.clamp(max=maximum)),
    "clip": lambda x, lo, hi: x.clamp(lo, hi),
    "shrink": lambda x, lambd, bias: torch.where(x.abs() <= lambd, 0.0, x - bias * torch.sign(x)),
    "sparse_plus": lambda x: torch.where(x < 1, (x.clamp(min=-1) + 1)**2 / 4, x),
    "sparse_sigmoid": lambda x: (x.clamp(-1, 1) + 1) / 2,
    "star_relu": lambda x, scale, bias: scale * x.clamp(min=0)**2 + bias,
    "hard_mish": lambda x: x.clamp(min=-2) * (x + 2).clamp(0, 2) / 2,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "scaled_tanh": lambda x, alpha, beta: alpha * torch.tanh(beta * x),
    "parametric_softplus": lambda x, alpha, beta: alpha * log_1_plus_exp(beta * x),
    "sqrt_softplus": lambda x: torch.sqrt(log_1_plus_exp(x)),
    "squareplus": squareplus,
    "laplace": lambda x, mu, sigma: torch.erfc((mu - x) / sigma * math.sqrt(0.5)) / 2,
    "xielu": lambda x, alpha_p, alpha_n, beta:
        torch.where(x > 0, (alpha_p * x + beta) * x, alpha_n * torch.expm1(x) + (beta - alpha_n) * x),
} # yapf: disable


@devices
@types
@pytest.mark.parametrize("name", DEFINITIONS)
def test_results_of_further_functions(name, type_name, device):
    x = every(type_name, device)
    parameters = torch.tensor(parameters_of(name), dtype=torch.float).tolist() # their nearest floats
    exact = DEFINITIONS[name](x.double(), *parameters)
    check_results(apply(name, x), exact, 0.51 if type_name != "float" else 4, type_name, x)


def gradient(call, x, g, in_place):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(call(leaf * 1, inplace=True) if in_place else call(leaf), leaf, g)[0]


def gradient_error(got, exact, g, type_name, from_result=False):
    """In ULP of the gradient, or of g / 1024 where it is smaller: formulas in float64 lose digits in tails. A slope
    that comes from a rounded result has twice its error, times g."""
    smallest = 2.0**-24 if type_name == "half" else 1e-30
    size = torch.maximum(exact.abs(), g.double().abs() / 1024).clamp(min=smallest)
    ulp = torch.exp2(torch.floor(torch.log2(size)) - FRACTION_DIGITS[type_name]).clamp(min=smallest)
    allowed = g.double().abs() * BOUNDS[type_name] * 2.0**-FRACTION_DIGITS[type_name] if from_result else 0
    return ((got.double() - exact).abs() - allowed).clamp(min=0) / ulp


@devices
@types
@pytest.mark.parametrize("in_place, name", [(False, n) for n in COUNTERPARTS] + [(True, n) for n in IN_PLACE])
def test_gradients(name, type_name, in_place, device):
    torch.manual_seed(5)
    x = every(type_name, device)
    x = x[x.abs() < 12]
    g = torch.randn(x.shape, device=device).to(x.dtype)
    got = gradient(ours(name), x, g, in_place)
    exact = gradient(theirs(name), x.double(), g.double(), False)
    from_result = name in ("sigmoid", "tanh") or in_place and FUNCTIONS[name].has_gradient_from_result
    error = gradient_error(got, exact, g, type_name, from_result)
    assert error.max() <= GRADIENT_BOUNDS[type_name], (x[error.argmax()], got[error.argmax()], exact[error.argmax()])


@devices
@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2])
@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("bound", [0.1, 1 / 3, 0.7])
def test_gradients_with_bounds_that_the_type_lacks(bound, in_place, dtype, device):
    """Some are rounded towards 0: a result at such a bound looks as if its input were inside."""
    x = torch.linspace(-1, 1, 101, device=device).to(dtype)
    leaf = x.clone().requires_grad_()
    y = F.hardtanh(leaf.clone(), -bound, bound, in_place)
    got = torch.autograd.grad(y, leaf, torch.ones_like(x))[0]
    assert torch.equal(got.float(), (x.float().abs() < bound).float())


@devices
@pytest.mark.parametrize("in_place", [False, True])
def test_gradients_at_infinity_where_results_saturate(in_place, device):
    x = torch.tensor([-math.inf, 2.0, math.inf], device=device).to(torch.float8_e5m2).requires_grad_()
    y = F.hardtanh(x.clone(), -math.inf, math.inf, in_place)
    assert torch.autograd.grad(y, x, torch.ones_like(y))[0].float().tolist() == [0, 1, 0]


@devices
@all_functions
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8(name, dtype, device):
    """Within a number of the float result: libnozzle's own tests count its errors."""
    x = [t.to(dtype) for t in inputs_of(name, (40, 5), torch.float, device)]
    y = apply(name, *x)
    assert y.dtype == dtype
    step = torch.finfo(dtype).eps
    torch.testing.assert_close(y.float(), apply(name, *[t.float() for t in x]), rtol=step, atol=2.0**-9)


@devices
@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if f.inputs == 2])
def test_gates(name, device):
    a, b = inputs_of(name, (1000, ), device=device)
    a, b = a * 4, b * 4
    silu, gelu = torch.nn.functional.silu, torch.nn.functional.gelu
    definitions = {
        "glu": lambda: a * torch.sigmoid(b), "swiglu": lambda: silu(a) * b,
        "geglu": lambda: gelu(a) * b, "reglu": lambda: torch.relu(a) * b,
        "geglu_tanh": lambda: gelu(a, approximate="tanh") * b,
        "prelu_weights": lambda: torch.where(a < 0, a * b, a),
        "limited_swiglu": lambda limit, alpha, offset: a.clamp(max=limit) * torch.sigmoid(alpha * a.clamp(max=limit)) *
                                                       (b.clamp(-limit, limit) + offset),
        "squared_reglu": lambda: torch.relu(a)**2 * b,
        "fatreglu": lambda threshold: torch.nn.functional.threshold(a, threshold, 0.0) * b,
        "limited_geglu": lambda limit, offset: gelu(a.clamp(max=limit)) * (b.clamp(-limit, limit) + offset),
        "quick_geglu": lambda: a * torch.sigmoid(1.702 * a) * b,
        "swiglustep": lambda limit: silu(a).clamp(max=limit) * b.clamp(-limit, limit),
        "situglu": lambda beta, linear_beta: beta * torch.tanh(a / beta) * torch.sigmoid(a) * linear_beta *
                                             torch.tanh(b / linear_beta),
    } # yapf: disable
    torch.testing.assert_close(apply(name, a, b), definitions[name](*parameters_of(name)))


@pytest.mark.parametrize("program, argument, told", [("models", "--rounds=0", "argument --rounds: invalid"),
                                                     ("models", "--types=float32", "argument --types: float32: not"),
                                                     ("company", "--width=0", "argument --width: invalid"),
                                                     ("speed", "--output=/nonexistent/file", "/nonexistent/file")])
def test_what_perf_refuses(program, argument, told, monkeypatch, capsys):
    """Before it measures."""
    monkeypatch.setattr(sys, "argv", [program, argument])
    with pytest.raises((SystemExit, FileNotFoundError)) as refusal:
        importlib.import_module(program).main()
    shown = capsys.readouterr()
    assert told in shown.err + str(refusal.value) and not shown.out
