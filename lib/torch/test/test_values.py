"""Results and gradients beside PyTorch's: every 16-bit value, and a million floats."""

import pytest
import torch

from support import FUNCTIONS, all_functions, apply, counterparts, devices, inputs_of, ours, theirs

# Where PyTorch's own functions are wrong in a type, in ULP: perf/torch's README has the table. So both are compared with
# PyTorch's function in double.
RELATIVE = {torch.float: 2.0**-22, torch.half: 2.0**-10, torch.bfloat16: 2.0**-7, torch.double: 1e-12}
ABSOLUTE = {torch.float: 1e-6, torch.half: 2.0**-24, torch.bfloat16: 1e-30, torch.double: 1e-12}
SLACK = {torch.bfloat16: 1e-15, torch.half: 0} # double's own cancellation in tails


def every(dtype, device):
    """Every value of a 16-bit type, or floats whose bit patterns are 4099 apart, with those around special ones."""
    if dtype == torch.float:
        bits = torch.arange(-(1 << 31), 1 << 31, 4099, dtype=torch.int64, device=device)
        special = [0, 1, 0x7F800000, 0x7FC00000, 0x3F800000, 0x7F7FFFFF, 0x00800000]
        signed = torch.tensor(special + [s - (1 << 31) for s in special], device=device)
        return torch.cat([bits, signed]).to(torch.int32).view(torch.float)
    return torch.arange(-(1 << 15), 1 << 15, device=device).to(torch.int16).view(dtype)


def assert_close(got, exact, peer, dtype):
    """got is NaN where exact is, and no further from it than a rounding or than PyTorch's own result."""
    exact = exact.to(dtype).double() if dtype != torch.double else exact
    assert torch.equal(got.isnan(), exact.isnan())
    error = (got.double() - exact).abs().nan_to_num(0)
    error[got.double() == exact] = 0
    allowed = (exact.abs() * RELATIVE[dtype] + ABSOLUTE[dtype]).nan_to_num(0)
    theirs = (peer.double() - exact).abs().nan_to_num(float("inf"))
    bad = error > torch.maximum(allowed, theirs)
    assert not bad.any(), (got[bad][:5], exact[bad][:5], peer[bad][:5])


@devices
@counterparts
@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.bfloat16])
def test_results(name, dtype, device):
    x = every(dtype, device)
    assert_close(ours(name)(x), theirs(name)(x.double()), theirs(name)(x), dtype)


@devices
@counterparts
@pytest.mark.parametrize("dtype", [torch.float, torch.half, torch.bfloat16])
@pytest.mark.parametrize("in_place", [False, True])
def test_gradients(name, dtype, in_place, device):
    x = every(dtype, device)
    x = x[x.isfinite() & (x.abs() < 1e4)]
    gradients = []
    for call, data in ((ours(name), x), (theirs(name), x.double()), (theirs(name), x)):
        leaf = data.clone().requires_grad_()
        if in_place:
            try:
                y = call(leaf * 1, inplace=True)
            except TypeError:
                pytest.skip("torch.nn.functional has it not in place")
        else:
            y = call(leaf)
        y.sum().backward()
        gradients.append(leaf.grad)
    got, exact, peer = gradients
    # From a rounded result the slope has the result's rounding, as PyTorch's has.
    if in_place or name in ("sigmoid", "tanh"):
        near = torch.isclose(got.double(), exact, rtol=8 * RELATIVE[dtype], atol=2 * RELATIVE[dtype])
        kept = got.double() == peer.double()
        assert (near | kept).all(), (x[~near & ~kept][:5], got[~near & ~kept][:5], exact[~near & ~kept][:5])
    else:
        assert_close(got, exact, peer, dtype)


@devices
@all_functions
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8(name, dtype, device):
    """Computed in float, and rounded once."""
    x = [t.to(dtype) for t in inputs_of(name, (40, 5), torch.float, device)]
    y = apply(name, *x)
    assert y.dtype == dtype
    assert torch.equal(y.float(), apply(name, *[t.float() for t in x]).to(dtype).float())


@devices
@pytest.mark.parametrize("name", [n for n, f in FUNCTIONS.items() if f.inputs == 2])
def test_gates(name, device):
    a, b = inputs_of(name, (1000, ), device=device)
    parts = {
        "glu": lambda: a * torch.sigmoid(b), "swiglu": lambda: torch.nn.functional.silu(a) * b,
        "geglu": lambda: torch.nn.functional.gelu(a) * b, "reglu": lambda: torch.relu(a) * b,
        "geglu_tanh": lambda: torch.nn.functional.gelu(a, approximate="tanh") * b,
        "prelu_weights": lambda: torch.where(a < 0, a * b, a),
    } # yapf: disable
    torch.testing.assert_close(apply(name, a, b), parts[name]())
