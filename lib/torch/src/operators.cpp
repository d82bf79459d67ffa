#include "backward.hpp"
#include "compute.hpp"
#include "schema.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/VariableTypeUtils.h>
#include <torch/library.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
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

namespace nozzle_torch
{

namespace
{

using at::Tensor;
using torch::autograd::isFwGradDefined;

/// How autograd differentiates an operator.
struct differentiation
{
  nozzle_description const& function;
  std::vector<derivative> from_inputs;
  std::vector<derivative> from_result;
  bool keeps_result = false;
};

/// Kernels refer to these as long as the process runs.
differentiation& new_differentiation(nozzle_description const& d)
{
  static auto& all = *new std::deque<differentiation>();
  return all.emplace_back(differentiation{d, {}, {}});
}

/// Whether autograd keeps the result of a call out of place, which the next layer keeps too: that saves the input's
/// memory. PyTorch does so for relu, sigmoid and tanh; the result of clamps has the same slope as their input.
bool keeps_result(nozzle_description const& f)
{
  for (std::string_view name : {"relu", "relu6", "hardtanh", "sigmoid", "tanh"})
    if (f.name == name)
      return true;
  return false;
}

template <class... Tensors>
node_owner new_node(char const* name,
                    std::vector<derivative> const& derivatives,
                    c10::ArrayRef<double> p,
                    Tensors const&... x)
{
  node_owner node = make_node<node_owner>(name, derivatives, p);
  node->set_next_edges(torch::autograd::collect_next_edges(x...));
  return node;
}

/// The operator whose unboxed calls are Signature's.
template <class Signature>
c10::TypedOperatorHandle<Signature> find(std::string const& name, char const* overload = "")
{
  const std::string qualified = "nozzle::" + name;
  return c10::Dispatcher::singleton().findSchemaOrThrow(qualified.c_str(), overload).typed<Signature>();
}

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

/// For tensors whose numbers are the negatives of those in memory, such as z.conj().imag. PyTorch's own fallback needs
/// operators that return what they wrote; ours return nothing.
constexpr c10::DispatchKeySet after_negative(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::Negative);

/// An operator on tensors T with parameters P, two index sequences, and what autograd does with it.
template <class T, class P>
struct differentiable;

template <std::size_t... T, std::size_t... P>
struct differentiable<std::index_sequence<T...>, std::index_sequence<P...>>
{
  using values = std::array<double, sizeof...(P)>;
  using tensors = std::array<Tensor, sizeof...(T)>;

  static void define(torch::Library& m, std::string const& name, differentiation const& rules)
  {
    const auto op = find<Tensor(tensor<T>..., real<P>...)>(name);
    m.impl(name.c_str(),
           torch::dispatch(c10::DispatchKey::Autograd,
                           [op, &rules](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p)
                           {
                             const bool requires_grad = torch::autograd::compute_requires_grad(x...);
                             const bool keeps = requires_grad && rules.keeps_result
                                                && (has_bounds(rules.function, values{p...}, x) && ...);
                             node_owner node;
                             if (requires_grad)
                             {
                               auto const& derivatives = keeps ? rules.from_result : rules.from_inputs;
                               node = new_node(rules.function.name, derivatives, values{p...}, x...);
                               if (!keeps)
                                 (node->save_input(x), ...);
                             }
                             Tensor y;
                             {
                               const at::AutoDispatchBelowAutograd below;
                               y = op.redispatch(keys & c10::after_autograd_keyset, x..., p...);
                             }
                             if (node)
                               torch::autograd::set_history(y, node);
                             if ((isFwGradDefined(x) || ...))
                               y._set_fw_grad(tangent(rules, {x...}, {p...}), 0, false);
                             if (node && keeps)
                               node->save_result(y, false); // with its tangent
                             return y;
                           }));
  }

