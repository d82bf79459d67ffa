#pragma once

#include "test/property/policy.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/format.hpp"
#include "test/support/inputs.hpp"
#include "test/support/system.hpp"

#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>
#include <nozzle/transform.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// The functors that are called, each on one mixture of types, behind pointers to bytes: they are compiled once, and a
// case chooses among them when it runs.

namespace property
{

inline constexpr std::size_t most_inputs = 3;
inline constexpr std::size_t most_parameters = 3;

/// Of a functor's constructor; none stands for the catalogue's own functor.
struct parameters
{
  bool given = false;
  double values[most_parameters] = {};
};

/// Where a call's elements lie, in the memory of the system under test.
struct ranges
{
  std::size_t n;
  void* out;
  void* in[most_inputs];
};

/// An element type, or what is done with its elements.
struct element_type
{
  std::size_t size;
  void (*fill)(void* to, std::size_t n, std::uint64_t seed);
  /// The first of n elements that differ, or n. A NaN may be any.
  std::size_t (*mismatch)(void const* a, void const* b, std::size_t n);
  std::string (*show)(void const* element);
};

struct subject
{
  std::string name;
  std::size_t parameter_count;
  element_type out;
  std::vector<element_type> in;
  bool (*takes)(parameters const& p);
  void (*transform)(parameters const& p, policy on, nozzle::selector select, ranges const& r);
  /// The functor by itself, element by element, where r lies.
  void (*call)(parameters const& p, ranges const& r);
  /// The first of the results r.out that the host's own differ from by more than the functor states of both, or r.n.
  /// All of r is in the host's memory. Null where no error is stated.
  std::size_t (*find_unlike_host)(parameters const& p, ranges const& r);
};

/// Half of random bits, half of numbers around 0.
template <class T>
std::vector<T> const& pool()
{
  static const std::vector<T> values = []
  {
    std::vector<T> all = random_bits<T>(std::size_t(1) << 16);
    for (std::size_t i = 0; i < all.size(); ++i)
    {
      const std::uint64_t bits = hashed(~i);
      if (bits % 2 == 0)
        all[i] = round_to<T>(static_cast<long double>(static_cast<std::int64_t>(bits)) * 0x1p-60L);
    }
    return all;
  }();
  return values;
}

template <class T>
void fill(void* to, std::size_t n, std::uint64_t seed)
{
  std::vector<T> const& from = pool<T>();
  T* at = static_cast<T*>(to);
  while (n > 0)
  {
    const std::size_t first = seed % from.size();
    const std::size_t count = std::min(n, from.size() - first);
    std::memcpy(at, from.data() + first, count * sizeof(T));
    at += count;
    n -= count;
    seed = hashed(seed);
  }
}

template <class T>
std::size_t mismatch(void const* a, void const* b, std::size_t n)
{
  if (n == 0 || std::memcmp(a, b, n * sizeof(T)) == 0)
    return n;
  T const* const x = static_cast<T const*>(a);
  T const* const y = static_cast<T const*>(b);
  std::size_t i = 0;
  while (i < n && same_number(x[i], y[i]))
    ++i;
  return i;
}

template <class T>
std::string show_element(void const* element)
{
  return show(*static_cast<T const*>(element));
}

template <class T>
constexpr element_type type()
{
  return {sizeof(T), fill<T>, mismatch<T>, show_element<T>};
}

/// What is computed of a function.
enum class form
{
  result,
  gradient,
  gradient_of_second,
  gradient_from_result,
  chain
};

template <class Row>
inline constexpr std::size_t parameter_count =
  std::tuple_size_v<typename std::decay_t<decltype(std::declval<Row>().sets)>::value_type>;

template <class Row, std::size_t... I>
auto make(Row const&, parameters const& p, std::index_sequence<I...>)
{
  static_assert(sizeof...(I) <= most_parameters);
  return std::decay_t<decltype(Row::op)>(p.values[I]...);
}

template <class Row>
auto make(Row const& row, [[maybe_unused]] parameters const& p)
{
  if constexpr (parameter_count<Row> == 0)
    return row.op;
  else
    return p.given ? make(row, p, std::make_index_sequence<parameter_count<Row>>()) : row.op;
}

template <form Form, class Op>
auto in_form(Op op)
{
  if constexpr (Form == form::result)
    return op;
  else if constexpr (Form == form::gradient)
    return nozzle::gradient(op);
  else if constexpr (Form == form::gradient_of_second)
    return nozzle::gradient<1>(op);
  else if constexpr (Form == form::gradient_from_result)
    return nozzle::gradient_from_result(op);
  else
    return nozzle::compose(op, nozzle::bias(0.25), nozzle::silu{});
}

#if defined(__CUDACC__)
template <class Out, class Op, class... In>
__global__ void call_each(Op op, std::size_t n, Out* out, In const*... in)
{
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = op(in[i]...);
}
#endif

template <std::size_t Row, form Form, class Out, class... In>
struct erased
{
  static auto op_of(parameters const& p)
  {
    return property::in_form<Form>(property::make(std::get<Row>(catalogue::rows), p));
  }

