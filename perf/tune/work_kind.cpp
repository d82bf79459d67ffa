#include "perf/tune/work_kind.hpp"

#include <algorithm>

namespace perf
{

std::string name(nozzle::cost c)
{
  constexpr char const* costs[] = {"clamp", "arithmetic", "exp", "heavy"};
  return costs[static_cast<int>(c)];
}

std::string name(work_kind const& c)
{
  return name(c.cost_class) + ", elements of " + std::to_string(c.element_bytes)
         + (c.element_bytes == 1 ? " byte, " : " bytes, ") + (c.several_inputs ? "several inputs" : "one input");
}

std::vector<work_kind> table_kinds()
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
  std::vector<work_kind> all;
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

std::vector<std::string> functions_of_kinds()
{
  std::vector<std::string> all;
  for (work_kind const& c : table_kinds())
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
