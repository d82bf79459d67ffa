#pragma once

#include "test/accuracy/accuracy_error.hpp"
#include "test/support/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

// What the functors of the catalogue are tried on, for data of one type.

namespace accuracy
{

/// What data of type T is checked in: long double for double, and double, which is faster, for what is narrower.
template <class T>
using wide_t = std::conditional_t<std::is_same_v<T, double>, long double, double>;

template <class T>
wide_t<T> widened(T x)
{
  if constexpr (sizeof(T) >= 4)
    return x;
  else
    return narrow_value(x);
}

/// Arguments: columns[j][i] is argument j of element i.
template <class T>
using arguments = std::vector<std::vector<T>>;

/// Functions are looked at more closely with their own parameters than with others.
enum class depth
{
  own,
  other
};

/// 2^count floats, at nearly equal distances of their bit patterns, so that each exponent has the same number.
inline std::vector<float> spread_floats(int count)
{
  std::vector<float> x;
  for (std::uint64_t i = 0; i < std::uint64_t(1) << count; ++i)
  {
    const std::uint64_t step = std::uint64_t(1) << (32 - count);
    x.push_back(from_bits<float>(static_cast<std::uint32_t>(i * step + hashed(i) % step)));
  }
  return x;
}

/// How many floats functions with their own parameters are tried on: 2 to the power of this.
inline int fine_digits = 22;

/// Beside how many of the few values each 16-bit number is.
#if defined(NOZZLE_SLOW_TESTS) || defined(__CUDACC__)
inline std::size_t partners_of_16_bits = 16;
#else
inline std::size_t partners_of_16_bits = 4;
#endif

/// The values that functions are tried on.
template <class T>
std::vector<T> sample(depth level, std::vector<double> const& kinks)
{
  if constexpr (std::is_same_v<T, float>)
  {
    static const std::vector<float> fine = spread_floats(fine_digits);
    static const std::vector<float> coarse = spread_floats(18);
    std::vector<float> x = level == depth::own ? fine : coarse;
    for (std::uint32_t exponent = 0; exponent < 512; ++exponent)
    {
      for (std::uint32_t fraction : {0u, 1u, 0x7fffffu})
        x.push_back(from_bits<float>(exponent << 23 | fraction));
    }
    add_neighbourhoods(x, kinks);
    return x;
  }
  else
    return inputs<T>(kinks);
}

template <class T>
bool is_infinite(T x)
{
  return std::isinf(widened(x));
}

/// A few values, rounded to T.
template <class T>
std::vector<T> rounded_to(std::vector<double> const& values)
{
  std::vector<T> few;
  for (double value : values)
    few.push_back(round_to<T>(value));
  return few;
}

/// Gradients g that come from above, n of them, without an infinite one: its product with a slope of 0 has no limit
/// (check_infinite_gradients).
template <class T>
std::vector<T> gradients_from_above(std::size_t n)
{
  static const std::vector<T> few = rounded_to<T>({1, -2.6, 1.99, 0.37, 300, -1.8, 1e-3, std::nan("")});
  std::vector<T> g;
  for (std::size_t i = 0; i < n; ++i)
    g.push_back(few[hashed(i) % few.size()]);
  return g;
}

/// (g, x) for a gradient: every finite 8-bit g with every x, or three of a few g with every x; one for each of many
/// floats.
template <class T>
arguments<T> gradient_arguments(std::vector<T> const& x)
{
  arguments<T> pairs(2);
  if constexpr (sizeof(T) == 1)
  {
    for (T g : every_value<T>())
    {
      if (is_infinite(g))
        continue;
      pairs[0].insert(pairs[0].end(), x.size(), g);
      pairs[1].insert(pairs[1].end(), x.begin(), x.end());
    }
  }
  else
  {
    for (std::size_t repeat = 0; repeat < (sizeof(T) == 4 ? 1 : 3); ++repeat)
      pairs[1].insert(pairs[1].end(), x.begin(), x.end());
    pairs[0] = gradients_from_above<T>(pairs[1].size());
  }
  return pairs;
}

/// (a, b) for a function of two inputs, either way round: each 8-bit x beside every x, each 16-bit x beside some of a
/// few values (partners_of_16_bits), each other x beside two of them. An infinity is beside 1, as other products of it
/// may have no limit; and so is what is larger than `largest`.
template <class T>
arguments<T> pairs_of(std::vector<T> const& x, double largest)
{
  static const std::vector<T> few =
    rounded_to<T>({1, -2.6, 0.37, -1, 6.5, 1e-3, -17, 40, 0.05, -0.75, 3, -1.28, 90, -5, 0.5, -100});
  std::vector<T> const& partners = sizeof(T) == 1 ? x : few;
  const std::size_t repeats = sizeof(T) > 2 ? 2 : sizeof(T) == 2 ? partners_of_16_bits : partners.size();
  arguments<T> pairs(2);
  const auto is_alone = [=](T a) { return is_infinite(a) || std::fabs(widened(a)) > largest; };
  const auto add = [&](T a, T b)
  {
    pairs[0].push_back(a);
    pairs[1].push_back(b);
  };
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    for (std::size_t repeat = 0; repeat < repeats; ++repeat)
    {
      const T partner = partners[(hashed(i) + repeat) % partners.size()];
      const T other = is_alone(x[i]) || is_alone(partner) ? round_to<T>(1) : partner;
      add(x[i], other);
      add(other, x[i]);
    }
  }
  return pairs;
}

/// Every 16-bit number, as T, in order.
template <class T>
std::vector<T> const& numbers_in_order()
{
  static const std::vector<T> ordered = []
  {
    std::vector<double> numbers;
    const auto add = [&](auto values)
    {
      for (auto value : values)
      {
        if (widened(value) == widened(value))
          numbers.push_back(widened(value));
      }
    };
    add(every_value<__half>());
    add(every_value<__nv_bfloat16>());
    std::sort(numbers.begin(), numbers.end());
    return rounded_to<T>(numbers);
  }();
  return ordered;
}

} // namespace accuracy
