#include "backward.hpp"
#include "compute.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/library.h>

#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <memory>
#include <sstream>
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
//
// What changes a tensor returns nothing: torch.compile takes no operator of others' whose result is an argument.

#if !defined(NOZZLE_TORCH_NAMESPACE)
#define NOZZLE_TORCH_NAMESPACE nozzle
#endif
#define NOZZLE_TORCH_TEXT(name) #name
#define NOZZLE_TORCH_NAME(name) NOZZLE_TORCH_TEXT(name)
#define NOZZLE_TORCH_LIBRARY(name, m) TORCH_LIBRARY(name, m)

namespace nozzle_torch
{

namespace
{

using at::Tensor;
using torch::autograd::isFwGradDefined;

/// A function, and how autograd differentiates it.
struct function
{
  nozzle_description const& description;
  std::vector<derivative> from_inputs;
  std::vector<derivative> from_result;
};

/// The operators' kernels refer to these as long as the process runs.
function& remember(nozzle_description const& description)
{
  static auto& functions = *new std::deque<function>();
  return functions.emplace_back(function{description, {}, {}});
}

/// Whether autograd keeps the result of a call out of place. PyTorch does so for relu, sigmoid and tanh; the result of clamps
/// has the same slope as their input. The next layer keeps the result too: that saves the input's memory.
bool keeps_result(nozzle_description const& f)
{
  for (std::string_view name : {"relu", "relu6", "hardtanh", "sigmoid", "tanh"})
    if (f.name == name)
      return true;
  return false;
}

// Schemas

std::string derivative_name(nozzle_description const& f, std::size_t input)
{
  if (f.inputs == 1)
    return std::string(f.name) + "_backward";
  return std::string(f.name) + (input == 0 ? "_backward_first" : "_backward_second");
}

std::string declared_inputs(nozzle_description const& f)
{
  return f.inputs == 1 ? "Tensor input" : "Tensor a, Tensor b";
}

/// ", float lo=-1.0, float hi=1.0"
std::string declared_parameters(nozzle_description const& f)
{
  std::ostringstream text;
  text.precision(17);
  for (int i = 0; i < f.parameters; ++i)
  {
    const std::string_view name = f.parameter_names[i];
    text << ", float " << (name == "lambda" ? "lambd" : name); // a keyword in Python
    if (!std::isnan(f.defaults[i]))
      text << '=' << std::showpoint << f.defaults[i];
  }
  return text.str();
}

void declare(torch::Library& m, std::string const& schema)
{
  m.def(torch::schema(schema.c_str()), {at::Tag::pt2_compliant_tag});
}

/// The operator whose unboxed calls are Signature's.
template <class Signature>
c10::TypedOperatorHandle<Signature> find(std::string const& name, char const* overload = "")
{
  const std::string qualified = NOZZLE_TORCH_NAME(NOZZLE_TORCH_NAMESPACE) "::" + name;
  return c10::Dispatcher::singleton().findSchemaOrThrow(qualified.c_str(), overload).typed<Signature>();
}

// Kernels

template <std::size_t>
using tensor = Tensor const&;
template <std::size_t>
using real = double;

/// The same code serves the CPU and CUDA: it asks the tensors where they are.
template <class Kernel>
void compute_by(torch::Library& m, std::string const& name, Kernel const& kernel)
{
  m.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CPU, kernel));
  m.impl(name.c_str(), torch::dispatch(c10::DispatchKey::CUDA, kernel));
}

/// The operators of a function with inputs T and parameters P, two index sequences.
template <class T, class P>
struct definition;

template <std::size_t... T, std::size_t... P>
struct definition<std::index_sequence<T...>, std::index_sequence<P...>>
{
  using values = std::array<double, sizeof...(P)>;
  using tensors = std::array<Tensor, sizeof...(T)>;

  torch::Library& m;
  function& f;
  nozzle_description const& d = f.description;
  std::string name = d.name;