  /// With its result rounded once to Out.
  static auto adapted_op_of(parameters const& p) { return nozzle::detail::adapt_op<Out*, In const*...>(op_of(p)); }

  static bool takes(parameters const& p)
  try
  {
    static_cast<void>(op_of(p));
    return true;
  }
  catch (std::invalid_argument const&)
  {
    return false;
  }

  template <std::size_t... I>
  static void transform_ranges(
    parameters const& p, policy on, nozzle::selector select, ranges const& r, std::index_sequence<I...>)
  {
    const auto op = op_of(p);
    Out* const out = static_cast<Out*>(r.out);
    const auto call = [&](auto const& with, auto* first, auto*... rest)
    {
      if (nozzle::transform(with, first, first + r.n, rest..., out, op, select) != out + r.n)
        throw std::logic_error("transform did not return the end of its result");
    };
    property::with_policy<Row>(on, [&](auto const& with) { call(with, static_cast<In const*>(r.in[I])...); });
  }

  static void transform(parameters const& p, policy on, nozzle::selector select, ranges const& r)
  {
    transform_ranges(p, on, select, r, std::index_sequence_for<In...>());
  }

  template <std::size_t... I>
  static void call_ranges(parameters const& p, ranges const& r, std::index_sequence<I...>)
  {
    const auto op = adapted_op_of(p);
    Out* const out = static_cast<Out*>(r.out);
#if defined(__CUDACC__)
    call_each<Out><<<256, 256>>>(op, r.n, out, static_cast<In const*>(r.in[I])...);
    REQUIRE(cudaDeviceSynchronize() == cudaSuccess); // streams of a call do not wait for this one
#else
    for (std::size_t i = 0; i < r.n; ++i)
      out[i] = op(static_cast<In const*>(r.in[I])[i]...);
#endif
  }

  static void call(parameters const& p, ranges const& r)
  {
    call_ranges(p, r, std::index_sequence_for<In...>());
  }

  template <std::size_t... I>
  static std::size_t find_unlike_host(parameters const& p, ranges const& r, std::index_sequence<I...>)
  {
    using precision = nozzle::detail::precision_t<In...>;
    using counted = std::conditional_t<(format<Out>::digits < format<precision>::digits), Out, precision>;
    catalogue::contract const& states = std::get<Row>(catalogue::rows).states;
    catalogue::errors const& errors = Form == form::result ? states.forward : states.gradient;
    const double here = std::is_same_v<counted, float> ? errors.in_float_on_host : errors.template of<counted>();
    const double bound = here + errors.template of<counted>();
    const auto op = adapted_op_of(p);
    Out const* const got = static_cast<Out const*>(r.out);
    // What is not rounded once has intermediate products, and no error is stated where those of large numbers overflow.
    const bool may_overflow = sizeof...(In) > 1 && here > 1;
    const auto is_large = [](long double x) { return std::isfinite(x) && std::fabs(x) > 1e20L; };
    const auto is_like = [&](std::size_t i)
    {
      const Out right = op(static_cast<In const*>(r.in[I])[i]...);
      return bits_of(got[i]) == bits_of(right)
             || (may_overflow && (is_large(decode(static_cast<In const*>(r.in[I])[i])) || ...))
             || ulp_error<counted>(round_to<counted>(decode(got[i])), decode(right)) <= bound;
    };
    std::size_t i = 0;
    while (i < r.n && is_like(i))
      ++i;
    return i;
  }

