#pragma once

#include <nozzle/work.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace perf
{

/// A cell of the table: a kind of work, and the functions and types that stand for all of it.
struct cell
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
std::string name(cell const& c);

/// Those of the whole table, in its order.
std::vector<cell> table_cells();

/// All functions of the cells, each once.
std::vector<std::string> functions_of_cells();

} // namespace perf