  void define()
  {
    declare(m, name + "(" + declared_inputs(d) + declared_parameters(d) + ") -> Tensor");
    declare(m, name + ".out(" + declared_inputs(d) + declared_parameters(d) + ", *, Tensor(a!) out) -> ()");
    (define_derivative(T), ...);
    if (d.has_gradient_from_result != 0)
      define_derivative_from_result();
    define_result();
    define_out();
    if constexpr (sizeof...(T) == 1)
      define_in_place();
  }

private:
  void define_derivative(std::size_t input)
  {
    const std::string derivative = derivative_name(d, input);
    declare(m, derivative + "(Tensor grad, " + declared_inputs(d) + declared_parameters(d) + ") -> Tensor");
    const form by_input = input == 0 ? form::gradient : form::gradient_by_second;
    compute_by(m, derivative, [&d = d, by_input](Tensor const& g, tensor<T>... x, real<P>... p) {
      return compute(d, by_input, values{p...}, {g, x...});
    });
    const auto op = find<Tensor(Tensor const&, tensor<T>..., real<P>...)>(derivative);
    f.from_inputs.push_back([op](Tensor const& g, Tensor const* saved, [[maybe_unused]] double const* p) {
      return op.call(g, saved[T]..., p[P]...);
    });
  }

  void define_derivative_from_result()
  {
    const std::string derivative = name + "_backward_from_result";
    declare(m, derivative + "(Tensor grad, Tensor result" + declared_parameters(d) + ") -> Tensor");
    compute_by(m, derivative, [&d = d](Tensor const& g, Tensor const& y, real<P>... p) {
      return compute(d, form::gradient_from_result, values{p...}, {g, y});
    });
    const auto op = find<Tensor(Tensor const&, Tensor const&, real<P>...)>(derivative);
    f.from_result.push_back([op](Tensor const& g, Tensor const* saved, [[maybe_unused]] double const* p) {
      return op.call(g, saved[0], p[P]...);
    });
  }

  void define_result()
  {
    compute_by(m, name, [&d = d](tensor<T>... x, real<P>... p) {
      return compute(d, form::result, values{p...}, tensors{x...});
    });
    const auto op = find<Tensor(tensor<T>..., real<P>...)>(name);
    const bool keeps = keeps_result(d);
    m.impl(name.c_str(),
           torch::dispatch(
             c10::DispatchKey::Autograd, [op, keeps, &f = f](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p) {
               std::shared_ptr<backward_node> node;
               if (torch::autograd::compute_requires_grad(x...))
               {
                 node = new_node(f, keeps, values{p...}, x...);
                 if (!keeps)
                   (node->save_input(x), ...);
               }
               Tensor y;
               {
                 const at::AutoDispatchBelowAutograd below;
                 y = op.redispatch(keys & c10::after_autograd_keyset, x..., p...);
               }
               if (node)
               {
                 torch::autograd::set_history(y, node);
                 if (keeps)
                   node->save_result(y, false);
               }
               if ((isFwGradDefined(x) || ...))
                 y._set_fw_grad(tangent(f, {x...}, {p...}), 0, false);
               return y;
             }));
  }

  void define_out()
  {
    const std::string overload = name + ".out";
    compute_by(m, overload, [&d = d](tensor<T>... x, real<P>... p, Tensor const& out) {
      compute_into(out, d, form::result, values{p...}, tensors{x...});
    });
    const auto op = find<void(tensor<T>..., real<P>..., Tensor const&)>(name, "out");
    m.impl(overload.c_str(),
           torch::dispatch(c10::DispatchKey::Autograd,
                           [op, &d = d](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p, Tensor const& out) {
                             if (torch::autograd::compute_requires_grad(x..., out))
                               torch::autograd::throw_error_out_requires_grad(d.name);
                             const at::AutoDispatchBelowAutograd below;
                             op.redispatch(keys & c10::after_autograd_keyset, x..., p..., out);
                           }));
    m.impl(overload.c_str(),
           torch::dispatch(c10::DispatchKey::ADInplaceOrView,
                           [op](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p, Tensor const& out) {
                             {
                               const at::AutoDispatchBelowADInplaceOrView below;
                               op.redispatch(keys & c10::after_ADInplaceOrView_keyset, x..., p..., out);
                             }
                             torch::autograd::increment_version(out);
                           }));
  }

