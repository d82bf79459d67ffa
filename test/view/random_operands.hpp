#pragma once

#include "test/support/random_numbers.hpp"

#include <nozzle/view.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

/// Where a view lies, whatever its elements' type is.
struct operand
{
  using mapping = nozzle::layout_interleaved::mapping<cuda::std::dextents<std::size_t, 2>>; // of one block: any strides

  unsigned char* data;
  std::size_t size; ///< of an element
  mapping layout;

  template <class T>
  nozzle::interleaved_view<T> as() const
  {
    return nozzle::interleaved_view<T>(reinterpret_cast<T*>(data), layout);
  }
};

/// Memory begins at a multiple of 32 bytes, so that the seed alone decides which vectors fit.
template <class T>
struct aligned_allocator
{
  using value_type = T;
  static constexpr std::align_val_t alignment{32};

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), alignment)); }

  void deallocate(T* data, std::size_t) { ::operator delete(data, alignment); }

  bool operator==(aligned_allocator) const { return true; }

  bool operator!=(aligned_allocator) const { return false; }
};

using aligned_bytes = std::vector<unsigned char, aligned_allocator<unsigned char>>;

/// A call's operands, results first: `sizes` are their elements'. All else follows from the seed. Each has memory of
/// its own, which ends with its last element; pairs share it.
class random_operands
{
public:
  random_operands(std::uint64_t seed, std::vector<std::size_t> const& sizes, std::size_t results)
    : draw(seed)
  {
    for (std::size_t k = 0; k < sizes.size(); ++k)
    {
      const std::size_t left = (k < results ? results : sizes.size()) - k;
      if (left % 2 == 0 && sizes[k] == sizes[k + 1] && sometimes(has_pairs))
        add_pair(sizes[k++]);
      else
        add(sizes[k], k >= results && has_values);
    }
    const bool is_in_place = draw.below(4) == 0; // the last inputs are the results
    for (std::size_t k = 0, input = sizes.size() - results; k < results; ++k, ++input)
      if (is_in_place && sizes[k] == sizes[input])
        operands[input] = operands[k];
  }

  std::string description() const
  {
    std::string text = std::to_string(threads) + (is_backwards ? " threads backwards" : " threads");
    for (auto const& [data, size, layout] : operands)
    {
      const auto place = reinterpret_cast<std::uintptr_t>(data) % 32;
      text += "; " + std::to_string(size) + " bytes each, at byte " + std::to_string(place)
              + ", rows, columns, strides, block:";
      const auto& extents = layout.extents();
      for (std::size_t number :
           {extents.extent(0), extents.extent(1), layout.row_stride(), layout.column_stride(), layout.block()})
        text += " " + std::to_string(number);
    }
    return text;
  }

  void restore(std::vector<aligned_bytes> const& values)
  {
    for (std::size_t k = 0; k < memory.size(); ++k)
      std::copy(values[k].begin(), values[k].end(), memory[k].begin());
  }

  random_numbers draw;
  const bool is_whole = draw.below(5) < 3;    ///< whole vectors, as far as the rest allows
  const bool has_pairs = draw.below(2) == 0;  ///< every second column or block of columns
  const bool has_values = draw.below(3) == 0; ///< inputs of one row or one column
  const bool has_steps = draw.below(4) == 0;  ///< between columns, or transposed
  const bool is_backwards = draw.below(2) == 0;
  const int threads = 32 << draw.below(6);
  const std::size_t rows = 1 + draw.below(6);
  const std::size_t columns = is_whole ? 16 * (1 + draw.below(6)) : 1 + draw.below(140);
  const std::size_t block = columns % 4 == 0 && draw.below(8) == 0 ? columns / 4 : columns; ///< several: three loops
  const int count = static_cast<int>(draw.below(rows + 4)) - 2;                             ///< of valid rows
  std::vector<aligned_bytes> memory;
  std::vector<operand> operands;

private:
  using mapping = operand::mapping;

  /// Draws in any case, so that what follows does not depend on the feature.
  bool sometimes(bool feature) { return draw.below(3) != 0 && feature; }

  std::size_t gap() { return is_whole ? 16 * draw.below(2) : draw.below(20); }

  void add(std::size_t size, bool may_be_values)
  {
    const std::size_t own_rows = sometimes(may_be_values) ? 1 : rows;
    const std::size_t own_columns = sometimes(may_be_values) ? 1 : columns;
    const std::size_t own_block = own_columns == 1 ? 1 : block;
    const std::size_t step = sometimes(has_steps) ? 1 + draw.below(3) : 1;
    const std::size_t pitch = mapping(1, own_columns, own_block, 1, step).required_span_size() + gap();
    mapping layout(own_rows, own_columns, own_block, pitch, step);
    if (sometimes(has_steps)) // transposed
      layout = mapping(own_rows, own_columns, own_block, step, step * own_rows + gap());
    operands.push_back({allocate(size, layout.required_span_size()), size, layout});
  }

  void add_pair(std::size_t size)
  {
    const std::size_t own_block = draw.below(4) == 0 ? block : 1;
    const mapping layout(rows, columns, own_block, 2 * columns + gap(), 1); // of either half
    unsigned char* const first = allocate(size, own_block + layout.required_span_size());
    operands.push_back({first, size, layout});
    operands.push_back({first + own_block * size, size, layout});
    if (draw.below(2) == 0)
      std::iter_swap(operands.end() - 2, operands.end() - 1);
  }

  unsigned char* allocate(std::size_t size, std::size_t elements)
  {
    const std::size_t ahead = is_whole ? (draw.below(8) == 0 ? 16 / size : 0) : draw.below(20);
    aligned_bytes bytes((ahead + elements) * size);
    for (unsigned char& byte : bytes)
      byte = static_cast<unsigned char>(draw.next());
    memory.push_back(std::move(bytes));
    return memory.back().data() + ahead * size;
  }
};
