"""nozzle.replace on real models with random weights."""

import copy
import functools
import inspect
import pickle

import pytest
import torch

import nozzle
from nozzle.replacement import GatedMLP
from support import devices


def mobilenet():
    torchvision = pytest.importorskip("torchvision")
    return torchvision.models.mobilenet_v3_small(num_classes=10), torch.randn(4, 3, 64, 64, dtype=torch.double)


def llama(activation="silu"):
    transformers = pytest.importorskip("transformers")
    config = transformers.LlamaConfig(vocab_size=64, hidden_size=64, intermediate_size=160, num_hidden_layers=2,
                                      num_attention_heads=4, num_key_value_heads=2, hidden_act=activation,
                                      use_cache=False)
    return transformers.LlamaForCausalLM(config), torch.randint(64, (2, 12))


def model_and_input(make, *arguments):
    torch.manual_seed(5)
    model, x = make(*arguments)
    return model.double().eval(), x


def results(model, x, dtype):
    """The output and the gradients of a copy of the model in the type."""
    model = copy.deepcopy(model).to(dtype)
    y = model(x.to(dtype) if x.is_floating_point() else x)
    y = getattr(y, "logits", y)
    y.double().square().mean().backward()
    return [y.detach().double().cpu()] + [p.grad.double().cpu() for p in model.parameters()]


def error(got, exact):
    difference = sum((a - b).square().sum() for a, b in zip(got, exact))
    return (difference / sum(b.square().sum() for b in exact)).sqrt().item()


@devices
@pytest.mark.parametrize("dtype", [torch.double, torch.float, torch.bfloat16])
@pytest.mark.parametrize("make", [mobilenet, llama])
def test_outputs_and_gradients(make, dtype, device):
    """They are as near to the exact ones as the original's, within a fifth."""
    original, x = model_and_input(make)
    exact = results(original, x, torch.double) # on the CPU: PyTorch's double hardsigmoid on CUDA has a float's error
    original, x = original.to(device), x.to(device)
    replaced = copy.deepcopy(original)
    assert nozzle.replace(replaced)
    ours, theirs = (results(model, x, dtype) for model in (replaced, original))
    for part in (slice(1), slice(1, None)): # the output, the gradients
        allowed = 1.2 * error(theirs[part], exact[part]) + 16 * torch.finfo(torch.double).eps
        assert error(ours[part], exact[part]) <= allowed


def test_what_is_swapped_in_mobilenet():
    model, _ = mobilenet()
    swapped = nozzle.replace(model)
    assert swapped == {
        name: type(module).__name__
        for name, module in model.named_modules()
        if type(module).__module__ == "nozzle.nn"
    }
    assert list(swapped.values()).count("Hardswish") == 19 and list(swapped.values()).count("Hardsigmoid") == 9
    assert not any(type(module).__module__ == "torch.nn.modules.activation" for module in model.modules())


@pytest.mark.parametrize("activation, module", [("silu", "SiLU"), ("swish", "SiLU"), ("gelu", "GELU"), ("relu", "ReLU"),
                                                ("gelu_python", "GELU"), ("gelu_pytorch_tanh", "GELU"),
                                                ("gelu_new", "GELU"), ("gelu_accurate", "GELU"), ("mish", "Mish"),
                                                ("quick_gelu", "QuickGELU"), ("relu2", "SquaredReLU"),
                                                ("sqrtsoftplus", "SqrtSoftplus"),
                                                ("laplace", "Laplace")]) # yapf: disable
def test_what_is_swapped_in_llama(activation, module):
    model, x = model_and_input(llama, activation)
    expected = results(model, x, torch.double)
    has_gate = activation not in ("mish", "sqrtsoftplus", "laplace")
    mlps = {f"model.layers.{i}.mlp": "GatedMLP" for i in range(2)} if has_gate else {}
    swapped = nozzle.replace(model)
    assert swapped == {**mlps, **{f"model.layers.{i}.mlp.act_fn": module for i in range(2)}}
    assert nozzle.replace(model) == {}
    torch.testing.assert_close(results(model, x, torch.double), expected)
    assert pickle.loads(pickle.dumps(model))(x).logits.equal(model(x).logits)


def test_activations_of_transformers():
    activations = pytest.importorskip("transformers.activations")
    x = torch.linspace(-4, 4, 101, dtype=torch.double)
    swapped = {}
    for name in activations.ACT2FN:
        model = torch.nn.Sequential(activations.get_activation(name)).double()
        expected = model(x)
        swapped.update({name: new for new in nozzle.replace(model).values()})
        torch.testing.assert_close(model(x), expected, rtol=1e-6, atol=1e-9)
    assert swapped["gelu_fast"] == swapped["gelu_new"] == "GELU" and swapped["laplace"] == "Laplace"


