#include <torch/csrc/autograd/python_variable.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/utils/pybind.h>
#include <torch/csrc/utils/python_numbers.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/PythonTorchFunctionTLS.h>
#include <c10/core/AutogradState.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// The module nozzle._torch, whose import registers torch.ops.nozzle. It offers calls of the operators from Python that
// take less time than PyTorch's, which looks for subclasses, keywords and defaults: operators.py uses them.

namespace nozzle_torch
{

namespace
{

bool is_tensor(c10::Argument const& argument)
{
  return argument.type()->kind() == c10::TypeKind::TensorType;
}

/// An operator on tensors and, behind them, numbers.
struct direct_call
{
  c10::OperatorHandle op;
  pybind11::object general; ///< PyTorch's call of it
  std::size_t arguments = op.schema().arguments().size();
  std::size_t tensors = std::count_if(op.schema().arguments().begin(), op.schema().arguments().end(), is_tensor);

  /// Whether these are all its arguments, and need nothing that PyTorch's call looks for.
  bool takes(PyObject* const* given, std::size_t count) const
  {
    const auto is_number = [](PyObject* x) { return PyFloat_CheckExact(x) || PyLong_CheckExact(x); };
    return count == arguments && std::all_of(given, given + tensors, THPVariable_CheckExact)
           && std::all_of(given + tensors, given + count, is_number) && !at::impl::torch_function_mode_enabled()
           && !torch::jit::tracer::isTracing();
  }

  /// Throws if a number is a tensor whose gradient or tangent PyTorch's call would lose: it takes the value.
  void refuse_learned(PyObject* const* given, std::size_t count) const
  {
    c10::AutogradState const& state = c10::AutogradState::get_tls_state();
    const auto is_learned = [&state](at::Tensor const& x)
    { return (state.get_grad_mode() && x.requires_grad()) || (state.get_fw_grad_mode() && x._fw_grad(0).defined()); };
    for (std::size_t i = tensors; i < std::min(count, arguments); ++i)
      TORCH_CHECK_TYPE(!THPVariable_Check(given[i]) || !is_learned(THPVariable_Unpack(given[i])),
                       op.schema().name(),
                       ": ",
                       op.schema().arguments()[i].name(),
                       " is a tensor that requires a gradient or has a tangent, and would get none: pass a number");
  }

  /// PyTorch's call, with numbers in place of tensors of one: those of torch.func have no memory, which it reads.
  PyObject* call_general(PyObject* const* given, std::size_t count) const
  {
    std::vector<PyObject*> all(given, given + count);
    std::vector<pybind11::object> numbers;
    for (std::size_t i = tensors; i < count && !torch::jit::tracer::isTracing(); ++i)
      if (THPVariable_CheckExact(given[i]) && THPVariable_Unpack(given[i]).numel() == 1)
        all[i] = numbers.emplace_back(pybind11::handle(given[i]).attr("item")()).ptr();
    return PyObject_Vectorcall(general.ptr(), all.data(), count, nullptr);
  }
};

/// As pybind11::gil_scoped_release, which looks up what it does not need.
struct without_gil
{
  PyThreadState* const state = PyEval_SaveThread();

  without_gil() = default;
  without_gil(without_gil const&) = delete;
  without_gil& operator=(without_gil const&) = delete;
  ~without_gil() { PyEval_RestoreThread(state); }
};

PyObject* call_directly(PyObject* self, PyObject* const* given, Py_ssize_t size)
{
  HANDLE_TH_ERRORS
  auto const& f = *static_cast<direct_call*>(PyCapsule_GetPointer(self, nullptr));
  const auto count = static_cast<std::size_t>(size);
  if (!f.takes(given, count))
  {
    f.refuse_learned(given, count);
    return f.call_general(given, count);
  }
  torch::jit::Stack stack;
  stack.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    if (i < f.tensors)
      stack.emplace_back(THPVariable_Unpack(given[i]));
    else
      stack.emplace_back(THPUtils_unpackDouble(given[i]));
  {
    const without_gil release;
    f.op.callBoxed(stack);
  }
  if (stack.empty())
    Py_RETURN_NONE;
  return THPVariable_Wrap(std::move(stack.front()).toTensor());
  END_HANDLE_TH_ERRORS
}

/// The operator's call; it lives as long as the process.
pybind11::object direct(std::string const& name, pybind11::object general)
{
  static PyMethodDef method = {
    "call", reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(call_directly)), METH_FASTCALL, nullptr};
  auto* const f = new direct_call{c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), ""), std::move(general)};
  return pybind11::reinterpret_steal<pybind11::object>(PyCFunction_New(&method, pybind11::capsule(f).release().ptr()));
}

} // namespace

} // namespace nozzle_torch

PYBIND11_MODULE(_torch, m)
{
  m.def("direct", nozzle_torch::direct);
}
