#pragma once

#include "test/support/evaluate.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/system.hpp"

#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <cuda/std/tuple>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

template <class... Ts>
cuda::std::tuple<Ts...> list(Ts const&... values)
{
  return cuda::std::tuple<Ts...>(values...);
}

/// Memory that all of a call's views lie in, filled with random values.
template <class T>
class arena
{
public:
  explicit arena(std::size_t size, unsigned seed = 1)
    : before(random_values(size, seed))
    , memory(before)
  {
  }

  T* data() { return memory.data(); }

  /// What a view's elements were before the call, row by row; one row or column stands for all.
  template <class View>
  std::vector<T> gather(View const& view, std::size_t rows, std::size_t columns)
  {
    std::vector<T> elements;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        elements.push_back(before[position(view, r, c)]);
    return elements;
  }

  /// Says that a view's first rows are expected to hold these values.
  template <class View>
  void expect(View const& view, std::vector<T> const& values, std::size_t rows)
  {
    if (expected.empty())
      expected = before;
    const auto columns = static_cast<std::size_t>(view.extent(1));
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c)
        expected[position(view, r, c)] = values[r * columns + c];
  }

  /// The elements that are not what is expected; what no view holds is expected to be as before.
  std::size_t count_wrong()
  {
    const std::vector<T> after = memory.values();
    std::vector<T> const& right = expected.empty() ? before : expected;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < after.size(); ++i)
      wrong += std::memcmp(&after[i], &right[i], sizeof(T)) == 0 ? 0 : 1;
    return wrong;
  }

private:
  /// A part, which the seed says, of a table that repeats.
  static std::vector<T> random_values(std::size_t size, unsigned seed)
  {
    static const std::vector<T> table = []
    {
      std::mt19937 random(1);
      std::uniform_real_distribution<float> uniform(-4, 4);
      std::vector<T> values;
      for (int i = 0; i < 9973; ++i)
        values.push_back(static_cast<T>(uniform(random)));
      return values;
    }();
    std::vector<T> values;
    for (std::size_t i = 0; i < size; ++i)
      values.push_back(table[(seed + i) % table.size()]);
    return values;
  }

  template <class View>
  std::size_t position(View const& view, std::size_t row, std::size_t column)
  {
    using index = typename View::index_type;
    const auto first = static_cast<std::size_t>(view.data_handle() - data());
    const auto r = static_cast<index>(view.extent(0) == 1 ? 0 : row);
    const auto c = static_cast<index>(view.extent(1) == 1 ? 0 : column);
    return first + static_cast<std::size_t>(view.mapping()(r, c));
  }

  std::vector<T> before;
  std::vector<T> expected;
  guarded_buffer<T> memory;
};

/// What op gives over contiguous ranges of these values.
template <class T, class Op, class... In>
std::vector<T> transform_ranges(Op op, std::vector<T> const& first, In const&... rest)
{
  guarded_buffer<T> out(first.size());
  guarded_buffer<T> x(first);
  const auto call = [&](auto&&... others)
  { nozzle::transform(device_system::par, x.begin(), x.end(), others.begin()..., out.begin(), op); };
  call(guarded_buffer<T>(rest)...);
  return out.values();
}

/// A selector that takes no small vectors.
inline nozzle::plan whole_vectors(nozzle::work const& w, nozzle::machine const& m)
{
  nozzle::plan p = nozzle::plan_for(w, m);
  if (p.shape.kernel == nozzle::kernel::small_rows)
    p.shape.kernel = nozzle::detail::kernel_for(w.layout);
  return p;
}

/// How many elements of the arena are not what nozzle::transform over views of it should leave: `parts` are op for each
/// result.
template <class T, class Op, class... Parts, class... Out, class... In>
std::size_t count_wrong(arena<T>& a,
                        nozzle::selector select,
                        Op op,
                        cuda::std::tuple<Parts...> const& parts,
                        cuda::std::tuple<Out...> const& outputs,
                        In const&... in)
{
  const auto rows = static_cast<std::size_t>(cuda::std::get<0>(outputs).extent(0));
  const auto columns = static_cast<std::size_t>(cuda::std::get<0>(outputs).extent(1));
  const auto expect = [&](auto const& part, auto const& out)
  { a.expect(out, transform_ranges<T>(part, a.gather(in, rows, columns)...), rows); };
  cuda::std::apply([&](auto const&... part)
                   { cuda::std::apply([&](auto const&... out) { (expect(part, out), ...); }, outputs); },
                   parts);
  if constexpr (sizeof...(Out) == 1)
    nozzle::transform(device_system::par, in..., cuda::std::get<0>(outputs), op, select);
  else
    nozzle::transform(device_system::par, in..., outputs, op, select);
  return a.count_wrong();
}

inline int checked_calls = 0;

/// Fails unless nozzle::transform over views of the arena writes what it should.
template <class T, class Op, class... Parts, class... Out, class... In>
void check_views(
  arena<T>& a, Op op, cuda::std::tuple<Parts...> const& parts, cuda::std::tuple<Out...> const& outputs, In const&... in)
{
  // On all of a host's threads, on a GPU by whole vectors, or neither.
  constexpr nozzle::selector selectors[] = {nozzle::always_kernel, whole_vectors, nozzle::plan_for};
  CHECK(count_wrong(a, selectors[++checked_calls % 3], op, parts, outputs, in...) == 0);
}

/// The same of a functor of one result.
template <class T, class Op, class Out, class... In>
void check_view(arena<T>& a, Op op, Out const& out, In const&... in)
{
  check_views(a, op, list(op), list(out), in...);
}
