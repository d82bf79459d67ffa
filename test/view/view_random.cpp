#include "test/support/random_numbers.hpp"
#include "test/support/setting.hpp"
#include "test/view/arena.hpp"

#include <nozzle/activation/gated.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace
{

/// A call over views: all else follows from the seed.
struct random_case
{
  unsigned seed;
  std::size_t rows;
  std::size_t columns;
  bool has_offsets = true;
  bool has_strides = true;
};

random_case make_case(unsigned seed)
{
  random_numbers draw(seed);
  const std::size_t columns = 1 + (draw.below(2) == 0 ? 4 * draw.below(26) : draw.below(140));
  return {seed, 1 + draw.below(10), columns};
}

/// Draws the case's views from its memory, in which each has a place of its own.
class random_views
{
public:
  random_views(random_numbers& numbers, random_case const& of, float* memory)
    : draw(numbers)
    , c(of)
    , next(memory)
  {
  }

  /// What a view takes at most.
  static std::size_t room(random_case const& c) { return offsets + c.rows * (3 * c.columns + gaps) + c.columns; }

  nozzle::matrix_view<float> result() { return view(c.rows, c.columns); }

  /// The even and the odd columns of a matrix.
  std::pair<nozzle::matrix_view<float>, nozzle::matrix_view<float>> interleaved()
  {
    const std::size_t offset = below_or_zero(offsets + 1);
    const std::size_t gap = below_or_zero(gaps + 1);
    float* const data = next + (c.has_offsets ? offset : 0);
    const std::size_t pitch = 2 * c.columns + (c.has_strides ? gap : 0);
    next += room(c);
    const auto even = named(data, c.rows, c.columns, pitch, 2);
    return {even, named(data + 1, c.rows, c.columns, pitch, 2)};
  }

  nozzle::matrix_view<float> input()
  {
    const std::size_t kind = draw.below(10);
    return view(kind == 0 ? 1 : c.rows, kind == 1 ? 1 : c.columns);
  }

  std::string const& description() const { return said; }

private:
  static constexpr std::size_t offsets = 5;
  static constexpr std::size_t gaps = 9;

  /// In half of all cases a number below n.
  std::size_t below_or_zero(std::size_t n)
  {
    const bool is_zero = draw.below(2) == 0;
    return is_zero ? 0 : draw.below(n);
  }

  nozzle::matrix_view<float> view(std::size_t rows, std::size_t columns)
  {
    const std::size_t offset = below_or_zero(offsets + 1);
    const std::size_t step = draw.below(3) == 0 ? 1 + draw.below(3) : 1;
    const std::size_t gap = below_or_zero(gaps + 1);
    const bool by_columns = draw.below(8) == 0;
    float* const data = next + (c.has_offsets ? offset : 0);
    next += room(c);
    if (!c.has_strides)
      return named(data, rows, columns, columns, 1);
    if (by_columns)
      return named(data, rows, columns, step, rows * step + gap % 2);
    return named(data, rows, columns, columns * step + gap, step);
  }

  nozzle::matrix_view<float> named(float* data, std::size_t rows, std::size_t columns, std::size_t down, std::size_t on)
  {
    const auto address = reinterpret_cast<std::uintptr_t>(data) % 64;
    said += "; " + std::to_string(rows) + " x " + std::to_string(columns) + " by " + std::to_string(down) + " and "
            + std::to_string(on) + " at byte " + std::to_string(address) + " of a line";
    return nozzle::detail::strided_matrix(data, rows, columns, down, on);
  }

  random_numbers& draw;
  random_case const& c;
  float* next;
  std::string said;
};

/// What is wrong with the case, or nothing.
std::string complaint(random_case const& c)
{
  random_numbers draw(~c.seed);
  constexpr std::size_t zone = 64;
  arena<float> a(zone + 6 * random_views::room(c) + zone, c.seed);
  random_views views(draw, c, a.data() + zone);
  const nozzle::swiglu op;
  constexpr nozzle::selector selectors[] = {nozzle::plan_for, nozzle::always_kernel, whole_vectors};
  const nozzle::selector select = selectors[draw.below(3)];
  auto pair = views.interleaved();
  if (draw.below(2) == 0)
    std::swap(pair.first, pair.second);
  const bool takes_pair = draw.below(3) == 0;
  const auto first = takes_pair && draw.below(2) == 0 ? pair.first : views.result();
  std::string problem;
  try
  {
    if (draw.below(4) != 0)
    {
      const auto gate = takes_pair ? pair.first : draw.below(5) == 0 ? first : views.input();
      const auto up = takes_pair ? pair.second : views.input();
      if (const std::size_t wrong = count_wrong(a, select, op, list(op), list(first), gate, up))
        problem = std::to_string(wrong) + " elements are wrong: swiglu";
    }
    else
    {
      const auto parts = list(nozzle::gradient<0>(op), nozzle::gradient<1>(op));
      const auto second = takes_pair && draw.below(2) == 0 ? pair.second : views.result();
      const auto gate = takes_pair ? pair.first : draw.below(5) == 0 ? first : views.input();
      const auto up = takes_pair ? pair.second : draw.below(5) == 0 ? second : views.input();
      const auto results = list(first, second);
      if (const std::size_t wrong =
            count_wrong(a, select, nozzle::gradients(op), parts, results, views.input(), gate, up))
        problem = std::to_string(wrong) + " elements are wrong: gradients of swiglu";
    }
  }
  catch (std::exception const& e)
  {
    problem = e.what();
  }
  return problem.empty() ? problem : problem + views.description();
}

/// The case, which fails, with fewer rows and columns, contiguous and aligned where it fails so too.
random_case shrunk(random_case c)
{
  const auto try_with = [&c](random_case const& simpler)
  {
    const bool fails = !complaint(simpler).empty();
    if (fails)
      c = simpler;
    return fails;
  };
  const auto without = [&](bool random_case::*feature)
  {
    random_case simpler = c;
    simpler.*feature = false;
    try_with(simpler);
  };
  const auto least = [&](std::size_t random_case::*extent)
  {
    random_case simpler = c;
    for (simpler.*extent = 1; simpler.*extent < c.*extent; ++(simpler.*extent))
    {
      if (try_with(simpler))
        return;
    }
  };
  without(&random_case::has_offsets);
  without(&random_case::has_strides);
  least(&random_case::rows);
  least(&random_case::columns);
  return c;
}

} // namespace

TEST_CASE("random shapes, strides and places; NOZZLE_PROPERTY_CASES and NOZZLE_PROPERTY_SEED say how many, and which")
{
  const auto seed = static_cast<unsigned>(setting("NOZZLE_PROPERTY_SEED", 7));
  const auto cases = static_cast<unsigned>(setting("NOZZLE_PROPERTY_CASES", 25000));
  for (unsigned number = 0; number < cases; ++number)
  {
    const random_case c = make_case(seed + number);
    const std::string problem = complaint(c);
    if (!problem.empty())
      FAIL("NOZZLE_PROPERTY_SEED=" << c.seed << " NOZZLE_PROPERTY_CASES=1: " << problem
                                   << "\nsmallest: " << complaint(shrunk(c)));
  }
  MESSAGE(cases << " cases of views, seeds from " << seed << " on");
}
