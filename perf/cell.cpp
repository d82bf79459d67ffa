#include "cell.hpp"

#include <algorithm>
#include <utility>

namespace perf
{

char const* name(nozzle::cost cost_class)
{
  constexpr char const* names[] = {"clamp", "arithmetic", "exp", "heavy"};
  return names[static_cast<int>(cost_class)];
}

std::string name(cell const& c)
{
  return std::string(name(c.cost_class)) + ", elements of " + std::to_string(c.element_bytes)
         + (c.element_bytes == 1 ? " byte, " : " bytes, ") + (c.several_inputs ? "several inputs" : "one input");
}

std::vector<cell> cells()
{
  struct kind
  {
    nozzle::cost cost_class;
    bool several_inputs;
    std::vector<std::string> functions;
  };
  const kind kinds[] = {{nozzle::cost::clamp, false, {"hardtanh", "relu"}},
                        {nozzle::cost::clamp, true, {"hardtanh_gradient"}},
                        {nozzle::cost::arithmetic, false, {"hardsigmoid"}},
                        {nozzle::cost::arithmetic, true, {"hardsigmoid_gradient"}},
                        {nozzle::cost::exp, false, {"sigmoid", "silu", "mish"}},
                        {nozzle::cost::exp, true, {"swiglu"}},
                        {nozzle::cost::heavy, false, {"gelu"}},
                        {nozzle::cost::heavy, true, {"gelu_gradient"}}};
  const std::pair<std::size_t, std::vector<std::string>> types_by_bytes[] = {
    {1, {"e4m3"}}, {2, {"half", "bf16"}}, {4, {"float"}}, {8, {"double"}}};
  std::vector<cell> all;
  for (int cost = 0; cost < nozzle::detail::cost_classes; ++cost)
  {
    for (auto const& [bytes, types] : types_by_bytes)
    {
      for (kind const& k : kinds)
      {
        if (static_cast<int>(k.cost_class) == cost)
          all.push_back({k.cost_class, types, bytes, k.several_inputs, k.functions});
      }
    }
  }
  return all;
}

std::vector<cell> cells_of(std::vector<std::string> const& functions)
{
  std::vector<cell> all = cells();
  for (cell& c : all)
  {
    const auto is_other = [&](std::string const& f)
    { return std::find(functions.begin(), functions.end(), f) == functions.end(); };
    c.functions.erase(std::remove_if(c.functions.begin(), c.functions.end(), is_other), c.functions.end());
  }
  return all;
}

std::vector<std::string> functions_of_cells()
{
  std::vector<std::string> all;
  for (cell const& c : cells())
  {
    for (std::string const& f : c.functions)
    {
      if (std::find(all.begin(), all.end(), f) == all.end())
        all.push_back(f);
    }
  }
  return all;
}

} // namespace perf
