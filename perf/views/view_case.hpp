#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace perf
{

/// A way to do a case's work.
struct view_variant
{
  std::string name;
  std::function<void(std::byte* set)> run; ///< enqueues a call on the stream; its operands begin at `set`
};

/// A form of call on matrices of one type and size.
struct view_case
{
  std::string form;
  std::string function;
  std::string type;
  std::size_t rows;
  std::size_t columns; ///< of the result
  std::size_t moved_bytes;
  std::size_t set_bytes;              ///< of the memory that holds a call's operands
  std::size_t input_bytes;            ///< of them the first are inputs
  std::size_t output_bytes;           ///< then outputs; what is behind is read too
  std::vector<view_variant> variants; ///< nozzle first; those named plain give its results, bit for bit
};

/// The cases of a type. `rows` and `columns` are those of each matrix.
template <class T>
std::vector<view_case> view_cases(std::size_t rows, std::size_t columns);

} // namespace perf