  /// Forward mode: of element-wise functions a derivative and its transpose are the same.
  static Tensor tangent(differentiation const& rules, tensors const& x, values const& p)
  {
    const tensors primal{x[T]._fw_primal(0)...};
    Tensor sum;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (isFwGradDefined(x[i]))
      {
        const Tensor part = rules.from_inputs[i](x[i]._fw_grad(0), primal.data(), p.data());
        sum = sum.defined() ? sum.add(part) : part;
      }
    return sum;
  }
};

/// A derivative: its operator on g and the tensors T, and the one in Python that differentiates it by these.
template <class T, class P>
struct derivative_operator;

template <std::size_t... T, std::size_t... P>
struct derivative_operator<std::index_sequence<T...>, std::index_sequence<P...>>
{
  static derivative define(
    torch::Library& m, nozzle_description const& d, form form, std::string const& name, std::string const& tensors)
  {
    declare(m, d, name + "(Tensor grad, " + tensors + declared_parameters(d) + ") -> Tensor");
    compute_by(m,
               name,
               [&d, form](Tensor const& g, tensor<T>... x, real<P>... p) {
                 return compute(d, form, std::array<double, sizeof...(P)>{p...}, {g, x...});
               });
    const auto op = find<Tensor(Tensor const&, tensor<T>..., real<P>...)>(name);

    declare(m,
            d,
            name + "_backward(Tensor grad_grad, Tensor grad, " + tensors + declared_parameters(d, false)
              + ", int input) -> Tensor");
    const auto again =
      find<Tensor(Tensor const&, Tensor const&, tensor<T>..., real<P>..., std::int64_t)>(name + "_backward");
    differentiation& rules = new_differentiation(d);
    rules.from_inputs.push_back([op](Tensor const& gg, Tensor const* saved, [[maybe_unused]] double const* p)
                                { return op.call(gg, saved[1 + T]..., p[P]...); });
    (rules.from_inputs.push_back([again](Tensor const& gg, Tensor const* saved, [[maybe_unused]] double const* p)
                                 { return again.call(gg, saved[0], saved[1 + T]..., p[P]..., T); }),
     ...);
    differentiable<std::make_index_sequence<1 + sizeof...(T)>, std::index_sequence<P...>>::define(m, name, rules);
    return [op](Tensor const& g, Tensor const* saved, [[maybe_unused]] double const* p)
    { return op.call(g, saved[T]..., p[P]...); };
  }
};

/// The operators of a gate on a packed tensor.
template <class P>
struct packed_operators;

template <std::size_t... P>
struct packed_operators<std::index_sequence<P...>>
{
  static void define(torch::Library& m, nozzle_description const& d, packing packing)
  {
    const std::string name = std::string(d.name) + (packing == packing::halves ? "_halves" : "_interleaved");
    differentiation& rules = new_differentiation(d);
    rules.from_inputs.push_back(define_gradient(m, d, packing, name + "_backward"));
    declare(m, d, name + "(Tensor input" + declared_parameters(d) + ") -> Tensor");
    compute_by(m,
               name,
               [&d, packing](Tensor const& x, real<P>... p)
               { return compute_packed(d, packing, std::array<double, sizeof...(P)>{p...}, x); });
    const auto op = find<Tensor(Tensor const&, real<P>...)>(name);
    const auto of_two = find<Tensor(Tensor const&, Tensor const&, real<P>...)>(d.name);
    m.impl(name.c_str(),
           torch::dispatch(c10::DispatchKey::Autograd,
                           [op, of_two, packing, &d, &rules](c10::DispatchKeySet keys, Tensor const& x, real<P>... p)
                           {
                             if (isFwGradDefined(x))
                             {
                               const auto [a, b] = unpack(d, packing, x);
                               return of_two.call(a, b, p...);
                             }
                             node_owner node;
                             if (torch::autograd::compute_requires_grad(x))
                             {
                               node = new_node(
                                 rules.function.name, rules.from_inputs, std::array<double, sizeof...(P)>{p...}, x);
                               node->save_input(x);
                             }
                             const at::AutoDispatchBelowAutograd below;
                             Tensor y = op.redispatch(keys & c10::after_autograd_keyset, x, p...);
                             if (node)
                               torch::autograd::set_history(y, node);
                             return y;
                           }));
  }

private:
  static derivative define_gradient(torch::Library& m,
                                    nozzle_description const& d,
                                    packing packing,
                                    std::string const& name)
  {
    declare(m, d, name + "(Tensor grad, Tensor input" + declared_parameters(d) + ") -> Tensor");
    compute_by(m,
               name,
               [&d, packing](Tensor const& g, Tensor const& x, real<P>... p)
               { return compute_packed_gradient(d, packing, std::array<double, sizeof...(P)>{p...}, g, x); });
    const auto op = find<Tensor(Tensor const&, Tensor const&, real<P>...)>(name);
    using of_two = Tensor(Tensor const&, Tensor const&, Tensor const&, real<P>...);
    const auto first = find<of_two>(derivative_name(d, 0));
    const auto second = find<of_two>(derivative_name(d, 1));
    // The operators of two inputs have the second derivatives.
    m.impl(name.c_str(),
           torch::dispatch(
             c10::DispatchKey::Autograd,
             [op, first, second, packing, &d](c10::DispatchKeySet keys, Tensor const& g, Tensor const& x, real<P>... p)
             {
               if (torch::autograd::compute_requires_grad(g, x) || isFwGradDefined(g) || isFwGradDefined(x))
               {
                 const auto [a, b] = unpack(d, packing, x);
                 const Tensor both[] = {first.call(g, a, b, p...), second.call(g, a, b, p...)};
                 return packing == packing::halves ? at::cat(both, -1) : at::stack(both, -1).flatten(-2);
               }
               const at::AutoDispatchBelowAutograd below;
               return op.redispatch(keys & c10::after_autograd_keyset, g, x, p...);
             }));
    return [op](Tensor const& g, Tensor const* saved, [[maybe_unused]] double const* p)
    { return op.call(g, saved[0], p[P]...); };
  }
};

/// All operators of a function.
template <class T, class P>
struct definition;

template <std::size_t... T, std::size_t... P>
struct definition<std::index_sequence<T...>, std::index_sequence<P...>>
{
  using inputs = std::index_sequence<T...>;
  using parameters = std::index_sequence<P...>;
  using values = std::array<double, sizeof...(P)>;

