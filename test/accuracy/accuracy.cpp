#include "test/accuracy/accuracy.hpp"

// The tools of accuracy_*.cpp: the references in double against those in long double, and the counting of ULP in double
// against format.hpp's.

namespace
{

/// Double is good enough for float data if it errs by this many ULP of float.
constexpr double negligible = 1e-4;

double disagreement(double in_double, long double in_long_double)
{
  return narrow_ulp_error<float>(in_double, static_cast<double>(in_long_double));
}

/// The largest disagreement about definition(x), or definition(g, x), for floats x.
template <class Definition>
double largest_disagreement(std::vector<float> const& sample, Definition definition)
{
  double largest = 0;
  for (float x : sample)
    largest = std::max(largest, disagreement(definition(double(x)), definition(static_cast<long double>(x))));
  return largest;
}

template <class Op>
void check_definitions(Op op, std::string const& name, std::vector<float> const& sample, std::false_type)
{
  const auto value = [=](auto x) { return reference::exact<float>(op, x); };
  const auto slope = [=](auto x) { return reference::exact_gradient<float>(op, decltype(x)(1), x); };
  CHECK_MESSAGE(largest_disagreement(sample, value) < negligible, name);
  CHECK_MESSAGE(largest_disagreement(sample, slope) < negligible, "gradient of " << name);
}

template <class Op>
void check_definitions(Op op, std::string const& name, std::vector<float> const& sample, std::true_type)
{
  const auto check_beside = [&](float other)
  {
    const auto of_a = [=](auto a) { return reference::exact<float>(op, a, decltype(a)(other)); };
    const auto of_b = [=](auto b) { return reference::exact<float>(op, decltype(b)(other), b); };
    const auto slope_a = [=](auto a)
    { return reference::exact_gradient<0, float>(op, decltype(a)(1), a, decltype(a)(other)); };
    const auto slope_b = [=](auto b)
    { return reference::exact_gradient<1, float>(op, decltype(b)(1), decltype(b)(other), b); };
    CHECK_MESSAGE(largest_disagreement(sample, of_a) < negligible, name);
    CHECK_MESSAGE(largest_disagreement(sample, of_b) < negligible, name);
    CHECK_MESSAGE(largest_disagreement(sample, slope_a) < negligible, "gradient of " << name);
    CHECK_MESSAGE(largest_disagreement(sample, slope_b) < negligible, "gradient of " << name);
  };
  check_beside(1);
  check_beside(-2.6f);
}

} // namespace

TEST_CASE("the references in double and in long double agree")
{
  catalogue::for_each_row(
    [](auto const& row)
    {
      std::vector<float> sample = accuracy::spread_floats(16);
      add_neighbourhoods(sample, row.points());
      catalogue::for_each_functor(
        row,
        [&](auto op, std::string const& name)
        { check_definitions(op, name, sample, std::bool_constant<std::decay_t<decltype(row)>::inputs == 2>()); });
    });
}

TEST_CASE_TEMPLATE(
  "values and ULP are the same in double", T, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  std::vector<T> values = random_bits<T>(100000);
  for (bits_t<T> end :
       {bits_t<T>(0), bits_t<T>(1), largest_bits<T>, static_cast<bits_t<T>>(largest_bits<T> + 1), nan_bits<T>})
  {
    values.push_back(from_bits<T>(end));
    values.push_back(from_bits<T>(static_cast<bits_t<T>>(end | sign_bit<T>)));
  }
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    const long double exact = decode(values[i]);
    const double value = narrow_value(values[i]);
    REQUIRE(bits_of(round_to<T>(value)) == bits_of(round_to<T>(exact)));
    for (long double by : {1.L, 1.01L, 0.99L, 4.L})
    {
      const auto near = static_cast<double>(by * exact);
      for (T got : {values[i], round_to<T>(near), values[(7 * i) % values.size()]})
      {
        const double error = ulp_error(got, near);
        const double fast = narrow_ulp_error<T>(narrow_value(got), near);
        largest =
          std::max(largest, std::isinf(error) ? (fast > 1e300 ? 0 : error) : std::fabs(fast - error) / (1 + error));
      }
    }
  }
  CHECK(largest < 1e-9);
}