def test_laplace_takes_parameters_with_each_call():
    activations = pytest.importorskip("transformers.activations")
    model, x = activations.get_activation("laplace"), torch.randn(100, dtype=torch.double)
    calls = lambda: [model(x), model(x, 0.25), model(x, sigma=0.5), model(input=x, mu=-1, sigma=2)]
    expected = calls()
    assert nozzle.replace(model)
    torch.testing.assert_close(calls(), expected)


class MLP(torch.nn.Module):
    """A gated MLP of other models' kind."""

    def __init__(self):
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = (torch.nn.Linear(8, 8) for _ in range(3))
        self.act_fn = torch.nn.SiLU()

    def forward(self, hidden_state):
        return self.down_proj(self.act_fn(self.gate_proj(hidden_state)) * self.up_proj(hidden_state))


class OtherMLP(MLP):

    def forward(self, x):
        return self.down_proj(self.act_fn(self.up_proj(x)) * self.gate_proj(x))


class WithMember(torch.nn.Module):
    scale = 2

    def __init__(self):
        super().__init__()
        vars(self).update(vars(MLP()))

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class WithArgument(torch.nn.Module):

    def __init__(self):
        super().__init__()
        vars(self).update(vars(MLP()))

    def forward(self, x, cache=None):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class Doubled(torch.nn.Module):

    def __call__(self, x):
        return 2 * super().__call__(x)


class WithBase(Doubled):

    def __init__(self):
        super().__init__()
        vars(self).update(vars(MLP()))

    def forward(self, x):
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


@pytest.mark.parametrize("kind", [MLP, OtherMLP, WithMember, WithArgument, WithBase])
def test_gated_mlps(kind):
    mlp, x = kind(), torch.randn(3, 8)
    expected = mlp(x)
    nozzle.replace(mlp)
    assert type(mlp) is (GatedMLP if kind is MLP else kind)
    torch.testing.assert_close(mlp(x), expected)
    if kind is MLP:
        torch.testing.assert_close(mlp(hidden_state=x), expected)
        torch.testing.assert_close(torch.fx.symbolic_trace(mlp)(x), expected)


def test_modules_with_a_forward_of_their_own_stay():
    """As accelerate's hooks make them: they call the forward of the former class."""
    activation, mlp = torch.nn.SiLU(), MLP()
    for module in (activation, mlp):
        module.forward = functools.partial(lambda original, x: 2 * original(x), module.forward)
    model, x = torch.nn.Sequential(activation, mlp), torch.randn(3, 8)
    expected = model(x)
    assert nozzle.replace(model) == {"1.act_fn": "SiLU"}
    assert type(activation) is torch.nn.SiLU and type(mlp) is MLP
    torch.testing.assert_close(model(x), expected)


CHANGES = {
    "a hook": lambda mlp: mlp.act_fn.register_forward_hook(lambda module, x, y: 2 * y),
    "a hook before": lambda mlp: mlp.act_fn.register_forward_pre_hook(lambda module, x: 2 * x[0]),
    "a hook in backward": lambda mlp: mlp.act_fn.register_full_backward_hook(lambda module, dx, dy: (2 * dx[0], )),
    "a hook before backward": lambda mlp: mlp.act_fn.register_full_backward_pre_hook(lambda module, dy: (2 * dy[0], )),
    "a forward": lambda mlp: setattr(mlp.act_fn, "forward", torch.sin),
    "another gate": lambda mlp: setattr(mlp, "act_fn", nozzle.nn.ReLU()),
    "PyTorch's": lambda mlp: setattr(mlp, "act_fn", torch.nn.SiLU()),
    "none with a gate": lambda mlp: setattr(mlp, "act_fn", torch.nn.Sequential(nozzle.nn.SiLU(), torch.nn.Tanh())),
} # yapf: disable


