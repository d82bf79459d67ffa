"""Every function of the catalogue: what PyTorch asks of an operator, its derivatives, layouts and errors."""

import math

import pytest
import torch
from torch.autograd import forward_ad
from torch.library import opcheck

import nozzle.functional as F
from nozzle.operators import operators
from support import FUNCTIONS, all_functions, allocated, apply, devices, inputs_of, of_one_input, ops, parameters_of

OPCHECKS = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")


@devices
@all_functions
def test_opcheck(name, device):
    for requires_grad in (False, True):
        x = inputs_of(name, device=device, requires_grad=requires_grad)
        opcheck(getattr(ops, name).default, (*x, *parameters_of(name)), test_utils=OPCHECKS)


@devices
@all_functions
def test_opcheck_of_what_is_written(name, device):
    x, parameters = inputs_of(name, device=device), parameters_of(name)
    opcheck(getattr(ops, name).out, (*x, *parameters), {"out": torch.empty_like(x[0])}, test_utils=OPCHECKS)
    if len(x) == 1:
        opcheck(getattr(ops, name + "_").default, (*x, *parameters), test_utils=OPCHECKS)


@all_functions
def test_opcheck_of_derivatives(name):
    x = inputs_of(name, requires_grad=True)
    g = torch.randn(3, 5, dtype=torch.double, requires_grad=True)
    for derivative in FUNCTIONS[name].derivatives:
        opcheck(getattr(ops, derivative).default, (g, *x, *parameters_of(name)), test_utils=OPCHECKS)


@devices
@all_functions
def test_gradients(name, device):
    x = inputs_of(name, device=device, requires_grad=True)
    call = lambda *x: apply(name, *x)
    assert torch.autograd.gradcheck(call, x, check_forward_ad=True, check_batched_grad=True)
    assert torch.autograd.gradgradcheck(call, x, check_fwd_over_rev=True)


