"""Functions, modules, replace, and how the package is loaded and built."""

import copy
import importlib
import inspect
import os
import pickle
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import nozzle
import nozzle.functional as F
from support import (COUNTERPARTS, CUDA, FUNCTIONS, IN_PLACE, counterparts, devices, ops, ours, small_model,
                     two_gpus)

MODULES = [name for name, module in vars(nozzle.nn).items() if isinstance(module, type) and hasattr(torch.nn, name)]
ARGUMENTS = {
    "Threshold": (0.125, -2.0), "Hardtanh": (-2.0, 0.5), "GELU": ("tanh", ), "LeakyReLU": (0.25, ),
    "RReLU": (0.25, 0.75), "Hardshrink": (0.25, ), "Softshrink": (0.25, ), "Softplus": (2.0, 1.0), "ELU": (0.5, ),
    "CELU": (0.5, ), "GLU": (0, ),
} # yapf: disable


def module_pair(name):
    make = lambda where: getattr(where, name)(*ARGUMENTS.get(name, ())).eval()
    return make(nozzle.nn), make(torch.nn)


@counterparts
def test_signatures(name):
    function = COUNTERPARTS[name][0]
    try:
        parameters = inspect.signature(getattr(torch.nn.functional, function)).parameters.values()
    except ValueError:
        pytest.skip("PyTorch's is builtin and says no signature")
    got = [(p.name, p.default) for p in inspect.signature(getattr(F, function)).parameters.values()]
    assert got == [("input" if p.name == "_input" else p.name, p.default) for p in parameters]


def test_further_functions():
    """What torch.nn.functional lacks, with the catalogue's parameters and defaults, and in place."""
    torch.manual_seed(3)
    for name in set(FUNCTIONS) - set(COUNTERPARTS) - {"identity", "scale", "bias", "prelu", "prelu_weights", "glu"}:
        function, parameters = getattr(F, name), FUNCTIONS[name].parameters
        *inputs, last = [p for p in inspect.signature(function).parameters.values() if p.name not in parameters]
        given = [p for p in inspect.signature(function).parameters.values() if p.name in parameters]
        assert {p.name: p.default for p in given} == parameters
        x = [torch.randn(100) * 2 for _ in range(FUNCTIONS[name].inputs)]
        others = dict(zip(parameters, (0.3, 1.2, 0.75))) # each another
        y = function(*x, **others)
        assert torch.equal(y, getattr(ops, name)(*x, *FUNCTIONS[name].values(others))) and len(inputs) == len(x)
        assert last.name == ("inplace" if len(x) == 1 else "interleaved")
        if len(x) == 1:
            assert function(x[0], **others, inplace=True) is x[0] and torch.equal(x[0], y)
        else:
            packed = getattr(ops, name + "_interleaved")(x[0], *FUNCTIONS[name].values(others))
            assert torch.equal(function(x[0], **others, interleaved=True), packed)


def test_the_rest_is_pytorchs():
    assert F.linear is torch.nn.functional.linear and F.prelu is torch.nn.functional.prelu


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place_returns_its_argument(name):
    x = torch.randn(7)
    expected = ours(name)(x)
    assert ours(name)(x, inplace=True) is x and torch.equal(x, expected)


@pytest.mark.parametrize("name", MODULES)
def test_modules(name):
    module, original = module_pair(name)
    assert repr(module) == repr(original)
    x = torch.randn(6, 8)
    torch.testing.assert_close(module(x), original(x))
    for same in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert type(same) is type(module) and torch.equal(same(x), module(x))


@pytest.mark.parametrize("name", [name for name in MODULES if "inplace" in vars(module_pair(name)[1])])
def test_modules_in_place(name):
    for inplace in (False, True):
        module, x = getattr(nozzle.nn, name)(*ARGUMENTS.get(name, ()), inplace=inplace).eval(), torch.randn(7)
        assert (module(x) is x) == inplace