@pytest.mark.parametrize("is_replaced_first", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_gated_mlps_that_change(change, is_replaced_first):
    """Behind replace and ahead of it: then only those become GatedMLP whose activation is one of its gates'."""
    torch._dynamo.reset()
    original = MLP()
    replaced, x = copy.deepcopy(original), torch.randn(3, 8, dtype=torch.double)
    if is_replaced_first:
        assert nozzle.replace(replaced)
    for mlp in (original, replaced):
        CHANGES[change](mlp)
    if not is_replaced_first:
        nozzle.replace(replaced)
    is_gated = is_replaced_first or change in ("another gate", "PyTorch's")
    assert type(replaced) is (GatedMLP if is_gated else MLP)
    torch.testing.assert_close(results(replaced, x, torch.double), results(original, x, torch.double))
    if "backward" not in change:
        compiled = torch.compile(replaced.double(), fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(x), original.double()(x))


def test_compile_and_export_of_gated_mlps():
    torch._dynamo.reset()
    mlp, x = MLP(), torch.randn(3, 8)
    expected = mlp(x)
    assert nozzle.replace(mlp)
    exported = torch.export.export(mlp, (x, ))
    assert "nozzle.swiglu" in str(exported.graph)
    for call in (torch.compile(mlp, fullgraph=True, backend="aot_eager"), exported.module()):
        torch.testing.assert_close(call(x), expected)
    for name in ("x", "hidden_state"): # a model may have its own
        by_name = torch.export.export(mlp, (), {name: x})
        torch.testing.assert_close(by_name.module()(**{name: x}), expected)


def test_parameters_that_nozzle_refuses():
    """Their modules stay PyTorch's; an infinite value of a threshold is taken."""
    nn, inf = torch.nn, float("inf")
    refused = [nn.Hardshrink(-0.5), nn.CELU(-1.0), nn.LeakyReLU(inf), nn.ELU(inf), nn.Softplus(0.0)]
    taken = [nn.Threshold(0.0, -inf), nn.GLU(dim=1), nn.RReLU(), nn.Softplus()]
    model = nn.Sequential(*refused, *taken)
    state = torch.get_rng_state()
    assert list(nozzle.replace(model).values()) == [type(module).__name__ for module in taken]
    assert torch.equal(torch.get_rng_state(), state)
    x = torch.tensor([-1.0, 0.3])
    assert torch.equal(taken[0](x), torch.nn.functional.threshold(x, 0.0, -inf))


def test_parameters_of_numpy():
    """torch.compile makes tensors of its scalars."""
    numpy = pytest.importorskip("numpy")
    make = lambda: torch.nn.Sequential(torch.nn.LeakyReLU(numpy.sqrt(0.25)), torch.nn.ELU(numpy.float32(0.5)))
    model, x = make(), torch.randn(8)
    model[0].scales = numpy.ones(8)
    assert len(nozzle.replace(model)) == 2
    assert isinstance(model[0].scales, numpy.ndarray)
    torch.testing.assert_close(torch.compile(model, fullgraph=True, backend="aot_eager")(x), make()(x))


def test_parameters_that_are_tensors():
    """torch.compile makes inputs of the graph of them."""
    slope = torch.tensor(0.25)
    for each in (slope, torch.nn.Parameter(slope, requires_grad=False), torch.nn.Buffer(slope)):
        model, x = torch.nn.Sequential(torch.nn.LeakyReLU(each), torch.nn.SiLU()), torch.randn(8)
        expected = model(x)
        assert nozzle.replace(model) == {"1": "SiLU"}
        torch.testing.assert_close(torch.compile(model, backend="aot_eager")(x), expected)
    relu = torch.nn.ReLU()
    relu.add_module("observer", torch.nn.BatchNorm1d(1)) # a child's tensors are no parameters of ReLU
    assert nozzle.replace(torch.nn.Sequential(relu)) == {"0": "ReLU"}


def allows_change(module):
    """Whether its result may change in place before backward."""
    y = module(torch.randn(4, requires_grad=True) * 1)
    y.mul_(2)
    try:
        y.sum().backward()
    except RuntimeError:
        return False
    return True


def test_results_that_must_not_change_after_replace():
    """Of those that PyTorch lets change: what replace says."""
    found = set()
    for kind in [kind for name, kind in vars(torch.nn).items() if isinstance(vars(nozzle.nn).get(name), type)]:
        given = {"threshold": 0.125, "value": -2.0} if kind is torch.nn.Threshold else {}
        in_place = [{"inplace": True}] if "inplace" in inspect.signature(kind).parameters else []
        for arguments in [{}, *in_place]:
            model = torch.nn.Sequential(kind(**given, **arguments)).eval()
            allowed = allows_change(model)
            assert nozzle.replace(model)
            if allowed and not allows_change(model):
                found.add((kind.__name__, *arguments))
    assert found == {("ReLU6", ), ("ReLU6", "inplace"), ("Hardtanh", ), ("Hardtanh", "inplace"),
                     ("Hardsigmoid", "inplace")} # yapf: disable