@of_one_input
def test_gradients_in_place(name):
    x = inputs_of(name, requires_grad=True)

    def call(x):
        y = x * 1
        getattr(ops, name + "_")(y, *parameters_of(name))
        return y

    assert torch.autograd.gradcheck(call, x, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(call, x, check_fwd_over_rev=True)
    x = x[0].detach()
    reverse_over_forward = torch.func.jacrev(torch.func.jacfwd(call))(x)
    torch.testing.assert_close(reverse_over_forward, torch.func.jacrev(torch.func.jacrev(call))(x))


def layouts(x):
    """Views of a tensor of shape (4, 6, 2, 8). The last is contiguous in two ways."""
    yield from (x, x.transpose(0, 1), x[:, ::2], x[..., 1], x[0, 0, 0, 0], x[:0], x[1:2].expand(3, 6, 2, 8))
    yield from (x.contiguous(memory_format=torch.channels_last), x[:, :, :, ::3].permute(3, 0, 2, 1), x.flatten()[1:])
    yield x[:, :1].contiguous(memory_format=torch.channels_last)


@devices
@all_functions
@pytest.mark.parametrize("dtype", [torch.double, torch.float, torch.half, torch.bfloat16])
def test_layouts(name, dtype, device):
    bases = inputs_of(name, (4, 6, 2, 8), dtype, device)
    for x in zip(*map(layouts, bases)):
        y = apply(name, *x)
        dense = [t.clone(memory_format=torch.contiguous_format) for t in x]
        assert y.stride() == torch.abs(x[0]).stride() and y.dtype == dtype
        assert y.stride() == apply(name, *(t.to("meta") for t in x)).stride()
        assert torch.equal(y, apply(name, *dense))
        out = torch.empty(x[0].shape[::-1], dtype=dtype, device=device).permute(tuple(reversed(range(x[0].dim()))))
        getattr(ops, name).out(*x, *parameters_of(name), out=out)
        assert torch.equal(out, y)


@devices
@all_functions
def test_parts_give_what_copies_give(name, device):
    """Rows that are whole vectors of 16 bytes, rows that are not, and every second element."""
    parameters = parameters_of(name)
    for columns in (slice(8, 104), slice(1, 104), slice(0, 112, 2)):
        wholes = inputs_of(name, (64, 112), torch.float, device)
        x = [t[:, columns] for t in wholes]
        copies = [t.clone() for t in x]
        expected = apply(name, *copies)
        assert torch.equal(apply(name, *x), expected)
        if len(x) == 1:
            g, backward = torch.randn_like(copies[0]), getattr(ops, name + "_backward")
            assert torch.equal(backward(g, *x, *parameters), backward(g, *copies, *parameters))
            whole, version = wholes[0].clone(), wholes[0]._version
            whole[:, columns] = expected
            getattr(ops, name + "_")(*x, *parameters)
            assert torch.equal(wholes[0], whole) and wholes[0]._version > version


@all_functions
def test_parts_are_not_copied(name):
    """The result is all that is allocated, and in place nothing is."""
    x = [t[:, 8:40] for t in inputs_of(name, (64, 48), torch.float)]
    g, parameters, size = torch.ones(64, 32), parameters_of(name), 64 * 32 * 4
    assert allocated(lambda: apply(name, *x)) == size
    if len(x) == 1:
        assert allocated(lambda: getattr(ops, name + "_backward")(g, *x, *parameters)) == size
        assert allocated(lambda: getattr(ops, name + "_")(*x, *parameters)) == 0


@devices
def test_writing_over_an_input_beside_one_in_another_order(device):
    """The copy of the other one must not lie in what is written to."""
    a, b = torch.randn(6, 6, device=device), torch.randn(6, 6, device=device).t()
    expected = ops.swiglu(a, b)
    ops.swiglu.out(a, b, out=a)
    assert torch.equal(a, expected)


@devices
def test_writing_among_an_inputs_elements(device):
    """As PyTorch allows it where strides are too hard to compare."""
    x = torch.randn(200, 4, device=device)
    for rows in (slice(0, 30, 6), slice(1, 18, 4), slice(5, 22, 4), slice(1, 31, 6)):
        source, out = x[1:18:4], x[rows]
        expected = ops.silu(source.clone())
        ops.silu.out(source, out=out)
        assert torch.equal(out, expected)


@devices
@all_functions
def test_writing_where_memory_has_the_negatives(name, device):
    """As in z.conj().imag."""
    x = inputs_of(name, device=device)
    negatives = [torch._neg_view(-t) for t in x]
    expected = apply(name, *x)
    for out in (torch._neg_view(torch.empty_like(x[0])), torch.empty_like(x[0])):
        getattr(ops, name).out(*negatives, *parameters_of(name), out=out)
        assert torch.equal(out, expected)
    if len(x) == 1:
        leaf, other = (t.clone().requires_grad_() for t in (*x, *x))
        y = torch._neg_view(-leaf)
        getattr(ops, name + "_")(y, *parameters_of(name))
        assert y.is_neg() and torch.equal(y, expected)
        y.sum().backward()
        apply(name, other).sum().backward()
        torch.testing.assert_close(leaf.grad, other.grad)


@all_functions
def test_vmap(name):
    x = inputs_of(name)
    y = apply(name, *x)
    assert torch.equal(torch.vmap(lambda *x: apply(name, *x))(*x), y)
    assert torch.equal(torch.vmap(lambda *x: apply(name, *x), in_dims=1, out_dims=1)(*x), y)
    if len(x) == 2:
        one = x[1][0].clone()
        repeated = apply(name, x[0], one.expand(3, 5))
        assert torch.equal(torch.vmap(lambda a: apply(name, a, one))(x[0]), repeated)
        assert torch.equal(torch.vmap(lambda a, b: apply(name, a, b), in_dims=(0, 1))(x[0], x[1].t()), y)
    slope = torch.func.grad(lambda *x: apply(name, *x).sum())
    assert torch.equal(torch.vmap(slope)(*x), slope(*x))


@all_functions
def test_forward_over_reverse(name):
    x = inputs_of(name, (4, ))
    call = lambda *x: apply(name, *x).square().sum()
    slope = torch.func.grad(call)
    torch.testing.assert_close(torch.func.jacfwd(slope)(*x), torch.func.jacrev(slope)(*x))


def test_errors():
    x = torch.randn(4)
    with pytest.raises(ValueError, match="lo = 2"):
        ops.hardtanh(x, 2, 1)
    with pytest.raises(ValueError, match="approximate = 'tan'"):
        F.gelu(x, "tan")
    for learned in (torch.nn.Parameter(torch.tensor(1.0)), torch.tensor(1.0, requires_grad=True) * 2):
        with pytest.raises(TypeError, match="swish: beta is a tensor that requires a gradient"):
            F.swish(x, learned)
    with forward_ad.dual_level(), pytest.raises(TypeError, match="swish: beta is a tensor that .* has a tangent"):
        F.swish(x, forward_ad.make_dual(torch.tensor(1.0), torch.tensor(1.0)))
    assert torch.equal(F.swish(x, torch.tensor(1.0)), F.swish(x))
    for nothing_is_learned in (torch.no_grad, torch.inference_mode):
        with nothing_is_learned():
            assert torch.equal(F.swish(x, torch.nn.Parameter(torch.tensor(2.0))), F.swish(x, 2.0))
    factor = torch.tensor(0.25)
    assert torch.equal(torch.func.grad(lambda x: F.leaky_relu(x, factor * 2).sum())(x), torch.where(x > 0, 1, 0.5))
    with pytest.raises(TypeError, match="silu: input is of type Int"):
        ops.silu(x.int())
    with pytest.raises(ValueError, match=r"swiglu: tensors of shapes \[3\] and \[4\]"):
        ops.swiglu(x, x[:3])
    with pytest.raises(TypeError, match="types Half and Float"):
        ops.silu.out(x, out=torch.empty(4, dtype=torch.half))
    with pytest.raises(RuntimeError, match="single memory location"):
        ops.silu_(torch.zeros(1).expand(3))
    with pytest.raises(RuntimeError, match="overlap|memory location"):
        ops.silu.out(x[1:], out=x[:-1])
    with pytest.raises(RuntimeError, match="leaf Variable"):
        ops.silu_(x.clone().requires_grad_())
    with pytest.raises(RuntimeError, match="out=... arguments don't support"):
        ops.silu.out(x.clone().requires_grad_(), out=torch.empty(4))


def test_a_copy_in_another_order_lies_where_the_result_will():
    g, x = torch.randn(32, 64).t(), torch.randn(64, 32)
    assert allocated(lambda: ops.silu_backward(g, x)) == 64 * 32 * 4
    assert torch.equal(ops.silu_backward(g, x), ops.silu_backward(g.contiguous(), x))


def test_out_refuses_tangents():
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(torch.randn(4), torch.ones(4))
        for x, out in ((dual, torch.empty(4)), (torch.randn(4), dual)):
            with pytest.raises(NotImplementedError, match=r"silu\(\): .*out=.* tangent"):
                ops.silu.out(x, out=out)


def test_the_stride_of_a_single_row_is_no_reason_to_copy():
    x = torch.randn(64, 48).as_strided((1, 64, 32), (5, 48, 1))
    assert allocated(lambda: ops.silu_(x)) == 0


def test_errors_without_data():
    """As those of tensors with data, and where one of two has none."""
    x = torch.empty(4, device="meta")
    for call, other, error, message in (
        (ops.swiglu, x[:3], ValueError, r"shapes \[4\] and \[3\]"),
        (ops.swiglu, x[None], ValueError, r"shapes \[4\] and \[1, 4\]"),
        (ops.swiglu, x.half(), TypeError, "types .*float32 and .*float16"),
        (ops.swiglu, torch.randn(4), TypeError, "devices meta and cpu"),
        (ops.silu_backward, torch.randn(4), TypeError, "devices meta and cpu"),
        (lambda x, out: ops.silu.out(x, out=out), x[:3], ValueError, r"shapes \[4\] and \[3\]"),
        (lambda x, out: ops.silu.out(x, out=out), torch.empty(4), TypeError, "devices meta and cpu"),
    ): # yapf: disable
        with pytest.raises(error, match=message):
            call(x, other)


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float, torch.double])
@all_functions
def test_second_derivatives_of_large_numbers(name, dtype):
    """They are finite: their formulas do not overflow."""
    if name == "squared_reglu":
        pytest.skip("2 * b overflows")
    large = torch.logspace(0, math.log10(torch.finfo(dtype).max) - 1e-2, 200, dtype=torch.double).to(dtype)
    x = torch.cat([large, -large])
    if name in ("exp", "expm1"): # which are their own second derivatives
        x = x[apply(name, x).isfinite()]
    inputs = [x.clone().requires_grad_() for _ in range(FUNCTIONS[name].inputs)]
    y = apply(name, *inputs)
    for slope in torch.autograd.grad(y, inputs, torch.ones_like(y), create_graph=True):
        for second in torch.autograd.grad(slope, inputs, torch.ones_like(y), retain_graph=True):
            assert second.isfinite().all(), x[~second.isfinite()]


