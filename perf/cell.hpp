#pragma once

#include <nozzle/plan.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace perf
{

/// A cell of the table: what its shapes are chosen for, by functions and types that stand for all of its kind.
struct cell
{
  nozzle::cost cost_class;
  std::vector<std::string> types;
  std::size_t element_bytes;
  bool several_inputs;
  std::vector<std::string> functions;
};

/// "clamp, elements of 4 bytes, one input"
std::string name(cell const& c);

char const* name(nozzle::cost cost_class);

/// Those of the whole table, in the order of their measurement.
std::vector<cell> cells();

/// The same with these of their functions alone; one that is left with none has no times.
std::vector<cell> cells_of(std::vector<std::string> const& functions);

/// All functions of the cells, each once.
std::vector<std::string> functions_of_cells();

} // namespace perf