  static std::size_t find_unlike_host(parameters const& p, ranges const& r)
  {
    return find_unlike_host(p, r, std::index_sequence_for<In...>());
  }
};

template <class Out, class First, class Second, class Third>
struct mixture
{
};

using half = __half;
using bf16 = __nv_bfloat16;
using e4m3 = __nv_fp8_e4m3;
using e5m2 = __nv_fp8_e5m2;

/// Subjects take them by turns.
using mixtures = std::tuple<mixture<float, float, float, float>,
                            mixture<half, half, half, half>,
                            mixture<half, float, half, float>,
                            mixture<bf16, bf16, bf16, bf16>,
                            mixture<float, half, float, bf16>,
                            mixture<double, double, double, double>,
                            mixture<e4m3, e4m3, e4m3, e4m3>,
                            mixture<float, float, half, half>,
                            mixture<e5m2, e5m2, e5m2, e5m2>,
                            mixture<bf16, float, bf16, e4m3>,
                            mixture<double, float, double, float>,
                            mixture<e4m3, half, half, half>,
                            mixture<half, e5m2, double, half>>;

/// A chain states no error, nor does a gradient from what is no result.
template <form Form>
inline constexpr bool states_error = Form != form::chain&& Form != form::gradient_from_result;

template <std::size_t Row, form Form, class Out, class... In>
subject make_subject(char const* prefix)
{
  using comparison = std::size_t (*)(parameters const&, ranges const&);
  using erased = property::erased<Row, Form, Out, In...>;
  auto const& row = std::get<Row>(catalogue::rows);
  return {prefix + std::string(row.name),
          parameter_count<std::decay_t<decltype(row)>>,
          type<Out>(),
          {type<In>()...},
          erased::takes,
          erased::transform,
          erased::call,
          states_error<Form> ? static_cast<comparison>(erased::find_unlike_host) : nullptr};
}

template <std::size_t Row, form Form, int Inputs, class Out, class First, class Second, class Third>
subject make_subject(char const* prefix, mixture<Out, First, Second, Third>)
{
  if constexpr (Inputs == 1)
    return make_subject<Row, Form, Out, First>(prefix);
  else if constexpr (Inputs == 2)
    return make_subject<Row, Form, Out, First, Second>(prefix);
  else
    return make_subject<Row, Form, Out, First, Second, Third>(prefix);
}

/// One form of each function, by turns: with all it takes a minute to compile. nvcc takes seconds for one.
inline constexpr std::size_t rows_per_subject = on_cuda ? 7 : 1;

template <std::size_t Row, form Form, int Inputs>
void add(std::vector<subject>& all, char const* prefix)
{
  constexpr std::size_t which = Row / rows_per_subject % std::tuple_size_v<mixtures>;
  all.push_back(make_subject<Row, Form, Inputs>(prefix, std::tuple_element_t<which, mixtures>()));
}

template <std::size_t Row>
void add_row(std::vector<subject>& all)
{
  using row = std::decay_t<decltype(std::get<Row>(catalogue::rows))>;
  using functor = std::decay_t<decltype(std::declval<row>().op)>;
  if constexpr (Row % rows_per_subject != 0)
    return;
  else if constexpr (Row % 4 == 1)
    add<Row, form::gradient, row::inputs + 1>(all, "gradient of ");
  else if constexpr (Row % 4 == 2)
    add<Row, form::chain, row::inputs>(all, "chain behind ");
  else if constexpr (Row % 4 == 3 && row::inputs == 2)
    add<Row, form::gradient_of_second, 3>(all, "second gradient of ");
  else if constexpr (Row % 4 == 3 && nozzle::detail::has_gradient_from_result_v<functor>)
    add<Row, form::gradient_from_result, 2>(all, "gradient from result of ");
  else
    add<Row, form::result, row::inputs>(all, "");
}

template <std::size_t... Row>
std::vector<subject> make_subjects(std::index_sequence<Row...>)
{
  std::vector<subject> all;
  (add_row<Row>(all), ...);
  return all;
}

/// Every function of the catalogue, on CUDA some of them.
inline std::vector<subject> const& subjects()
{
  static const std::vector<subject> all =
    make_subjects(std::make_index_sequence<std::tuple_size_v<decltype(catalogue::rows)>>());
  return all;
}

} // namespace property