  torch::Library& m;
  nozzle_description const& d;
  differentiation& rules = new_differentiation(d);
  std::string name = d.name;

  void define()
  {
    rules.keeps_result = keeps_result(d);
    for (std::size_t input = 0; input < sizeof...(T); ++input)
      rules.from_inputs.push_back(derivative_operator<inputs, parameters>::define(
        m, d, input == 0 ? form::gradient : form::gradient_by_second, derivative_name(d, input), declared_inputs(d)));
    if (d.has_gradient_from_result != 0)
      rules.from_result.push_back(derivative_operator<std::index_sequence<0>, parameters>::define(
        m, d, form::gradient_from_result, name + "_backward_from_result", "Tensor result"));
    define_result();
    define_out();
    if constexpr (sizeof...(T) == 1)
      define_in_place();
    else
      for (packing packing : {packing::halves, packing::interleaved})
        packed_operators<parameters>::define(m, d, packing);
  }

private:
  void define_result()
  {
    declare(m, d, name + "(" + declared_inputs(d) + declared_parameters(d) + ") -> Tensor");
    compute_by(
      m, name, [&d = d](tensor<T>... x, real<P>... p) { return compute(d, form::result, values{p...}, {x...}); });
    differentiable<inputs, parameters>::define(m, name, rules);
  }

  void define_out()
  {
    const std::string overload = name + ".out";
    declare(m, d, overload + "(" + declared_inputs(d) + declared_parameters(d) + ", *, Tensor(a!) out) -> ()");
    compute_by(m,
               overload,
               [&d = d](tensor<T>... x, real<P>... p, Tensor const& out)
               { compute_into(out, d, form::result, values{p...}, {x...}); });
    const auto op = find<void(tensor<T>..., real<P>..., Tensor const&)>(name, "out");
    m.impl(overload.c_str(),
           torch::dispatch(c10::DispatchKey::Autograd,
                           [op, &d = d](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p, Tensor const& out)
                           {
                             if (torch::autograd::compute_requires_grad(x..., out))
                               torch::autograd::throw_error_out_requires_grad(d.name);
                             TORCH_CHECK_NOT_IMPLEMENTED(!(isFwGradDefined(x) || ...) && !isFwGradDefined(out),
                                                         d.name,
                                                         "(): functions with out=... arguments don't support forward "
                                                         "mode, but one of the arguments has a tangent.");
                             const at::AutoDispatchBelowAutograd below;
                             op.redispatch(keys & c10::after_autograd_keyset, x..., p..., out);
                           }));
    m.impl(overload.c_str(),
           torch::dispatch(c10::DispatchKey::ADInplaceOrView,
                           [op](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p, Tensor const& out)
                           {
                             {
                               const at::AutoDispatchBelowADInplaceOrView below;
                               op.redispatch(keys & c10::after_ADInplaceOrView_keyset, x..., p..., out);
                             }
                             torch::autograd::increment_version(out);
                           }));
    m.impl(overload.c_str(),
           torch::dispatch(c10::DispatchKey::Negative,
                           [op](c10::DispatchKeySet keys, tensor<T>... x, real<P>... p, Tensor const& out)
                           {
                             const Tensor y = out.resolve_neg();
                             op.redispatch(keys & after_negative, x.resolve_neg()..., p..., y);
                             out.copy_(y);
                           }));
  }

