#pragma once

#include "test/property/subject.hpp"
#include "test/support/random_numbers.hpp"
#include "test/support/route.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace property
{

/// What the output is to the inputs.
enum class alias
{
  apart,
  in_place, ///< it is one of them
  overlap   ///< it lies over part of one: a call that is refused
};

/// So many elements of one type reach beyond the first of any other.
inline constexpr std::size_t least_that_overlap = 9;

/// A call of nozzle::transform, or one for each part of its range.
struct random_case
{
  std::uint64_t seed = 0; ///< of all that follows, and of the elements
  std::size_t subject = 0;
  property::parameters parameters;
  std::size_t n = 0;
  std::size_t out_offset = 0; ///< in elements, behind an address that 64 divides
  std::size_t in_offsets[most_inputs] = {};
  property::alias alias = alias::apart;
  std::size_t alias_of = 0;      ///< the input
  std::size_t splits[2] = {};    ///< where the range is cut
  policy policies[3] = {};       ///< of each part
  std::size_t selectors[3] = {}; ///< of every_route()
  bool is_beside_host = false;   ///< results are compared with the host's own too
};

inline std::size_t random_size(random_numbers& random)
{
  constexpr std::size_t edges[] = {16, 32, 64, 128, 256, 512, 1024, 4096, 8192};
  if (random.below(4) == 0)
    return edges[random.below(std::size(edges))] - 2 + random.below(5);
  if (random.below(16) == 0)
    return random.below(3);
  const std::size_t rare = random.below(2048);
  const int most_bits = rare == 0 ? 21 : rare < 32 ? 18 : 13;
  return static_cast<std::size_t>(std::exp2(random.fraction() * most_bits));
}

/// What constructors refuse is among them.
inline double random_parameter(random_numbers& random)
{
  constexpr double others[] = {0, 1, -1, 1e-40, 1e30, -1e30, 3.4028234663852886e38, HUGE_VAL, double(NAN)};
  if (random.below(4) == 0)
    return others[random.below(std::size(others))];
  const double size = std::exp2(random.below(8) == 0 ? 200 * random.fraction() - 120 : 8 * random.fraction() - 5);
  return random.below(3) == 0 ? -size : size;
}

inline std::size_t random_offset(random_numbers& random, std::size_t size)
{
  return random.below(2) == 0 ? 0 : random.below(64 / size);
}

inline void choose_parameters(random_case& c, random_numbers& random)
{
  subject const& s = subjects()[c.subject];
  c.parameters.given = s.parameter_count > 0 && random.below(3) > 0;
  for (double& value : c.parameters.values)
    value = random_parameter(random);
  if (!s.takes(c.parameters))
    std::swap(c.parameters.values[0], c.parameters.values[1]);
  if (!s.takes(c.parameters))
    c.parameters.given = false;
}

inline void choose_alias(random_case& c, random_numbers& random)
{
  subject const& s = subjects()[c.subject];
  const std::size_t kind = random.below(16);
  c.alias_of = random.below(s.in.size());
  if (kind == 0 && c.n >= least_that_overlap)
    c.alias = alias::overlap;
  else if (kind < 8 && s.in[c.alias_of].size == s.out.size)
    c.alias = alias::in_place;
}

/// The case of that seed.
inline random_case make_case(std::uint64_t seed)
{
  random_numbers random(seed);
  random_case c;
  c.seed = seed;
  c.subject = random.below(subjects().size());
  subject const& s = subjects()[c.subject];
  choose_parameters(c, random);
  c.n = random_size(random);
  c.out_offset = random_offset(random, s.out.size);
  for (std::size_t k = 0; k < s.in.size(); ++k)
    c.in_offsets[k] = random.below(3) == 0 ? random_offset(random, s.in[k].size) : c.out_offset % (64 / s.in[k].size);
  choose_alias(c, random);
  const bool is_split = c.alias != alias::overlap && random.below(4) == 0;
  for (std::size_t& split : c.splits)
    split = is_split ? random.below(c.n + 1) : c.n;
  std::sort(std::begin(c.splits), std::end(c.splits));
  for (std::size_t part = 0; part < 3; ++part)
  {
    c.policies[part] = static_cast<policy>(random.below(policies));
    c.selectors[part] = random.below(every_route().size());
  }
  return c;
}

/// The same with fewer elements.
inline random_case with_size(random_case c, std::size_t n)
{
  c.n = c.alias == alias::overlap ? std::max(n, least_that_overlap) : n;
  for (std::size_t& split : c.splits)
    split = std::min(split, c.n);
  return c;
}

inline std::string describe(random_case const& c)
{
  subject const& s = subjects()[c.subject];
  std::string text = s.name;
  const auto add = [&](char const* what, double value)
  {
    char number[64];
    std::snprintf(number, sizeof number, " %s %.17g", what, value);
    text += number;
  };
  for (std::size_t i = 0; c.parameters.given && i < s.parameter_count; ++i)
    add("parameter", c.parameters.values[i]);
  add("n", static_cast<double>(c.n));
  add("output's offset", static_cast<double>(c.out_offset));
  for (std::size_t k = 0; k < s.in.size(); ++k)
    add("input's offset", static_cast<double>(c.in_offsets[k]));
  if (c.alias != alias::apart)
    add(c.alias == alias::in_place ? "in place of input" : "over part of input", static_cast<double>(c.alias_of));
  const std::vector<named_selector> routes = every_route();
  for (std::size_t part = 0; part < 3; ++part)
  {
    text += std::string(", ") + name(c.policies[part]) + ", " + routes[c.selectors[part]].name;
    add("up to", static_cast<double>(part < 2 ? c.splits[part] : c.n));
  }
  return text;
}

} // namespace property
