#include "perf/tune/tuning_case.hpp"

#include "perf/company/chain.hpp"

#include <algorithm>

namespace perf
{

namespace
{

/// Powers of two and, where kernels of different shapes change places, one between every two; at last what makes 4096
/// x 393216 on an H200.
std::vector<unsigned> limits()
{
  std::vector<unsigned> all;
  for (unsigned elements = 32; elements < 65536; elements *= 2)
    all.insert(all.end(), {elements, elements + elements / 2});
  all.insert(all.end(), {1u << 16, 1u << 17, 1u << 19, 1u << 21, 1u << 23, 3u << 22});
  return all;
}

/// As users' sizes it has few binary digits, and does not fill the last warp of every multiprocessor. 0 if no row fits.
std::size_t size_for(unsigned limit, int multiprocessors)
{
  const std::size_t full = static_cast<std::size_t>(limit) * static_cast<std::size_t>(multiprocessors);
  const std::size_t n = full / 32 * 31;
  std::size_t last_digit = row_elements;
  while (n / last_digit >= 64)
    last_digit *= 2;
  const std::size_t rounded = (n + last_digit - 1) / last_digit * last_digit;
  return rounded <= full ? rounded : rounded - last_digit;
}

} // namespace

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

std::vector<tuning_size> tuning_sizes(int multiprocessors, std::size_t most)
{
  std::vector<tuning_size> all;
  for (unsigned limit : limits())
  {
    const std::size_t n = size_for(limit, multiprocessors);
    if (n > (all.empty() ? 0 : all.back().n) && n <= most)
      all.push_back({limit, n});
  }
  return all;
}

std::vector<setting> settings_of(work_kind const& c, std::size_t n, std::size_t l2_bytes)
{
  std::vector<setting> all = {setting::cold};
  if (n * c.bytes_per_element() <= 2 * l2_bytes)
    all.push_back(setting::warm);
  if (n <= std::size_t(1) << 24)
    all.insert(all.end(), {setting::company_graph, setting::company_stream});
  return all;
}

std::vector<tuning_case> cases_of(work_kind const& c, std::size_t n, std::size_t l2_bytes)
{
  std::vector<tuning_case> all;
  for (std::string const& function : c.functions)
  {
    for (std::string const& type : c.types)
    {
      for (setting s : settings_of(c, n, l2_bytes))
        all.push_back({function, type, n, s});
    }
  }
  return all;
}

} // namespace perf