@pytest.mark.parametrize("dtype", [torch.half, torch.float, torch.double])
@of_one_input # others are products of infinity and 0
def test_second_derivatives_at_infinity(name, dtype):
    x = torch.tensor([-math.inf, math.inf], dtype=dtype, requires_grad=True)
    (slope, ) = torch.autograd.grad(apply(name, x).sum(), x, create_graph=True)
    (second, ) = torch.autograd.grad(slope.sum(), x)
    assert not second.isnan().any(), second


def second_derivative(name, x, *parameters):
    x = x.clone().requires_grad_()
    (slope, ) = torch.autograd.grad(getattr(ops, name)(x, *parameters).sum(), x, create_graph=True)
    return torch.autograd.grad(slope.sum(), x)[0]


def test_second_derivative_of_swish_without_slope():
    """It is x / 2, at infinity too."""
    assert second_derivative("swish", torch.tensor([-math.inf, 1.0, math.inf]), 0.0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", [torch.half, torch.bfloat16, torch.float])
@pytest.mark.parametrize("name, x", [("softplus", [4, 8, 16]), ("log_sigmoid", [4, 8, 16]),
                                     ("parametric_softplus", [4, 8, 16]), ("silu", [4, 8, 16]), ("swish", [4, 8, 16]),
                                     ("tanhshrink", [4, 10]), ("mish", [4, 10]), ("gelu_tanh", [3, 5])])
def test_second_derivatives_in_tails(name, x, dtype):
    x = x[:-1] if dtype == torch.half else x # of the last they are subnormal numbers
    x = torch.tensor([*x, *[-each for each in x]], dtype=dtype)
    got, exact = (second_derivative(name, t, *FUNCTIONS[name].values({})) for t in (x, x.double()))
    torch.testing.assert_close(got.double(), exact, rtol=13 * torch.finfo(dtype).eps, atol=0)


@pytest.mark.parametrize("in_place", [False, True])
def test_second_derivative_of_softplus_beyond_its_threshold(in_place):
    """In place it comes from the result."""
    x = torch.tensor([2.5, 3.5], dtype=torch.double, requires_grad=True) # times beta: on both sides of the threshold
    y = x * 1
    y = operators.softplus_(y, 2.0, 6.0) if in_place else ops.softplus(y, 2.0, 6.0)
    (slope, ) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second, ) = torch.autograd.grad(slope.sum(), x)
    torch.testing.assert_close(second, torch.tensor([2 * math.exp(-5) / (1 + math.exp(-5))**2, 0], dtype=torch.double))