def test_rrelu_in_training():
    """It is PyTorch's, with its random numbers."""
    x = torch.randn(100)
    for inplace in (False, True):
        results = []
        for where in (nozzle.nn, torch.nn):
            torch.manual_seed(3)
            given = x.clone()
            results.append(where.RReLU(0.25, 0.75, inplace)(given))
            assert (results[-1] is given) == inplace
        assert torch.equal(*results) and not torch.equal(results[0], F.rrelu(x, 0.25, 0.75))


def test_every_activation_module_is_there():
    missing = {"PReLU", "Softmin", "Softmax", "Softmax2d", "LogSoftmax", "MultiheadAttention"}
    missing |= {"NonDynamicallyQuantizableLinear"} # which is imported there
    in_torch = {
        n
        for n, m in vars(torch.nn.modules.activation).items()
        if isinstance(m, type) and issubclass(m, torch.nn.Module) and n != "Module"
    }
    assert in_torch - missing == set(MODULES)


def test_replace():
    model = small_model()
    x = torch.randn(4, 8)
    expected = model(x)
    assert nozzle.replace(model) == {"1": "Hardtanh", "2.1": "GELU"}
    assert type(model[1]) is nozzle.nn.Hardtanh and type(model[2][1]) is nozzle.nn.GELU
    torch.testing.assert_close(model(x), expected)


def test_replace_of_shared_and_of_subclassed_modules():

    class Mine(torch.nn.ReLU):
        pass

    shared = torch.nn.SiLU()
    model = torch.nn.Sequential(shared, Mine(), torch.nn.ModuleList([shared]))
    assert nozzle.replace(model) == {"0": "SiLU", "2.0": "SiLU"}
    assert type(model[1]) is Mine and model[0] is model[2][0] is shared


def test_modules_are_compiled_apart():
    """Dynamo's limit on recompilations counts per code object."""
    assert len({getattr(nozzle.nn, name).forward.__code__ for name in MODULES}) == len(MODULES)


@pytest.mark.parametrize("name, function, given", [
    ("HardsigmoidONNX", F.hardsigmoid_onnx, {"alpha": 0.25, "beta": 0.75}),
    ("QuickGELU", F.quick_gelu, {}),
    ("SquaredReLU", F.squared_relu, {}),
    ("SqrtSoftplus", F.sqrt_softplus, {}),
    ("Laplace", F.laplace, {"mu": 0.5, "sigma": 0.25}),
])
def test_arguments_of_further_modules(name, function, given):
    module = getattr(nozzle.nn, name)(*given.values(), inplace=True)
    assert {key: getattr(module, key) for key in given} == given and module.inplace is True
    shown = ", ".join(f"{key}={value}" for key, value in (given | {"inplace": True}).items())
    assert repr(module) == f"{name}({shown})"
    x = torch.randn(7)
    expected = function(x, **given)
    assert module(x) is x and torch.equal(x, expected)


def test_meta():
    y = F.silu(torch.empty(3, 5, device="meta", dtype=torch.half).t())
    assert y.shape == (5, 3) and y.dtype == torch.half and y.is_meta and y.stride() == (1, 5)


def test_autocast_leaves_types_alone():
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert F.silu(torch.randn(3)).dtype == torch.float
        assert F.silu(torch.randn(3, dtype=torch.bfloat16)).dtype == torch.bfloat16


class Watching(torch.overrides.TorchFunctionMode):

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, types, arguments=(), named=None):
        self.seen.append(function)
        return function(*arguments, **(named or {}))


class Doubling(torch.Tensor):
    """A subclass that gives twice the result."""

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), named=None):
        plain = [x.as_subclass(torch.Tensor) if isinstance(x, torch.Tensor) else x for x in arguments]
        return 2 * function(*plain, **(named or {}))


