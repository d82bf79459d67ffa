#include "test/accuracy/accuracy_results.hpp"
#include "test/c_interface/built_rows.hpp"
#include "test/c_interface/nozzle_call.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/format.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/inputs.hpp"

#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

// Every call of the C interface gives what the functor of the catalogue gives, bit for bit. On CUDA all functions are
// called on floats and halfs, and a few on every type: a kernel takes a compiler longer than a loop.

namespace
{

using accuracy::results;

/// What `entry` of the C interface writes from these inputs.
template <class T, class Entry, class... Rest>
std::vector<T> through_c(Entry entry, nozzle_function const& f, std::vector<T> const& x, Rest const&... rest)
{
  guarded_buffer<T> y(x.size());
  const auto call = [&](auto&&... in)
  {
    const nozzle_status status = entry(&f, type_of<T>, x.size(), in.data()..., y.data(), place, nullptr);
    INFO(nozzle_last_error());
    REQUIRE(status == NOZZLE_OK);
  };
  call(guarded_buffer<T>(x), guarded_buffer<T>(rest)...);
  return y.values();
}

template <class T>
void check_same(std::string const& what, std::vector<T> const& got, std::vector<T> const& functors)
{
  REQUIRE(got.size() == functors.size());
  std::size_t i = 0;
  while (i < got.size() && same_number(got[i], functors[i]))
    ++i;
  if (i < got.size())
    FAIL_CHECK(what << ", type " << type_of<T> << ": element " << i << " is " << show(got[i]) << ", not "
                    << show(functors[i]));
}

template <class T, class Op>
void check_from_result(
  std::string const& what, Op op, nozzle_function const& f, std::vector<T> const& g, std::vector<T> const& y)
{
  if constexpr (nozzle::detail::has_gradient_from_result_v<Op>)
  {
    try
    {
      const auto slope = nozzle::gradient_from_result(op);
      check_same(what, through_c(nozzle_gradient_from_result, f, g, y), results(slope, g, y));
    }
    catch (std::invalid_argument const&)
    {
      CHECK(nozzle_gradient_from_result(&f, type_of<T>, 0, nullptr, nullptr, nullptr, place, nullptr)
            == NOZZLE_INVALID_ARGUMENT);
    }
  }
}

/// Every form of a functor, f in the C interface.
template <class T, int Inputs, class Op>
void check_forms(std::string const& what, Op op, nozzle_function const& f, std::vector<T> const& x)
{
  const std::vector<T> g = shuffled(x, 1);
  if constexpr (Inputs == 2)
  {
    const std::vector<T> b = shuffled(x, 2);
    check_same(what, through_c(nozzle_apply_two, f, x, b), results(op, x, b));
    check_same(
      what + ", by a", through_c(nozzle_gradient_first, f, g, x, b), results(nozzle::gradient<0>(op), g, x, b));
    check_same(
      what + ", by b", through_c(nozzle_gradient_second, f, g, x, b), results(nozzle::gradient<1>(op), g, x, b));
  }
  else
  {
    check_same(what, through_c(nozzle_apply, f, x), results(op, x));
    check_same(what + ", gradient", through_c(nozzle_gradient, f, g, x), results(nozzle::gradient(op), g, x));
    check_from_result(what + ", gradient from result", op, f, g, x);
  }
}

/// A row's functor, with defaults and with each set of parameters.
template <class T, class Row>
void check_row(Row const& row)
{
  nozzle_description const& d = description_of(row.name);
  const std::vector<T> x = inputs<T>(row.points());
  if (d.required == 0)
    check_forms<T, Row::inputs>(row.name, row.op, {d.op, 0, {}}, x);
  for (std::size_t i = 0; i < row.sets.size(); ++i)
  {
    nozzle_function f{d.op, static_cast<int>(row.sets[i].size()), {}};
    std::copy(row.sets[i].begin(), row.sets[i].end(), f.parameters);
    check_forms<T, Row::inputs>(row.name_with(row.sets[i]), row.with(row.sets[i]), f, x);
  }
}

/// Whether Op is one of those that stand for all on CUDA.
template <class Op>
inline constexpr bool stands_for_all_v = std::disjunction_v<std::is_same<Op, nozzle::hardtanh>,
                                                            std::is_same<Op, nozzle::softplus>,
                                                            std::is_same<Op, nozzle::swiglu>>;

} // namespace

TEST_CASE_TEMPLATE("results are the functors'", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  catalogue::for_each_row_of(
    built_rows,
    [](auto const& row)
    {
      constexpr bool is_checked_on_cuda = std::is_same_v<T, float> || std::is_same_v<T, __half>;
      if constexpr (!on_cuda || is_checked_on_cuda || stands_for_all_v<std::decay_t<decltype(row.op)>>)
        check_row<T>(row);
    });
}
