#include "test/accuracy/accuracy.hpp"
#include "test/support/evaluate.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/detail/functor/result.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Functions from data of one type into another of 16 or 8 bits: they keep what is stated of the latter.

namespace
{

/// {op(x[i]...)}, as nozzle::transform writes it.
template <class Out, class Op, class... In>
std::vector<Out> transformed(Op const& op, std::vector<In> const&... x)
{
  return accuracy::results_into<Out>(nozzle::detail::adapt_op<Out*, In const*...>(op), x...);
}

/// y keeps `bound`, or is rounded once: what is exact in one type is rounded to another. It is compiled once for all
/// functions.
template <class Out, class... In>
void check_results(std::string const& name,
                   double bound,
                   std::vector<Out> const& y,
                   accuracy::truths<double> const& truth_at,
                   std::vector<In> const&... x)
{
  const auto exact = [&](auto... arguments)
  {
    const double at[] = {static_cast<double>(arguments)...};
    return truth_at(at).exact;
  };
  std::string from;
  ((from += std::string(format<In>::name) + ' '), ...);
  INFO(name, ", ", from, "to ", format<Out>::name);
  check_error(std::max(bound, 0.5), y, exact, x...);
}

template <class Out, class In, class Row, std::size_t... I>
void check_into(Row const& row, accuracy::arguments<In> const& x, std::index_sequence<I...>)
{
  check_results(row.name,
                row.states.forward.template of<Out>(),
                transformed<Out>(row.op, x[I]...),
                accuracy::truths_of_value<double, sizeof...(I)>(row.op),
                x[I]...);
}

/// Elements, and factors that bring their results into the range of half, where those have not lost digits.
std::pair<std::vector<float>, std::vector<float>> scaled_into_range(accuracy::truths<double> const& truth_at,
                                                                    std::vector<double> const& kinks)
{
  std::vector<float> x;
  std::vector<float> factors;
  for (float each : accuracy::sample<float>(accuracy::depth::other, kinks))
  {
    const double at = each;
    const double to_one = 1 / std::fabs(truth_at(&at).exact);
    if (!(to_one >= 0x1p-100 && to_one <= 0x1p126))
      continue;
    x.push_back(each);
    factors.push_back(static_cast<float>(to_one * (1 + static_cast<double>(hashed(x.size()) % 65536) / 65536)));
  }
  return {x, factors};
}

} // namespace

TEST_CASE_TEMPLATE("every function keeps what it states, from one type into another",
                   Types,
                   std::pair<float, __half>,
                   std::pair<float, __nv_bfloat16>,
                   std::pair<__nv_bfloat16, __nv_fp8_e4m3>)
{
  using In = typename Types::first_type;
  using Out = typename Types::second_type;
  const auto check_row = [](auto const& row)
  {
    constexpr std::size_t inputs = std::decay_t<decltype(row)>::inputs;
    const std::vector<In> x = accuracy::sample<In>(accuracy::depth::other, row.points());
    const auto arguments = inputs == 2 ? accuracy::pairs_of(x, row.states.largest_factor) : accuracy::arguments<In>{x};
    check_into<Out>(row, arguments, std::make_index_sequence<inputs>());
  };
  catalogue::for_each_row(check_row);
}

TEST_CASE_TEMPLATE("every gradient keeps what it states, into half",
                   Arguments,
                   std::pair<__half, __nv_bfloat16>,
                   std::pair<float, float>)
{
  using G = typename Arguments::first_type;
  using X = typename Arguments::second_type;
  const auto check_row = [](auto const& row)
  {
    if constexpr (std::decay_t<decltype(row)>::inputs == 1)
    {
      const std::vector<X> x = accuracy::sample<X>(accuracy::depth::other, row.points());
      const auto g = accuracy::gradients_from_above<G>(x.size());
      const auto dx = transformed<__half>(nozzle::gradient(row.op), g, x);
      const double bound = row.states.gradient.template of<__half>();
      check_results(row.name, bound, dx, accuracy::truths_of_gradient<double>(row.op), g, x);
    }
  };
  catalogue::for_each_row(check_row);
}

TEST_CASE("a factor behind every function, which brings its results into the range of half")
{
  const auto check_row = [](auto const& row)
  {
    if constexpr (std::decay_t<decltype(row)>::inputs == 1)
    {
      const auto truth_at = accuracy::truths_of_value<double, 1>(row.op);
      const auto [x, factors] = scaled_into_range(truth_at, row.points());
      const auto scaled_truth_at = [&](double const* at) {
        return accuracy::truth<double>{truth_at(at).exact * at[1], 0};
      };
      check_results(
        row.name, 0.52, transformed<__half>(nozzle::scaled(row.op), x, factors), scaled_truth_at, x, factors);
    }
  };
  catalogue::for_each_row(check_row);
}

TEST_CASE_TEMPLATE("a factor behind a gate, constant or for each element", Out, __half, __nv_fp8_e4m3)
{
  using In = __nv_bfloat16;
  const nozzle::swiglu gate;
  const auto x = accuracy::pairs_of(accuracy::sample<In>(accuracy::depth::other, {}), HUGE_VAL);
  std::vector<float> factors(x[0].size());
  for (std::size_t i = 0; i < factors.size(); ++i)
    factors[i] = std::ldexp(1 + static_cast<float>(hashed(i) % 65536) / 65536, static_cast<int>(i % 9) - 4);
  const auto exact = [&](auto a, auto b, auto s)
  { return reference::exact<float>(gate, static_cast<double>(a), static_cast<double>(b)) * static_cast<double>(s); };
  check_error(0.52, transformed<Out>(nozzle::scaled(gate), x[0], x[1], factors), exact, x[0], x[1], factors);
  const auto exact_of_constant = [&](auto a, auto b) { return exact(a, b, 0.37f); };
  const auto chain = nozzle::compose(gate, nozzle::scale(0.37f));
  check_error(0.52, transformed<Out>(chain, x[0], x[1]), exact_of_constant, x[0], x[1]);
}