def test_calls_from_python():
    """What operators.py calls faster than PyTorch does is what PyTorch calls."""
    x = torch.tensor([-3.0, 0.5, 3.0])
    assert torch.equal(F.hardtanh(x, -2, 2), F.hardtanh(x, -2.0, 2.0))
    with Watching() as mode:
        F.hardtanh(x)
    assert torch.ops.nozzle.hardtanh.default in mode.seen
    assert torch.equal(F.hardtanh(x.as_subclass(Doubling)), 2 * F.hardtanh(x))
    assert torch.equal(F.silu(torch.nn.Parameter(x)), F.silu(x))
    for wrong in (lambda: F.silu(1.0), lambda: F.hardtanh(x, x, 1.0)):
        with pytest.raises((TypeError, RuntimeError), match="silu|hardtanh"):
            wrong()
    with pytest.raises(OverflowError):
        F.hardtanh(x, -1, 10**400)


def test_numbers_of_arguments():
    """PyTorch fills in defaults, and refuses what is too few or too many."""
    x, learned, direct = torch.randn(3), torch.tensor(1.0, requires_grad=True), nozzle.operators.operators
    assert torch.equal(direct.hardtanh(x), F.hardtanh(x))
    for wrong in (lambda: direct.silu(), lambda: direct.silu(x, 1.0), lambda: direct.swish(x, 1.0, learned)):
        with pytest.raises(RuntimeError, match="argument"):
            wrong()


def test_inference_mode():
    with torch.inference_mode():
        x = torch.randn(3)
        torch.testing.assert_close(F.relu(x, inplace=True), x.clamp(min=0))


@CUDA
def test_cuda_graph():
    x = torch.randn(1000, device="cuda")
    F.silu(x)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y = F.silu(x)
    x.copy_(torch.randn_like(x))
    graph.replay()
    assert torch.equal(y, F.silu(x))


@CUDA
def test_current_stream():
    x = torch.zeros(1 << 24, device="cuda")
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(20):
            x += 1
        y = F.relu(x)
    stream.synchronize()
    assert bool((y == 20).all())


@two_gpus
def test_second_device():
    """Forward and backward, in its own current stream, while the other device is current."""
    x = torch.randn(4, 1000, device="cuda:1")
    gate, up = x.chunk(2, -1)
    expected = torch.nn.functional.silu(torch.nn.functional.silu(gate) * up)
    busy = torch.full((1 << 13, 1 << 13), 2.0**-13, device="cuda:1") # its own square
    stream = torch.cuda.Stream("cuda:1")
    stream.wait_stream(torch.cuda.current_stream("cuda:1"))
    with torch.cuda.stream(stream), torch.cuda.device(0):
        for _ in range(20):
            busy = busy @ busy
        late = (x + busy[0, 0] - 2.0**-13).requires_grad_()
        y = F.silu(F.swiglu(late))
        y.sum().backward()
        compiled = torch.compile(lambda x: F.silu(F.swiglu(x)), fullgraph=True, backend="aot_eager")(late)
    stream.synchronize()
    torch.testing.assert_close(y, expected)
    assert torch.equal(compiled, y) and late.grad.device == x.device and bool(late.grad.any())
    with pytest.raises(TypeError, match="on one device"):
        F.swiglu(gate, up.to("cuda:0"))
    with pytest.raises(BufferError, match="device"):
        nozzle.transform(x, "silu")
    with torch.cuda.device(1):
        assert torch.equal(nozzle.transform(x, "silu"), F.silu(x))


@CUDA
def test_more_than_2_31_elements():
    x = torch.full(((1 << 31) + 3, ), -2.0, dtype=torch.half, device="cuda")
    y = F.relu(x, inplace=True)
    assert y.data_ptr() == x.data_ptr() and int(torch.count_nonzero(y)) == 0


