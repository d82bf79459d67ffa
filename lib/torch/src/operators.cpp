#include "backward.hpp"
#include "compute.hpp"
#include "operator_call.hpp"

#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// torch.ops.nozzle: operators for every function that nozzle_describe lists.
//
//   hardtanh(Tensor input, float lo=-1.0, float hi=1.0) -> Tensor
//   hardtanh_(Tensor(a!) input, ...) -> ()                               functions of one input
//   hardtanh.out(Tensor input, ..., *, Tensor(a!) out) -> ()
//   hardtanh_backward(Tensor grad, Tensor input, ...) -> Tensor          glu_backward_first and glu_backward_second
//   hardtanh_backward_from_result(Tensor grad, Tensor result, ...) -> Tensor      where the function has it
//   swiglu_halves(Tensor input, ...) -> Tensor, swiglu_interleaved       of gates: a and b in one tensor
//   swiglu_halves_backward(Tensor grad, Tensor input, ...) -> Tensor
//   hardtanh_backward_backward(...), ...: second_derivative.py has them
//
// What changes a tensor returns nothing: torch.compile takes no operator of others' whose result is an argument.
//
// Kernels serve functions of any inputs and parameters (operator_call.hpp).

namespace nozzle_torch
{

namespace
{

using at::Tensor;
using c10::DispatchKey;
using c10::DispatchKeySet;
using c10::OperatorHandle;
using torch::autograd::isFwGradDefined;
using torch::jit::Stack;

/// What kernels know of an operator. They refer to it as long as the process runs.
struct operator_facts
{
  nozzle_description const& function;
  nozzle_torch::form form = form::result;
  nozzle_torch::packing packing = packing::halves;
  std::vector<derivative> from_inputs = {}; ///< for autograd, one for each tensor
  std::vector<derivative> from_result = {};
  bool keeps_result = false;
};

using kernel = void (*)(operator_facts const&, operator_call&);

/// A kernel as PyTorch keeps it.
struct boxed_kernel : c10::OperatorKernel
{
  operator_facts const& facts;
  kernel run;

  boxed_kernel(operator_facts const& f, kernel k)
    : facts(f)
    , run(k)
  {
  }

