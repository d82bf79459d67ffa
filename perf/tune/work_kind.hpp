#pragma once

#include <nozzle/work.hpp>

#include <cstddef>
#include <string>
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

} // namespace perf
