#pragma once

#include <nozzle/nozzle.h>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>
#include <c10/util/intrusive_ptr.h>
#include <c10/util/SmallVector.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nozzle_torch
{

/// A derivative: an operator of the gradient by the result, the saved tensors from `first` on, the parameters and, if
/// it is a second derivative, the number of the input.
struct derivative
{
  c10::OperatorHandle op;
  std::size_t first = 0;
  std::optional<std::int64_t> input = std::nullopt;

  at::Tensor operator()(at::Tensor const& g, at::TensorList saved, c10::ArrayRef<double> p) const
  {
    torch::jit::Stack stack{g};
    stack.reserve(saved.size() + p.size() + 2);
    stack.insert(stack.end(), saved.begin() + first, saved.end());
    stack.insert(stack.end(), p.begin(), p.end());
    if (input)
      stack.emplace_back(*input);
    op.callBoxed(stack);
    return std::move(stack.front()).toTensor();
  }
};

/// What autograd keeps of a call. It is a node as PyTorch's own are: torch.func refuses torch::autograd::Function.
class backward_node : public torch::autograd::Node
{
public:
  /// With a derivative for each input.
  backward_node(char const* name, std::vector<derivative> const& derivatives, c10::ArrayRef<double> p)
    : name_(name)
    , derivatives_(derivatives)
    , parameters_(p)
  {
  }

  /// Before the call: an input, or a copy of one that the call overwrites.
  void save_input(at::Tensor const& x) { saved_.emplace_back(x, false); }

  /// After the call, when this is y's history and y has its tangent.
  void save_result(at::Tensor const& y, bool is_in_place)
  {
    saves_result_ = true;
    saved_.emplace_back(); // stays undefined if a hook throws, when y already has this node
    saved_.back() = torch::autograd::SavedVariable(y, true, is_in_place && y.is_view());
  }

  std::string name() const override { return "nozzle::" + std::string(name_) + "_backward"; }

  void release_variables() override
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (torch::autograd::SavedVariable& variable : saved_)
      variable.reset_data();
  }

  torch::autograd::variable_list apply(torch::autograd::variable_list&& gradients) override
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    torch::autograd::variable_list result(derivatives_.size());
    if (!gradients[0].defined())
      return result;
    std::vector<at::Tensor> saved;
    for (torch::autograd::SavedVariable const& variable : saved_)
    {
      saved.push_back(variable.unpack(saves_result_ ? getptr() : nullptr));
      TORCH_CHECK(saved.back().defined(), name(), ": its result was not kept, as a hook failed");
    }
    for (std::size_t i = 0; i < result.size(); ++i)
      if (task_should_compute_output(i))
        result[i] = derivatives_[i](gradients[0], saved, parameters_);
    return result;
  }

private:
  char const* name_;
  std::vector<derivative> const& derivatives_;
  c10::SmallVector<double, NOZZLE_MAX_PARAMETERS> parameters_;
  std::vector<torch::autograd::SavedVariable> saved_;
  bool saves_result_ = false;
};

/// As PyTorch owns its nodes: by std::shared_ptr, in later versions by c10::intrusive_ptr.
using node_owner =
  std::conditional_t<std::is_same_v<decltype(torch::autograd::Edge::function), std::shared_ptr<torch::autograd::Node>>,
                     std::shared_ptr<backward_node>,
                     c10::intrusive_ptr<backward_node>>;

template <class Owner, class... Arguments>
Owner make_node(Arguments const&... a)
{
  if constexpr (std::is_same_v<Owner, std::shared_ptr<backward_node>>)
    return Owner(new backward_node(a...), [](auto* node) { deleteNode(node); }); // PyTorch's, for shared nodes alone
  else
    return Owner::make(a...);
}

} // namespace nozzle_torch
