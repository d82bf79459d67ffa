#pragma once

#include <nozzle/detail/error.hpp>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

// What the ranges of a call must be, checked before anything is written.

namespace nozzle::detail
{

// Messages are made in functions of their own, so that the checks are inlined: together they cost a small call 4 ns.

[[noreturn]] inline void throw_reversed(std::ptrdiff_t by)
{
  throw std::invalid_argument("nozzle::transform: last precedes first by " + std::to_string(by) + " elements");
}

[[noreturn]] inline void throw_misaligned(char const* argument, void const* p, std::size_t alignment)
{
  throw std::invalid_argument(std::string("nozzle::transform: ") + argument + " = " + address(p)
                              + " is not aligned to the " + std::to_string(alignment)
                              + " bytes that its elements need");
}

[[noreturn]] inline void throw_overlap(
  std::size_t n, char const* out_name, void const* out, char const* in_name, void const* in)
{
  throw std::invalid_argument(std::string("nozzle::transform: ") + out_name + " = " + address(out)
                              + " overlaps part of " + in_name + " = " + address(in) + " over n = " + std::to_string(n)
                              + " elements; it must equal an input, element for element, or lie apart from it");
}

/// The elements of a range. Throws std::invalid_argument if it ends before it begins.
template <class Iterator>
inline std::size_t extent(Iterator first, Iterator last)
{
  const auto n = last - first;
  if (n < 0)
    throw_reversed(-n);
  return static_cast<std::size_t>(n);
}

template <class T>
bool is_aligned(T const* p)
{
  return reinterpret_cast<std::uintptr_t>(p) % alignof(T) == 0;
}

/// Throws std::invalid_argument unless `p` is aligned for a T.
template <class T>
void check_element_alignment(char const* argument, T const* p)
{
  if (!detail::is_aligned(p))
    detail::throw_misaligned(argument, p, alignof(T));
}

/// Throws std::invalid_argument if the output overlaps part of an input, or an input with elements of another size: the
/// result would depend on the order of the writes.
inline void check_overlap(std::size_t n,
                          char const* out_name,
                          void const* out,
                          std::size_t out_size,
                          char const* in_name,
                          void const* in,
                          std::size_t in_size)
{
  const auto o = reinterpret_cast<std::uintptr_t>(out);
  const auto i = reinterpret_cast<std::uintptr_t>(in);
  const bool same = o == i && out_size == in_size;
  const bool apart = o + n * out_size <= i || i + n * in_size <= o;
  if (!same && !apart)
    throw_overlap(n, out_name, out, in_name, in);
}

/// Both checks, for the output and every input.
template <class Out, class... In>
inline void check_ranges(std::size_t n, Out const* out, In const*... in)
{
  detail::check_element_alignment("result", out);
  char const* const names[] = {"first", "first2", "first3"};
  char const* const* name = names;
  const auto check_input = [&](auto const* p)
  {
    detail::check_element_alignment(*name, p);
    detail::check_overlap(n, "result", out, sizeof *out, *name, p, sizeof *p);
    ++name;
  };
  (check_input(in), ...);
}

} // namespace nozzle::detail