  void operator()(OperatorHandle const& op, DispatchKeySet keys, Stack* stack)
  {
    operator_call call{op, keys, *stack};
    run(facts, call);
  }
};

void implement(torch::Library& m, std::string const& name, DispatchKey key, operator_facts const& facts, kernel run)
{
  auto boxed = torch::CppFunction::makeFromBoxedFunctor(std::make_unique<boxed_kernel>(facts, run));
  m.impl(name.c_str(), torch::dispatch(key, std::move(boxed)));
}

/// The function's parameters. PyTorch allows no default in front of an argument without one.
std::vector<c10::Argument> parameters_of(nozzle_description const& f, bool with_defaults)
{
  std::vector<c10::Argument> all;
  for (int i = 0; i < f.parameters; ++i)
  {
    const std::string_view name = f.parameter_names[i];
    std::optional<c10::IValue> initial;
    if (with_defaults && !std::isnan(f.defaults[i]))
      initial = f.defaults[i];
    all.emplace_back(name == "lambda" ? "lambd" : std::string(name), // a keyword in Python
                     c10::FloatType::get(),
                     std::nullopt,
                     initial);
  }
  return all;
}

/// Declares an operator of the function, with its parameters behind the positional tensors of the text.
void declare(torch::Library& m, nozzle_description const& f, std::string const& text)
{
  const c10::FunctionSchema schema = torch::schema(text.c_str());
  std::vector<c10::Argument> arguments = schema.arguments();
  const auto is_input = [](c10::Argument const& a)
  { return !a.kwarg_only() && a.type()->kind() == c10::TypeKind::TensorType; };
  const auto behind = std::find_if_not(arguments.begin(), arguments.end(), is_input);
  const bool are_last = behind == arguments.end() || behind->kwarg_only();
  const std::vector<c10::Argument> parameters = parameters_of(f, are_last);
  arguments.insert(behind, parameters.begin(), parameters.end());
  c10::FunctionSchema whole = schema.cloneWithArguments(std::move(arguments));
  whole.setAliasAnalysis(schema.aliasAnalysis());
  m.def(std::move(whole), {at::Tag::pt2_compliant_tag});
}

/// `autograd`, for calls that concern it.
template <kernel autograd>
void differentiate(operator_facts const& facts, operator_call& call)
{
  const bool is_recording = c10::GradMode::is_enabled();
  for (c10::IValue const& value : torch::jit::last(call.stack, call.count))
    if (value.isTensor())
    {
      call.requires_grad |= is_recording && value.toTensor().requires_grad();
      call.has_tangent |= isFwGradDefined(value.toTensor());
    }
  if (call.requires_grad || call.has_tangent)
    autograd(facts, call);
  else
    call.go_below_autograd();
}

/// Declares an operator, "name(arguments) -> result", and implements it. The same code serves the CPU and CUDA: it asks
/// the tensors where they are.
template <kernel autograd>
void define_operator(torch::Library& m, operator_facts const& facts, std::string const& text, kernel compute)
{
  const std::string name = text.substr(0, text.find('('));
  declare(m, facts.function, text);
  implement(m, name, DispatchKey::CPU, facts, compute);
  implement(m, name, DispatchKey::CUDA, facts, compute);
  implement(m, name, DispatchKey::Autograd, facts, differentiate<autograd>);
}

OperatorHandle find(std::string const& name)
{
  return c10::Dispatcher::singleton().findSchemaOrThrow(("nozzle::" + name).c_str(), "");
}

/// Whether autograd keeps the result of a call out of place, which the next layer keeps too: that saves the input's
/// memory. PyTorch does so for relu, sigmoid and tanh; the result of clamps has the same slope as their input.
bool keeps_result(nozzle_op op)
{
  constexpr nozzle_op kept[] = {NOZZLE_RELU, NOZZLE_RELU6, NOZZLE_HARDTANH, NOZZLE_SIGMOID, NOZZLE_TANH};
  return std::find(std::begin(kept), std::end(kept), op) != std::end(kept);
}

/// The node of a call that requires gradients.
node_owner new_node(operator_facts const& facts, arguments const& given, bool keeps_result)
{
  auto const& derivatives = keeps_result ? facts.from_result : facts.from_inputs;
  node_owner node = make_node<node_owner>(facts.function.name, derivatives, parameters(given.parameters));
  node->set_next_edges(torch::autograd::collect_next_edges(at::TensorList(given.tensors)));
  return node;
}

/// Forward mode: of element-wise functions a derivative and its transpose are the same.
Tensor tangent(operator_facts const& facts, at::TensorList x, parameters p)
{
  std::vector<Tensor> primal;
  for (Tensor const& each : x)
    primal.push_back(each._fw_primal(0));
  Tensor sum;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (isFwGradDefined(x[i]))
    {
      const Tensor part = facts.from_inputs[i](x[i]._fw_grad(0), primal, p);
      sum = sum.defined() ? sum.add(part) : part;
    }
  return sum;
}

// Kernels of operators that return a tensor.

void compute_result(operator_facts const& facts, operator_call& call)
{
  const auto [x, p] = call.take();
  call.stack.emplace_back(compute(facts.function, facts.form, p, x));
}

void differentiate_result(operator_facts const& facts, operator_call& call)
{
  const arguments given = call.look();
  auto const& [x, p] = given;
  const bool keeps = call.requires_grad && facts.keeps_result && result_determines_slope(facts.function, p, x[0]);
  const node_owner node = call.requires_grad ? new_node(facts, given, keeps) : node_owner();
  if (node && !keeps)
    for (Tensor const& each : x)
      node->save_input(each);
  call.go_below_autograd();
  Tensor const& y = call.stack.back().toTensor();
  if (node)
    torch::autograd::set_history(y, node);
  if (call.has_tangent)
    y._set_fw_grad(tangent(facts, x, p), 0, false);
  if (keeps)
    node->save_result(y, false); // with its tangent
}

// Kernels of operators that write to their last tensor.

void compute_written(operator_facts const& facts, operator_call& call)
{
  const auto [x, p] = call.take();
  const auto inputs = at::TensorList(x).slice(0, static_cast<std::size_t>(facts.function.inputs));
  compute_into(x.back(), facts.function, p, inputs);
}

void count_version(operator_facts const&, operator_call& call)
{
  const Tensor out = call.written();
  {
    const at::AutoDispatchBelowADInplaceOrView below;
    call.op.redispatchBoxed(call.keys & c10::after_ADInplaceOrView_keyset, &call.stack);
  }
  torch::autograd::increment_version(out);
}

/// For tensors whose numbers are the negatives of those in memory, such as z.conj().imag. PyTorch's own fallback needs
/// operators that return what they wrote; ours return nothing.
void resolve_negatives(operator_facts const&, operator_call& call)
{
  const Tensor out = call.written();
  Tensor y; // what stands for it: the last that the loop sees
  for (std::size_t i = 0; i < call.count; ++i)
    if (c10::IValue& value = torch::jit::peek(call.stack, i, call.count); value.isTensor())
      value = y = value.toTensor().resolve_neg();
  call.op.redispatchBoxed(call.keys & DispatchKeySet(DispatchKeySet::FULL_AFTER, DispatchKey::Negative), &call.stack);
  out.copy_(y);
}

/// As a copy of what the functional operator gives. PyTorch's own way for operators that write reads the wrong elements
/// behind a view, once Inductor compiles it (2.15).
void functionalize(operator_facts const& facts, operator_call& call)
{
  const Tensor out = call.written();
  const OperatorHandle functional = find(facts.function.name);
  if (call.count > functional.schema().arguments().size())
    call.stack.pop_back(); // `out`
  functional.callBoxed(&call.stack);
  const Tensor y = torch::jit::pop(call.stack).toTensor();
  TORCH_CHECK_VALUE(out.sym_sizes() == y.sym_sizes() && out.scalar_type() == y.scalar_type()
                      && out.device() == y.device(),
                    facts.function.name,
                    "(): out must have the input's shape, type and device");
  out.copy_(y);
}

void differentiate_out(operator_facts const& facts, operator_call& call)
{
  if (call.requires_grad)
    torch::autograd::throw_error_out_requires_grad(facts.function.name);
  TORCH_CHECK_NOT_IMPLEMENTED(!call.has_tangent,
                              facts.function.name,
                              "(): functions with out=... arguments don't support forward mode, but one of the "
                              "arguments has a tangent.");
  call.go_below_autograd();
}

void differentiate_in_place(operator_facts const& facts, operator_call& call)
{
  const arguments given = call.look();
  Tensor const& x = given.tensors[0];
  torch::autograd::check_inplace(x, call.requires_grad);
  const bool keeps = call.requires_grad && has_gradient_from_result(facts.function, given.parameters, x);
  const node_owner node = call.requires_grad ? new_node(facts, given, keeps) : node_owner();
  if (node && !keeps)
    node->save_input(x.clone());
  Tensor new_tangent;
  if (call.has_tangent) // of copies, for a backward pass through the tangent
    new_tangent = tangent(facts, x.clone(), given.parameters);
  call.go_below_autograd();
  if (node)
    torch::autograd::rebase_history(x, node);
  if (keeps)
    node->save_result(x, true);
  if (new_tangent.defined())
    x._fw_grad(0).copy_(new_tangent);
}

// Kernels of a gate's operators on a packed tensor. Those of two tensors do what is rare: tangents, second derivatives.

void compute_packed_result(operator_facts const& facts, operator_call& call)
{
  const auto [x, p] = call.take();
  call.stack.emplace_back(compute_packed(facts.function, facts.packing, p, x[0]));
}

void differentiate_packed(operator_facts const& facts, operator_call& call)
{
  if (!call.has_tangent)
    return differentiate_result(facts, call);
  const auto [x, p] = call.take();
  const auto [a, b] = unpack(facts.function, facts.packing, x[0]);
  call.stack.insert(call.stack.end(), {a, b});
  call.stack.insert(call.stack.end(), p.begin(), p.end());
  find(facts.function.name).callBoxed(call.stack);
}

void compute_gradient_of_packed(operator_facts const& facts, operator_call& call)
{
  const auto [x, p] = call.take();
  call.stack.emplace_back(compute_packed_gradient(facts.function, facts.packing, p, x[0], x[1]));
}

void differentiate_gradient_of_packed(operator_facts const& facts, operator_call& call)
{
  const auto [x, p] = call.take();
  const auto [a, b] = unpack(facts.function, facts.packing, x[1]);
  const Tensor both[] = {facts.from_inputs[0](x[0], {a, b}, p), facts.from_inputs[1](x[0], {a, b}, p)};
  call.stack.emplace_back(facts.packing == packing::halves ? at::cat(both, -1) : at::stack(both, -1).flatten(-2));
}

/// A derivative by `count` tensors: its operator on g and these, and the one in Python that differentiates it.
derivative define_derivative(torch::Library& m,
                             nozzle_description const& f,
                             form form,
                             std::string const& name,
                             std::string const& tensors,
                             int count)
{
  const std::string again = name + "_backward";
  declare(m, f, again + "(Tensor grad_grad, Tensor grad, " + tensors + ", int input) -> Tensor");
  auto& facts = *new operator_facts{f, form};
  define_operator<differentiate_result>(m, facts, name + "(Tensor grad, " + tensors + ") -> Tensor", compute_result);
  facts.from_inputs.push_back({find(name), 1});
  for (int input = 0; input < count; ++input)
    facts.from_inputs.push_back({find(again), 0, input});
  return {find(name)};
}

/// A gate's operators on a packed tensor, with its derivatives by two.
void define_packed(torch::Library& m,
                   nozzle_description const& f,
                   packing packing,
                   std::vector<derivative> const& by_inputs)
{
  const std::string name = std::string(f.name) + (packing == packing::halves ? "_halves" : "_interleaved");
  const std::string backward = name + "_backward";
  auto const& gradient = *new operator_facts{f, form::gradient, packing, by_inputs};
  define_operator<differentiate_gradient_of_packed>(
    m, gradient, backward + "(Tensor grad, Tensor input) -> Tensor", compute_gradient_of_packed);
  auto const& facts = *new operator_facts{f, form::result, packing, {{find(backward)}}};
  define_operator<differentiate_packed>(m, facts, name + "(Tensor input) -> Tensor", compute_packed_result);
}

/// An operator that writes.
template <kernel autograd>
void define_writing(torch::Library& m, operator_facts const& facts, std::string const& name, std::string const& tensors)
{
  define_operator<autograd>(m, facts, name + "(" + tensors + ") -> ()", compute_written);
  implement(m, name, DispatchKey::ADInplaceOrView, facts, count_version);
  implement(m, name, DispatchKey::Negative, facts, resolve_negatives);
  implement(m, name, DispatchKey::Functionalize, facts, functionalize);
}

/// All operators of a function.
void define(torch::Library& m, nozzle_description const& f)
{
  const std::string name = f.name;
  const bool has_one_input = f.inputs == 1;
  const std::string inputs = has_one_input ? "Tensor input" : "Tensor a, Tensor b";
  auto& facts = *new operator_facts{f};
  facts.keeps_result = keeps_result(f.op);
  const auto derive = [&](form form, char const* suffix, std::string const& tensors, int count)
  { return define_derivative(m, f, form, name + "_backward" + suffix, tensors, count); };
  if (has_one_input)
    facts.from_inputs = {derive(form::gradient, "", inputs, 1)};
  else
    facts.from_inputs = {derive(form::gradient, "_first", inputs, 2),
                         derive(form::gradient_by_second, "_second", inputs, 2)};
  if (f.has_gradient_from_result != 0)
    facts.from_result = {derive(form::gradient_from_result, "_from_result", "Tensor result", 1)};
  define_operator<differentiate_result>(m, facts, name + "(" + inputs + ") -> Tensor", compute_result);
  define_writing<differentiate_out>(m, facts, name + ".out", inputs + ", *, Tensor(a!) out");
  if (has_one_input)
    define_writing<differentiate_in_place>(m, facts, name + "_", "Tensor(a!) input");
  else
    for (packing packing : {packing::halves, packing::interleaved})
      define_packed(m, f, packing, facts.from_inputs);
}

} // namespace

} // namespace nozzle_torch

TORCH_LIBRARY(nozzle, m)
{
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
    nozzle_torch::define(m, *nozzle_describe(op));
}