  void define_in_place()
  {
    const std::string in_place = name + "_";
    declare(m, d, in_place + "(Tensor(a!) input" + declared_parameters(d) + ") -> ()");
    compute_by(
      m, in_place, [&d = d](Tensor const& x, real<P>... p) { compute_into(x, d, form::result, values{p...}, x); });
    const auto op = find<void(Tensor const&, real<P>...)>(in_place);
    m.impl(in_place.c_str(),
           torch::dispatch(c10::DispatchKey::Autograd,
                           [op, &d = d, &rules = rules](c10::DispatchKeySet keys, Tensor const& x, real<P>... p)
                           {
                             using autograd = differentiable<inputs, parameters>;
                             const bool requires_grad = torch::autograd::compute_requires_grad(x);
                             torch::autograd::check_inplace(x, requires_grad);
                             const bool keeps = requires_grad && has_gradient_from_result(d, values{p...}, x);
                             node_owner node;
                             if (requires_grad)
                             {
                               node = new_node(
                                 rules.function.name, keeps ? rules.from_result : rules.from_inputs, values{p...}, x);
                               if (!keeps)
                                 node->save_input(x.clone());
                             }
                             Tensor tangent;
                             if (isFwGradDefined(x)) // of copies, for a backward pass through the tangent
                               tangent = autograd::tangent(rules, {x.clone()}, {p...});
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
                             if (tangent.defined())
                               x._fw_grad(0).copy_(tangent);
                           }));
    m.impl(in_place.c_str(),
           torch::dispatch(c10::DispatchKey::ADInplaceOrView,
                           [op](c10::DispatchKeySet keys, Tensor const& x, real<P>... p)
                           {
                             {
                               const at::AutoDispatchBelowADInplaceOrView below;
                               op.redispatch(keys & c10::after_ADInplaceOrView_keyset, x, p...);
                             }
                             torch::autograd::increment_version(x);
                           }));
    m.impl(in_place.c_str(),
           torch::dispatch(c10::DispatchKey::Negative,
                           [op](c10::DispatchKeySet keys, Tensor const& x, real<P>... p)
                           {
                             const Tensor y = x.resolve_neg();
                             op.redispatch(keys & after_negative, y, p...);
                             x.copy_(y);
                           }));
  }
};

/// The most parameters that a function has so far: operators with more need not be compiled.
constexpr std::size_t most_parameters = 3;

template <std::size_t Inputs, std::size_t Parameters = 0>
void define_with(torch::Library& m, nozzle_description const& d)
{
  if (static_cast<std::size_t>(d.parameters) == Parameters)
    definition<std::make_index_sequence<Inputs>, std::make_index_sequence<Parameters>>{m, d}.define();
  else if constexpr (Parameters < most_parameters)
    define_with<Inputs, Parameters + 1>(m, d);
  else
    TORCH_CHECK(false, d.name, ": no operators for ", d.parameters, " parameters");
}

void define(torch::Library& m, nozzle_description const& d)
{
  d.inputs == 1 ? define_with<1>(m, d) : define_with<2>(m, d);
}

} // namespace

} // namespace nozzle_torch

TORCH_LIBRARY(nozzle, m)
{
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
    nozzle_torch::define(m, *nozzle_describe(op));
}
