"""What the tests share: devices, types, functions, and calls of the operators by name."""

import pytest
import torch

import nozzle
import nozzle.functional as F

ops = torch.ops.nozzle
FUNCTIONS = nozzle.functions()
# Where a parameter has no default, or its default hides part of the formula: a factor of 1, an offset of 0.
GIVEN = {
    "scale": {"factor": -1.5}, "bias": {"offset": 0.75}, "threshold": {"limit": 0.125, "value": -2.0},
    "general_relu": {"slope": 0.25, "maximum": 3.0, "threshold": 0.5}, "clip": {"lo": -1.0, "hi": 1.5},
    "shrink": {"bias": 0.25}, "limited_swiglu": {"limit": 2.0}, "limited_geglu": {"limit": 2.0, "offset": 0.5},
    "swiglustep": {"limit": 1.5}, "situglu": {"beta": 2.0, "linear_beta": 3.0},
    "scaled_tanh": {"alpha": 1.75, "beta": 0.5}, "parametric_softplus": {"alpha": 1.5, "beta": 0.5},
    "xielu": {"alpha_p": 0.75, "alpha_n": 1.25}, "elu": {"alpha": 0.75}, "celu": {"alpha": 0.75},
    "swish": {"beta": 1.5}, "softplus": {"beta": 2.0, "threshold": 6.0}, "fatreglu": {"threshold": 0.25},
} # yapf: disable
CUDA = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
two_gpus = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="there are no two GPUs")
devices = pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=CUDA)])
all_functions = pytest.mark.parametrize("name", FUNCTIONS)
of_one_input = pytest.mark.parametrize("name", [name for name, f in FUNCTIONS.items() if f.inputs == 1])

# PyTorch's counterpart of a function, by the name in nozzle.functional: nozzle's name, and arguments for both.
COUNTERPARTS = {
    "hardtanh": ("hardtanh", {}), "hardsigmoid": ("hardsigmoid", {}), "relu": ("relu", {}), "relu6": ("relu6", {}),
    "leaky_relu": ("leaky_relu", {}), "rrelu": ("rrelu", {}),
    "threshold": ("threshold", {"threshold": 0.125, "value": -2}),
    "hardshrink": ("hardshrink", {}), "softshrink": ("softshrink", {}), "hardswish": ("hardswish", {}),
    "softsign": ("softsign", {}), "sigmoid": ("sigmoid", {}), "log_sigmoid": ("logsigmoid", {}), "tanh": ("tanh", {}),
    "tanhshrink": ("tanhshrink", {}), "softplus": ("softplus", {}), "elu": ("elu", {}), "celu": ("celu", {}),
    "selu": ("selu", {}), "silu": ("silu", {}), "mish": ("mish", {}), "gelu": ("gelu", {}),
    "gelu_tanh": ("gelu", {"approximate": "tanh"}),
} # yapf: disable
counterparts = pytest.mark.parametrize("name", COUNTERPARTS)


def ours(name):
    function, arguments = COUNTERPARTS[name]
    return lambda x, **named: getattr(F, function)(x, **arguments, **named)


def theirs(name):
    function, arguments = COUNTERPARTS[name]
    return lambda x, **named: getattr(torch.nn.functional, function)(x, **arguments, **named)


def has_in_place(name):
    try:
        theirs(name)(torch.zeros(1), inplace=True)
    except TypeError:
        return False
    return True


IN_PLACE = [name for name in COUNTERPARTS if has_in_place(name)]
assert len(IN_PLACE) == 13, IN_PLACE


def inputs_of(name, shape=(3, 5), dtype=torch.double, device="cpu", requires_grad=False):
    """Away from the points where a slope jumps."""
    torch.manual_seed(3)
    tensors = [(torch.randn(shape, device=device) * 2 + 0.0137).to(dtype) for _ in range(FUNCTIONS[name].inputs)]
    return [x.requires_grad_(requires_grad) for x in tensors]


def parameters_of(name):
    return FUNCTIONS[name].values(GIVEN.get(name, {}))


def apply(name, *tensors):
    return getattr(ops, name)(*tensors, *parameters_of(name))


def allocated(call):
    """Bytes that the call allocates, those that it frees again too: profile.events() has only the difference."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True) as profile:
        call()
    events = profile.profiler.kineto_results.events()
    return sum(max(0, event.nbytes()) for event in events if event.name() == "[memory]")


def small_model():
    return torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Hardtanh(-0.5, 0.5, inplace=True),
                               torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()), torch.nn.PReLU())
