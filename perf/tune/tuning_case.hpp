#pragma once

#include <nozzle/work.hpp>

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

namespace perf
{

/// A row of the table: a kind of work, and the functions and types that stand for all of it.
struct work_kind
{
  nozzle::cost cost_class;
  std::size_t element_bytes;
  bool several_inputs;
  std::vector<std::string> functions;
  std::vector<std::string> types;

  /// Read and written.
  std::size_t bytes_per_element() const
  {
    return element_bytes * (several_inputs ? 3 : 2);
  }
};

/// "clamp"
std::string name(nozzle::cost c);

/// "clamp, elements of 4 bytes, one input"
std::string name(work_kind const& c);

/// Those of the whole table, in its order.
std::vector<work_kind> table_kinds();

/// All functions of the kinds, each once.
std::vector<std::string> functions_of_kinds();

/// Where a call stands while the shapes are timed.
enum class setting
{
  company_graph,  ///< among foreign kernels, in a CUDA graph
  company_stream, ///< the same, launch after launch
  cold,           ///< in a chain of its own kind, its data in memory
  warm            ///< the same, its data where the call before left it
};

/// As a file of times has them.
inline constexpr char const* setting_names[] = {"graph", "stream", "cold", "warm"};

constexpr bool is_company(setting s)
{
  return s == setting::company_graph || s == setting::company_stream;
}

/// What the shapes are timed on: a function on a type at a size, in a setting.
struct tuning_case
{
  std::string function;
  std::string type;
  std::size_t n;
  perf::setting setting;

  friend bool operator<(tuning_case const& a, tuning_case const& b)
  {
    return std::tie(a.function, a.type, a.n, a.setting) < std::tie(b.function, b.type, b.n, b.setting);
  }
};

/// "silu/half/4096, warm"
inline std::string name(tuning_case const& c)
{
  return c.function + "/" + c.type + "/" + std::to_string(c.n) + ", " + setting_names[static_cast<int>(c.setting)];
}

/// A size that is measured, and the elements for each multiprocessor up to which it speaks for others.
struct tuning_size
{
  unsigned limit;
  std::size_t n;
};

/// The tuned sizes up to `most` elements: whole rows of company, each about 1.5 times the one before.
std::vector<tuning_size> tuning_sizes(int multiprocessors, std::size_t most);

/// Those in which a kind's functions are timed at this size.
std::vector<setting> settings_of(work_kind const& c, std::size_t n, std::size_t l2_bytes);

/// All cases of a kind at a size.
std::vector<tuning_case> cases_of(work_kind const& c, std::size_t n, std::size_t l2_bytes);

} // namespace perf
