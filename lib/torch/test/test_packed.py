"""Gates of one tensor that holds both inputs: results and gradients, what is copied, and what PyTorch asks."""

import pytest
import torch
from torch.library import opcheck
from torch.utils._python_dispatch import TorchDispatchMode

import nozzle
import nozzle.functional as F
from support import FUNCTIONS, allocated, apply, devices, ops, parameters_of
from test_operators import OPCHECKS

GATES = [name for name, function in FUNCTIONS.items() if function.inputs == 2]
gates = pytest.mark.parametrize("name", GATES)
packings = pytest.mark.parametrize("packing", ["halves", "interleaved"])


def packed(shape=(3, 10), dtype=torch.double, device="cpu", requires_grad=False):
    torch.manual_seed(3)
    return (torch.randn(shape, device=device) * 2 + 0.0137).to(dtype).requires_grad_(requires_grad)


def parts(x, packing):
    return x.chunk(2, -1) if packing == "halves" else (x[..., ::2], x[..., 1::2])


def gate(name, packing, x):
    return getattr(ops, f"{name}_{packing}")(x, *parameters_of(name))


def of_two(name, packing, x):
    return apply(name, *[part.contiguous() for part in parts(x, packing)])


def layouts(x):
    """Views of a tensor of shape (4, 6, 32)."""
    yield from (x, x[0, 0], x[:, 1:5], x[..., 4:24], x[..., ::2], x[:0], x[..., :0], x.transpose(0, 1), x[:, 2])
    yield from (x[..., 1:31], x.mT, x[1:2].expand(3, 6, 32), x[:, :, :1].expand(4, 6, 8), x[:1, :, 2:4])


@devices
@gates
@packings
@pytest.mark.parametrize("dtype", [torch.double, torch.float, torch.half, torch.bfloat16])
def test_results_and_gradients(name, packing, dtype, device):
    for x in layouts(packed((4, 6, 32), dtype, device)):
        y, expected = gate(name, packing, x), of_two(name, packing, x)
        assert torch.equal(y, expected) and y.is_contiguous()
        random = lambda *shape: torch.randn(shape, dtype=dtype, device=device)
        for g in (random(*y.shape), random().expand(y.shape), random(*y.shape[::-1]).permute(*range(y.dim())[::-1]),
                  random(*y.shape, 2)[..., 0]): # yapf: disable
            leaf, other = (x.detach().requires_grad_() for _ in range(2))
            got = torch.autograd.grad(gate(name, packing, leaf), leaf, g)[0]
            assert torch.equal(got, torch.autograd.grad(of_two(name, packing, other), other, g)[0])


@devices
@gates
@packings
@pytest.mark.parametrize("dtype", [torch.float8_e4m3fn, torch.float8_e5m2])
def test_fp8(name, packing, dtype, device):
    x = packed((4, 32), device=device).to(dtype)
    bits = lambda x: x.view(torch.uint8)
    expected = apply(name, *[bits(part).contiguous().view(dtype) for part in parts(x, packing)])
    assert torch.equal(bits(gate(name, packing, x)), bits(expected))


@gates
@packings
def test_derivatives(name, packing):
    x = packed(requires_grad=True)
    call = lambda x: gate(name, packing, x)
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, x)
    slope = torch.func.grad(lambda x: call(x).square().sum())
    torch.testing.assert_close(torch.func.jacfwd(slope)(x), torch.func.jacrev(slope)(x))
    assert torch.equal(torch.vmap(call, in_dims=1, out_dims=1)(x.reshape(3, 5, 2)), call(x.reshape(3, 5, 2)))


@gates
@packings
def test_opcheck(name, packing):
    for requires_grad in (False, True):
        x = packed(requires_grad=requires_grad)
        g = torch.randn(3, 5, dtype=torch.double, requires_grad=requires_grad)
        operator, backward = (getattr(ops, f"{name}_{packing}{suffix}").default for suffix in ("", "_backward"))
        opcheck(operator, (x, *parameters_of(name)), test_utils=OPCHECKS)
        opcheck(backward, (g, x, *parameters_of(name)), test_utils=OPCHECKS)


