#pragma once

#include <nozzle/detail/call/ranges.hpp>
#include <nozzle/detail/view/nest.hpp>

#include <cuda/std/array>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace nozzle::detail
{

/// A view as a set of bytes.
struct byte_set
{
  std::uintptr_t begin;
  std::size_t element_size;
  cuda::std::array<std::size_t, 3> extent;
  cuda::std::array<std::size_t, 3> stride; ///< in bytes
  unsigned mirrored = 0;                   ///< a bit for each stride that was negative

  friend bool operator==(byte_set const& a, byte_set const& b)
  {
    return a.begin == b.begin && a.element_size == b.element_size && a.extent == b.extent && a.stride == b.stride
           && a.mirrored == b.mirrored;
  }
};

/// A row that ends within a block is taken to have all of it.
template <class View>
byte_set byte_set_of(View const& view)
{
  const std::size_t columns = columns_of(view.extents());
  const std::size_t rows = rows_of(view.extents());
  const std::size_t view_block = detail::block_of(view);
  const std::size_t block = view_block == 0 ? columns : std::min(view_block, columns);
  const std::size_t blocks = (columns + block - 1) / block;
  const auto strides = detail::strides_of(view, block);
  const auto begin = reinterpret_cast<std::uintptr_t>(view.data_handle());
  byte_set f{begin, sizeof(typename View::element_type), {rows, blocks, block}, strides};
  if (blocks == 1) // two loops, of which overlaps_itself knows all
  {
    f.extent = {1, rows, block};
    f.stride = {0, strides[0], strides[2]};
  }
  for (std::size_t d = 0; d < 3; ++d)
  {
    f.stride[d] *= f.element_size;
    if (f.stride[d] > PTRDIFF_MAX) // a negative one: from the other end on
    {
      f.begin += f.stride[d] * (f.extent[d] - 1);
      f.stride[d] = 0 - f.stride[d];
      f.mirrored |= 1u << d;
    }
  }
  return f;
}

/// The bytes from its first to its last.
inline std::size_t span(byte_set const& f)
{
  std::size_t bytes = f.element_size;
  for (std::size_t d = 0; d < 3; ++d)
    bytes += f.stride[d] * (f.extent[d] - 1);
  return bytes;
}

/// What of it repeats with a period, once, moved to `begin`.
inline byte_set one_period_of(byte_set f, std::size_t period, std::size_t begin)
{
  f.begin = begin;
  for (std::size_t d = 0; d < 3; ++d)
    f.extent[d] = f.stride[d] % period == 0 ? 1 : f.extent[d];
  return f;
}

inline bool are_apart(byte_set const& a, byte_set const& b);

/// Whether the period holds both, repeated with it, and they lie apart in it.
inline bool are_apart_within(std::size_t period, byte_set const& a, byte_set const& b)
{
  const bool b_ahead = b.begin >= a.begin;
  const std::size_t apart = (b_ahead ? b.begin - a.begin : a.begin - b.begin) % period; // from the front one's begin
  const byte_set front = one_period_of(b_ahead ? a : b, period, 0);
  const byte_set behind = one_period_of(b_ahead ? b : a, period, apart);
  const bool front_fits = span(front) <= period;
  const bool behind_fits = span(behind) <= period - apart;
  return front_fits && behind_fits && are_apart(front, behind);
}

/// Whether no byte is in both, as far as this sees. They lie apart if
/// - one ends before the other begins, or
/// - both repeat with a period in which each has an interval of its own: aaabbb aaabbb, a packed matrix's halves, or
/// - one period holds both, and they lie apart in it: ababab ababab, interleaved pairs in rows. It has a loop less.
inline bool are_apart(byte_set const& a, byte_set const& b)
{
  if (a.begin + span(a) <= b.begin || b.begin + span(b) <= a.begin)
    return true;
  for (byte_set const* f : {&a, &b})
  {
    for (std::size_t d = 0; d < 3; ++d)
    {
      const bool repeats = f->stride[d] != 0 && f->extent[d] > 1;
      if (repeats && are_apart_within(f->stride[d], a, b))
        return true;
    }
  }
  return false;
}

/// Whether two of its elements may share memory. With one or two loops the answer is exact. With three it may be true
/// although none do.
inline bool overlaps_itself(byte_set const& f)
{
  for (std::size_t d = 0; d < 3; ++d)
  {
    if (f.extent[d] == 1)
      continue;
    std::size_t within = f.element_size; // what the loops of smaller strides cover
    for (std::size_t e = 0; e < 3; ++e)
    {
      if (e != d && (f.stride[e] < f.stride[d] || (f.stride[e] == f.stride[d] && e > d)))
        within += f.stride[e] * (f.extent[e] - 1);
    }
    if (f.stride[d] < within)
    {
      // Two loops may lie between each other: they meet after stride[2] / common steps of one and stride[1] / common
      // of the other, or never.
      const std::size_t common = std::gcd(f.stride[1], f.stride[2]);
      return f.extent[0] > 1 || common == 0
             || (f.extent[1] > f.stride[2] / common && f.extent[2] > f.stride[1] / common);
    }
  }
  return false;
}

[[noreturn]] inline void throw_view_overlap(std::string const& result, std::string const& other, char const* rule)
{
  throw std::invalid_argument("nozzle::transform: " + result + " overlaps " + other + ": " + rule);
}

/// Throws std::invalid_argument unless each result's elements are its own, and equal an input's or lie apart from them.
/// name(k) is what the message calls operand k, results first.
template <std::size_t K, class Name>
void check_overlap(cuda::std::array<byte_set, K> const& f, std::size_t outputs, Name const& name)
{
  for (std::size_t k = 0; k < outputs; ++k)
  {
    if (overlaps_itself(f[k]))
      throw_view_overlap(name(k), "itself", "its strides give several elements one address");
    for (std::size_t j = k + 1; j < K; ++j)
    {
      const bool may_be_equal = j >= outputs;
      if (!(may_be_equal && f[k] == f[j]) && !are_apart(f[k], f[j]))
        throw_view_overlap(name(k),
                           name(j),
                           may_be_equal ? "it must equal an input, element for element, or lie apart from it"
                                        : "results must lie apart");
    }
  }
}

/// Throws std::invalid_argument as check_element_alignment and check_overlap do. The first `Results` views are results;
/// name(k) is that of view k.
template <std::size_t Results, class Name, class... View>
void check_views(Name const& name, View const&... view)
{
  std::size_t k = 0;
  const auto check_alignment = [&](auto const* p)
  {
    if (!detail::is_aligned(p))
      detail::throw_misaligned(name(k).c_str(), p, alignof(std::decay_t<decltype(*p)>));
    ++k;
  };
  (check_alignment(view.data_handle()), ...);
  const cuda::std::array<byte_set, sizeof...(View)> all{detail::byte_set_of(view)...};
  detail::check_overlap(all, Results, name);
}

} // namespace nozzle::detail
