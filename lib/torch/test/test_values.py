"""Results and gradients beside what is exact, and beside PyTorch's: every 16-bit value, and a million floats.

The exact results are those of perf/torch, which lose no digits. Its README has PyTorch's own errors.
"""

import sys
from pathlib import Path

import pytest
import torch

import nozzle.functional as F
from support import COUNTERPARTS, FUNCTIONS, all_functions, apply, counterparts, devices, inputs_of, ours, theirs

sys.path.insert(0, str(Path(__file__).parents[3] / "perf/torch"))
from accuracy import FRACTION_DIGITS, ulp_error  # noqa: E402  (found in the line above)
from functions import FUNCTIONS as COMPARED  # noqa: E402

EXACT = {function.name: function.exact for function in COMPARED}
TYPES = {"float": torch.float, "half": torch.half, "bf16": torch.bfloat16}
types = pytest.mark.parametrize("type_name", TYPES)
RESULT_BOUNDS = {"float": 2, "half": 0.51, "bf16": 0.51}
# PyTorch's gradient in double is not exact either.
GRADIENT_BOUNDS = {"float": 4.5, "half": 0.6, "bf16": 0.6}


def every(type_name, device):
    """Every value of a 16-bit type, or floats whose bit patterns are 4099 apart, with special ones."""
    if type_name != "float":
        return torch.arange(-(1 << 15), 1 << 15, device=device).to(torch.int16).view(TYPES[type_name])
    bits = torch.arange(-(1 << 31), 1 << 31, 4099, dtype=torch.int64, device=device)
    special = [0, 1, 0x7F800000, 0x7FC00000, 0x3F800000, 0x7F7FFFFF, 0x00800000]
    signed = torch.tensor(special + [s - (1 << 31) for s in special], device=device)
    return torch.cat([bits, signed]).to(torch.int32).view(torch.float)


@devices
@types
@pytest.mark.parametrize("name", [name for name in COUNTERPARTS if name in EXACT])
def test_results(name, type_name, device):
    x = every(type_name, device)
    error, nan_differs = ulp_error(ours(name)(x), EXACT[name](x.double()), type_name)
    assert not nan_differs.any(), x[nan_differs][:5]
    assert error.max() <= RESULT_BOUNDS[type_name], x[error.argmax()]


@devices
@types
@pytest.mark.parametrize("name", ["hardtanh", "relu", "relu6", "threshold", "hardshrink", "leaky_relu", "softshrink"])
def test_the_same_numbers_as_pytorch(name, type_name, device):
    x = every(type_name, device)
    got, expected = ours(name)(x), theirs(name)(x)
    assert ((got == expected) | (got.isnan() & expected.isnan())).all()


def gradient(call, x, g, in_place):
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(call(leaf * 1, inplace=True) if in_place else call(leaf), leaf, g)[0]


def gradient_error(got, exact, g, type_name, from_result):
    """In ULP of the gradient, or of g / 1024 where it is smaller: formulas in double lose digits in tails. A slope that
    comes from a rounded result has twice its error, times g."""
    smallest = 2.0**-24 if type_name == "half" else 1e-30
    size = torch.maximum(exact.abs(), g.double().abs() / 1024).clamp(min=smallest)
    ulp = torch.exp2(torch.floor(torch.log2(size)) - FRACTION_DIGITS[type_name]).clamp(min=smallest)
    allowed = g.double().abs() * RESULT_BOUNDS[type_name] * 2.0**-FRACTION_DIGITS[type_name] if from_result else 0
    return ((got.double() - exact).abs() - allowed).clamp(min=0) / ulp


@devices
@types
@counterparts
@pytest.mark.parametrize("in_place", [False, True])
def test_gradients(name, type_name, in_place, device):
    if in_place and not has_in_place(name):
        pytest.skip("torch.nn.functional has it not in place")
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


def has_in_place(name):
    try:
        theirs(name)(torch.zeros(1), inplace=True)
    except TypeError:
        return False
    return True


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
    parts = {
        "glu": lambda: a * torch.sigmoid(b), "swiglu": lambda: torch.nn.functional.silu(a) * b,
        "geglu": lambda: torch.nn.functional.gelu(a) * b, "reglu": lambda: torch.relu(a) * b,
        "geglu_tanh": lambda: torch.nn.functional.gelu(a, approximate="tanh") * b,
        "prelu_weights": lambda: torch.where(a < 0, a * b, a),
        "limited_swiglu": lambda: (b.clamp(-7, 7) + 1) * a.clamp(max=7) * torch.sigmoid(1.702 * a.clamp(max=7)),
        "squared_reglu": lambda: torch.relu(a)**2 * b,
        "fatreglu": lambda: torch.nn.functional.threshold(a, 0.0, 0.0) * b,
    } # yapf: disable
    torch.testing.assert_close(apply(name, a, b), parts[name]())