class Called(TorchDispatchMode):
    """What is called below autograd."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.names.append(function._schema.name)
        return function(*args, **(kwargs or {}))


@packings
def test_a_step_is_two_calls(packing):
    x = packed((4, 6, 16), torch.float, requires_grad=True)
    with Called() as called:
        gate("swiglu", packing, x[:, :4]).backward(torch.ones(4, 4, 8))
    assert [name for name in called.names if name.startswith("nozzle")] == [
        f"nozzle::swiglu_{packing}", f"nozzle::swiglu_{packing}_backward"
    ]


def test_only_the_gradient_that_is_asked_for():
    a, b = torch.randn(4), torch.randn(4, requires_grad=True)
    with Called() as called:
        ops.swiglu(a, b).backward(torch.ones(4))
    assert [name for name in called.names if name.startswith("nozzle")] == [
        "nozzle::swiglu", "nozzle::swiglu_backward_second"
    ]


@packings
def test_nothing_is_copied(packing):
    """The result is all that is allocated, of packed tensors and of parts of one."""
    x = packed((256, 128), torch.float)[:, 8:72]
    a, b = parts(x, packing)
    for call in (lambda: gate("swiglu", packing, x), lambda: ops.swiglu(a, b)):
        call()
        assert allocated(call) == 256 * 32 * 4
    g = torch.ones(256, 32)
    backward = getattr(ops, f"swiglu_{packing}_backward")
    assert allocated(lambda: backward(g, x)) == 256 * 64 * 4


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_glu_of_any_dimension(dim):
    x, other = (packed((4, 6, 8), requires_grad=True) for _ in range(2))
    y, expected = F.glu(x, dim), torch.nn.functional.glu(other, dim)
    torch.testing.assert_close(y, expected)
    torch.testing.assert_close(*(torch.autograd.grad(r.square().sum(), t)[0] for r, t in ((y, x), (expected, other))))
    for wrong in (torch.randn(4, 3, 3).transpose(dim, 1), torch.tensor(1.0)):
        with pytest.raises(ValueError, match="glu: .* must be even"):
            F.glu(wrong, dim)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_glu_in_symbolic_trace(dim):
    x = packed((4, 6))
    traced = torch.fx.symbolic_trace(torch.nn.Sequential(nozzle.nn.GLU(dim)))
    assert torch.equal(traced(x), F.glu(x, dim))


@pytest.mark.parametrize("name", [name for name in GATES if name not in ("glu", "prelu_weights")])
def test_functional(name):
    x = packed()
    function = getattr(F, name)
    assert torch.equal(function(x), function(*parts(x, "halves")))
    assert torch.equal(function(x, interleaved=True), function(*parts(x, "interleaved")))
    with pytest.raises(ValueError, match=f"{name}: interleaved = True"):
        function(*parts(x, "halves"), interleaved=True)


def test_modules():
    x = packed()
    for kind in (nozzle.nn.SwiGLU, nozzle.nn.GEGLU, nozzle.nn.LimitedSwiGLU):
        assert torch.equal(kind()(x), kind()(*parts(x, "halves")))
        assert torch.equal(kind(interleaved=True)(x), kind()(*parts(x, "interleaved")))


def test_modules_pass_their_arguments():
    x = packed() * 4
    assert torch.equal(nozzle.nn.GEGLU("tanh")(x), F.geglu_tanh(x))
    given = {"limit": 2.0, "alpha": 1.25, "offset": 0.5}
    assert torch.equal(nozzle.nn.LimitedSwiGLU(**given)(x), F.limited_swiglu(x, **given))


def test_modules_show_their_arguments():
    class Mine(nozzle.nn.LimitedSwiGLU):
        def __init__(self, width):
            super().__init__(interleaved=width > 1)

    shown = "(limit=7.0, alpha=1.702, offset=1.0"
    assert repr(nozzle.nn.LimitedSwiGLU()) == f"LimitedSwiGLU{shown})"
    assert repr(Mine(2)) == f"Mine{shown}, interleaved=True)"
    assert repr(nozzle.nn.SwiGLU()) == "SwiGLU()"
    assert repr(nozzle.nn.GEGLU(interleaved=True)) == "GEGLU(approximate='none', interleaved=True)"


def test_geglu_knows_its_approximations():
    for right in ("none", "tanh"):
        assert nozzle.nn.GEGLU(right).approximate == right
    with pytest.raises(ValueError, match="approximate = 'tan'"):
        nozzle.nn.GEGLU("tan")


def test_gpt_oss():
    """transformers' GptOssExperts._apply_gate."""
    x = packed((5, 64)) * 4
    gate, up = x[..., ::2].clamp(max=7.0), x[..., 1::2].clamp(min=-7.0, max=7.0)
    torch.testing.assert_close(F.limited_swiglu(x, interleaved=True), (up + 1) * gate * torch.sigmoid(gate * 1.702))


def test_compile():
    torch._dynamo.reset()
    step = lambda x: F.swiglu(x) + F.limited_swiglu(x, interleaved=True)
    x = packed(requires_grad=True)
    y = torch.compile(step, fullgraph=True, backend="aot_eager", dynamic=True)(x)
    torch.testing.assert_close(y, step(x))
    torch.testing.assert_close(torch.autograd.grad(y.sum(), x), torch.autograd.grad(step(x).sum(), x))


def test_errors():
    for x in (torch.randn(2, 5), torch.tensor(1.0)):
        with pytest.raises(ValueError, match="swiglu: a packed tensor of shape .*even"):
            ops.swiglu_halves(x)
    with pytest.raises(ValueError, match=r"a gradient of shape \[2, 4\], not \[2, 2\]"):
        ops.swiglu_halves_backward(torch.randn(2, 4), torch.randn(2, 4))
    with pytest.raises(TypeError, match="types Float and Double"):
        ops.swiglu_halves_backward(torch.randn(2, 2).double(), torch.randn(2, 4))
    with pytest.raises(TypeError, match="swiglu: input is of type Int"):
        ops.swiglu_halves(torch.empty(0, 4, dtype=torch.int))
    with pytest.raises(ValueError, match="limit = -1"):
        ops.limited_swiglu_halves(torch.empty(0, 4), -1.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="limit = -1"):
        ops.limited_swiglu_halves_backward(torch.empty(0, 2), torch.empty(0, 4), -1.0, 1.0, 0.0)


def test_errors_without_data():
    x = torch.empty(2, 5, device="meta")
    for wrong in (x, x[0, 0]):
        with pytest.raises(ValueError, match="a packed tensor of shape .*even"):
            ops.swiglu_halves(wrong)
    with pytest.raises(ValueError, match=r"shapes \[2, 4\] and \[2, 2\]"):
        ops.swiglu_halves_backward(x[:, :4], x[:, :4])


def test_a_batch_of_numbers_is_not_packed():
    with pytest.raises(ValueError, match=r"a packed tensor of shape \[\]"):
        torch.vmap(ops.swiglu_halves)(torch.randn(4))