@pytest.mark.parametrize("name, dtype, x", [("elu", torch.float, 100), ("celu", torch.double, 800),
                                            ("selu", torch.half, 20), ("softsign", torch.half, 200)])
def test_third_derivatives_of_large_numbers(name, dtype, x):
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    y = apply(name, x)
    for _ in range(3):
        (y, ) = torch.autograd.grad(y, x, create_graph=True)
    assert y.abs() < 1e-6


def test_memory_that_is_shared_until_a_write():
    x = torch.full((4, 8), -2.0)
    y = torch._lazy_clone(x)
    ops.relu_(y[:, :4])
    assert bool((x == -2).all()) and y.sum() == -32


@devices
@pytest.mark.parametrize("name, x, parameters", [("sparse_sigmoid", 0.99951171875, []),
                                                 ("hardsigmoid_onnx", 0.0495, [0.2, 0.99])])
def test_gradient_in_place_beside_a_bound(name, x, parameters, device):
    """The result is rounded to the bound, but the input lies inside."""
    slopes = []
    for in_place in (False, True):
        leaf = torch.tensor([x], dtype=torch.half, device=device, requires_grad=True)
        y = leaf * 1
        y = getattr(operators, name + "_")(y, *parameters) if in_place else getattr(ops, name)(y, *parameters)
        assert y.item() == 1
        slopes += torch.autograd.grad(y.sum(), leaf)
    assert slopes[0] != 0 and slopes[1] == slopes[0]


def test_gradient_in_place_of_a_subnormal_result():
    slopes = []
    for celu in (ops.celu, operators.celu_):
        leaf = torch.tensor([-1e-6], dtype=torch.half, requires_grad=True)
        slopes += torch.autograd.grad(celu(leaf * 1, 1e-7).sum(), leaf)
    assert slopes[0] > 0 and slopes[1] == slopes[0]


RESULT_IS_KEPT = ["relu", "relu6", "hardtanh", "sigmoid", "tanh"]
RESULT_IS_KEPT_IN_PLACE = RESULT_IS_KEPT + ["hardsigmoid", "hardsigmoid_onnx", "leaky_relu", "softplus", "elu", "celu",
                                            "selu", "sparse_sigmoid"] # yapf: disable


@all_functions
@pytest.mark.parametrize("in_place", [False, True])
def test_a_result_that_is_kept_must_not_change(name, in_place):
    if in_place and FUNCTIONS[name].inputs == 2:
        pytest.skip("a gate is not applied in place")
    x = inputs_of(name, requires_grad=True)
    y = x[0] * 1 if in_place else apply(name, *x)
    if in_place:
        getattr(ops, name + "_")(y, *parameters_of(name))
    y += 1
    if name in (RESULT_IS_KEPT_IN_PLACE if in_place else RESULT_IS_KEPT):
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
    else:
        y.sum().backward()


def test_a_hook_that_throws():
    """A result that could not be kept is missed in backward."""
    y = torch.randn(4, requires_grad=True) * 1
    with pytest.raises(ZeroDivisionError), torch.autograd.graph.saved_tensors_hooks(lambda x: 1 / 0, lambda x: x):
        ops.sigmoid_(y)
    with pytest.raises(RuntimeError, match="nozzle::sigmoid.*was not kept"):
        y.sum().backward()


def test_backward_twice():
    y = ops.silu(torch.randn(4, requires_grad=True)).sum()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