  void define_in_place()
  {
    const std::string in_place = name + "_";
    declare(m, in_place + "(Tensor(a!) input" + declared_parameters(d) + ") -> ()");
    compute_by(m, in_place, [&d = d](Tensor const& x, real<P>... p) {
      compute_into(x, d, form::result, values{p...}, x);
    });
    const auto op = find<void(Tensor const&, real<P>...)>(in_place);
    m.impl(in_place.c_str(),
           torch::dispatch(
             c10::DispatchKey::Autograd, [op, &f = f](c10::DispatchKeySet keys, Tensor const& x, real<P>... p) {
               const bool requires_grad = torch::autograd::compute_requires_grad(x);
               torch::autograd::check_inplace(x, requires_grad);
               const bool keeps = requires_grad && has_gradient_from_result(f.description, values{p...});
               std::shared_ptr<backward_node> node;
               if (requires_grad)
               {
                 node = new_node(f, keeps, values{p...}, x);
                 if (!keeps)
                   node->save_input(x.clone());
               }
               Tensor new_tangent;
               if (isFwGradDefined(x))
                 new_tangent = tangent(f, {x}, {p...});
               {
                 const at::AutoDispatchBelowAutograd below;
                 op.redispatch(keys & c10::after_autograd_keyset, x, p...);
               }
               if (node)
               {
                 torch::autograd::rebase_history(x, node);
                 if (keeps)
                   node->save_result(x, true);
               }
               if (new_tangent.defined())
                 x._set_fw_grad(new_tangent, 0, true);
             }));
    m.impl(in_place.c_str(),
           torch::dispatch(c10::DispatchKey::ADInplaceOrView,
                           [op](c10::DispatchKeySet keys, Tensor const& x, real<P>... p) {
                             {
                               const at::AutoDispatchBelowADInplaceOrView below;
                               op.redispatch(keys & c10::after_ADInplaceOrView_keyset, x, p...);
                             }
                             torch::autograd::increment_version(x);
                           }));
  }

  static std::shared_ptr<backward_node> new_node(function const& f, bool keeps_result, values const& p, tensor<T>... x)
  {
    auto const& derivatives = keeps_result ? f.from_result : f.from_inputs;
    const std::shared_ptr<backward_node> node(
      new backward_node(f.description.name, derivatives, p), torch::autograd::deleteNode);
    node->set_next_edges(torch::autograd::collect_next_edges(x...));
    return node;
  }

  /// Forward mode: of element-wise functions a derivative and its transpose are the same.
  static Tensor tangent(function const& f, tensors const& x, values const& p)
  {
    const tensors primal{x[T]._fw_primal(0)...};
    Tensor sum;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (isFwGradDefined(x[i]))
      {
        const Tensor part = f.from_inputs[i](x[i]._fw_grad(0), primal.data(), p.data());
        sum = sum.defined() ? sum.add(part) : part;
      }
    return sum;
  }
};

template <std::size_t Inputs, std::size_t Parameters>
void define(torch::Library& m, function& f)
{
  definition<std::make_index_sequence<Inputs>, std::make_index_sequence<Parameters>>{m, f}.define();
}

void define(torch::Library& m, nozzle_description const& d)
{
  function& f = remember(d);
  switch (10 * d.inputs + d.parameters)
  {
    case 10:
      return define<1, 0>(m, f);
    case 11:
      return define<1, 1>(m, f);
    case 12:
      return define<1, 2>(m, f);
    case 20:
      return define<2, 0>(m, f);
    default:
      TORCH_CHECK(false, d.name, ": no operators for ", d.inputs, " inputs and ", d.parameters, " parameters");
  }
}

} // namespace

} // namespace nozzle_torch

NOZZLE_TORCH_LIBRARY(NOZZLE_TORCH_NAMESPACE, m)
{
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
    nozzle_torch::define(m, *nozzle_describe(op));
}
