#include "perf/tune/cell.hpp"

#include <algorithm>

namespace perf
{

std::string name(nozzle::cost c)
{
  constexpr char const* costs[] = {"clamp", "arithmetic", "exp", "heavy"};
  return costs[static_cast<int>(c)];
}

std::string name(cell const& c)
{
  return name(c.cost_class) + ", elements of " + std::to_string(c.element_bytes)
         + (c.element_bytes == 1 ? " byte, " : " bytes, ") + (c.several_inputs ? "several inputs" : "one input");
}

std::vector<cell> table_cells()
{
  using names = std::vector<std::string>;
  struct kind
  {
    nozzle::cost cost_class;
    names of_one_input;
    names of_several;
  };
  const kind kinds[] = {{nozzle::cost::clamp, {"hardtanh", "relu"}, {"hardtanh_gradient"}},
                        {nozzle::cost::arithmetic, {"hardsigmoid"}, {"hardsigmoid_gradient"}},
                        {nozzle::cost::exp, {"sigmoid", "silu", "mish"}, {"swiglu"}},
                        {nozzle::cost::heavy, {"gelu"}, {"gelu_gradient"}}};
  const std::pair<std::size_t, names> types_by_bytes[] = {
    {1, {"e4m3"}}, {2, {"half", "bf16"}}, {4, {"float"}}, {8, {"double"}}};
  std::vector<cell> all;
  for (kind const& k : kinds)
  {
    for (auto const& [bytes, types] : types_by_bytes)
    {
      all.push_back({k.cost_class, bytes, false, k.of_one_input, types});
      all.push_back({k.cost_class, bytes, true, k.of_several, types});
    }
  }
  return all;
}

std::vector<std::string> functions_of_cells()
{
  std::vector<std::string> all;
  for (cell const& c : table_cells())
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