@devices
@pytest.mark.parametrize("name", ["hardtanh", "hardsigmoid", "hardsigmoid_onnx"])
def test_drop_in_modules(name, device, monkeypatch):
    """perf/torch's, on this package: compiled, traced, exported, copied and pickled."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "perf/torch"))
    torch._dynamo.reset()
    x = torch.randn(4, 6, device=device)
    module = importlib.import_module(name).ModelNew()
    expected = getattr(F, name)(x)
    in_place, y = importlib.import_module(name).ModelNew(inplace=True), x.clone()
    assert in_place(y) is y and torch.equal(y, expected)
    assert torch.autograd.gradcheck(module, x.double().requires_grad_())
    for same in (module, copy.deepcopy(module), pickle.loads(pickle.dumps(module)), torch.jit.trace(module, -x),
                 torch.compile(module, fullgraph=True, backend="aot_eager"),
                 torch.export.export(module, (x, )).module()):
        assert torch.equal(same(x), expected)


def test_another_pytorch_is_refused(monkeypatch):
    major, minor = map(int, torch.__version__.split(".")[:2])
    for built_for in (f"{major}.{minor + 1}.0", f"{major + 1}.{minor}.0"):
        monkeypatch.setattr(nozzle.operators, "TORCH_VERSION", built_for)
        with pytest.raises(ImportError, match=f"built for PyTorch {built_for}"):
            nozzle.operators._load()
    monkeypatch.setattr(nozzle.operators, "TORCH_VERSION", f"{major}.{minor}.99+cpu")
    assert nozzle.operators._load()


def test_a_library_in_ld_library_path_is_left_alone(tmp_path):
    """Such as an installed one, which may have fewer functions. This one cannot be loaded."""
    (tmp_path / "libnozzle.so.0").touch()
    subprocess.run([sys.executable, "-c", "import nozzle"], check=True,
                   env={**os.environ, "LD_LIBRARY_PATH": str(tmp_path)}) # yapf: disable


def test_version():
    header = (Path(__file__).parents[3] / "include/nozzle/version.hpp").read_text()
    number = int(re.search(r"define NOZZLE_VERSION (\d+)", header).group(1))
    project = (Path(__file__).parents[1] / "pyproject.toml").read_text()
    assert f'version = "{number // 10000}.{number // 100 % 100}.{number % 100}"' in project


def test_what_cmake_is_told():
    """Where PyTorch is, its version and its CUDA's, ahead of JAX's folder."""
    command = [sys.executable, Path(__file__).parents[1] / "find_torch.py"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip().split(";")
    assert found[:3] == [str(Path(torch.__file__).parent), torch.__version__, torch.version.cuda or "none"]


@pytest.mark.skipif(torch.version.cuda is None or not shutil.which("cmake"), reason="PyTorch without CUDA, or no CMake")
def test_a_build_for_cuda_without_nvcc_is_refused(tmp_path):
    """In every configuration, unless it says that it is for the CPU alone."""
    folders = [folder for folder in os.environ["PATH"].split(":") if not shutil.which("nvcc", path=folder)]
    environment = {**os.environ, "PATH": ":".join(folders)}
    environment.pop("CUDACXX", None)
    command = ["cmake", "-S", Path(__file__).parents[3], "-B", tmp_path, "-DNOZZLE_TORCH=ON", "-DBUILD_SHARED_LIBS=ON",
               f"-DPython_EXECUTABLE={sys.executable}", "-DNOZZLE_TESTS=OFF", "-DNOZZLE_PERF=OFF"] # yapf: disable
    configure = lambda *options: subprocess.run([*command, *options], env=environment, capture_output=True, text=True)
    for _ in range(2):
        refused = configure()
        assert refused.returncode != 0 and "nvcc is not on PATH" in refused.stderr, refused.stderr
    assert configure("-DNOZZLE_CUDA=OFF").returncode == 0


def test_import_time():
    """Nor does a first call import Dynamo, which takes seconds."""
    code = ("import numpy, sys, torch, time; x = numpy.ones(3); t = time.monotonic(); import nozzle\n"
            "nozzle.transform(x, 'silu'); print(time.monotonic() - t, 'torch._dynamo' in sys.modules)")
    output = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    seconds, has_dynamo = output.split()
    assert float(seconds) < 1 and has_dynamo == "False", output
