#pragma once

#include <nozzle/nozzle.h>

#include <ATen/core/Tensor.h>
#include <c10/util/intrusive_ptr.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nozzle_torch
{

/// A derivative: from the gradient by the result, the tensors that were saved, and the parameters.
using derivative = std::function<at::Tensor(at::Tensor const& g, at::Tensor const* saved, double const* p)>;

/// What autograd keeps of a call. It is a node as PyTorch's own are: torch.func refuses torch::autograd::Function.
class backward_node : public torch::autograd::Node
{
public:
  /// With a derivative for each input.
  backward_node(char const* name, std::vector<derivative> const& derivatives, c10::ArrayRef<double> p)
    : name_(name)
    , derivatives_(derivatives)
  {
    std::copy(p.begin(), p.end(), parameters_);
  }

  /// Before the call: an input, or a copy of one that the call overwrites.
  void save_input(at::Tensor const& x)
  {
    saved_.emplace_back(x, false);
  }

  /// After the call, when this is y's history and y has its tangent.
  void save_result(at::Tensor const& y, bool is_in_place)
  {
    saved_.emplace_back(y, true, is_in_place && y.is_view());
    saves_result_ = true;
  }

  std::string name() const override
  {
    return "nozzle::" + std::string(name_) + "_backward";
  }

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
      saved.push_back(variable.unpack(saves_result_ ? getptr() : nullptr));
    for (std::size_t i = 0; i < result.size(); ++i)
      if (task_should_compute_output(i))
        result[i] = derivatives_[i](gradients[0], saved.data(), parameters_);
    return result;
  }

private:
  char const* name_;
  std::vector<derivative> const& derivatives_;
  double parameters_[NOZZLE_MAX_PARAMETERS] = {};
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
    return Owner(new backward_node(a...), [](auto* node) { deleteNode(node); }); // which PyTorch has for these alone
  else
    return Owner::make(a...);
}

} // namespace nozzle_torch
