#include <nozzle/detail/view/overlap.hpp>

#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <tuple>
#include <utility>

using nozzle::columns;
using nozzle::matrix;
using nozzle::detail::are_apart;
using nozzle::detail::byte_set;
using nozzle::detail::byte_set_of;
using nozzle::detail::overlaps_itself;

namespace
{

struct bytes
{
  std::set<std::uintptr_t> all;
  bool repeat = false; ///< one of them is in two elements
};

bytes bytes_of(byte_set const& f)
{
  bytes b;
  for (std::size_t i = 0; i < f.extent[0]; ++i)
  {
    for (std::size_t j = 0; j < f.extent[1]; ++j)
    {
      for (std::size_t k = 0; k < f.extent[2]; ++k)
      {
        for (std::size_t byte = 0; byte < f.element_size; ++byte)
          b.repeat |= !b.all.insert(f.begin + i * f.stride[0] + j * f.stride[1] + k * f.stride[2] + byte).second;
      }
    }
  }
  return b;
}

bool share_a_byte(bytes const& a, bytes const& b)
{
  for (std::uintptr_t byte : a.all)
  {
    if (b.all.count(byte) != 0)
      return true;
  }
  return false;
}

byte_set random_byte_set(std::mt19937& random)
{
  const auto below = [&](std::size_t n) { return random() % n; };
  byte_set f{};
  f.element_size = std::size_t{1} << below(3);
  f.begin = below(24) * f.element_size;
  for (std::size_t d = 0; d < 3; ++d)
  {
    f.extent[d] = 1 + below(4);
    f.stride[d] = below(13) * f.element_size;
  }
  return f;
}

} // namespace

TEST_CASE("what are_apart and overlaps_itself let pass shares no byte")
{
  std::mt19937 random(1);
  int passed = 0;
  for (int i = 0; i < 20000; ++i)
  {
    CAPTURE(i);
    const byte_set a = random_byte_set(random);
    const byte_set b = random_byte_set(random);
    const bytes a_bytes = bytes_of(a);
    const bool apart = are_apart(a, b);
    passed += apart;
    REQUIRE(apart == are_apart(b, a));
    REQUIRE_FALSE((apart && share_a_byte(a_bytes, bytes_of(b))));
    REQUIRE((!a_bytes.repeat || overlaps_itself(a)));
    REQUIRE((a.extent[0] > 1 || overlaps_itself(a) == a_bytes.repeat));
  }
  CHECK(passed > 5000);
}

TEST_CASE("loops that lie within each other are seen not to overlap, in any order")
{
  const auto overlap = [](std::size_t middle_stride)
  {
    using loop = std::pair<std::size_t, std::size_t>; // stride and extent
    std::array<loop, 3> loops{{{4, 4}, {middle_stride, 3}, {96, 5}}};
    std::set<bool> answers;
    do
    {
      byte_set f{0, 4, {}, {}};
      for (std::size_t d = 0; d < 3; ++d)
        std::tie(f.stride[d], f.extent[d]) = loops[d];
      answers.insert(overlaps_itself(f));
    } while (std::next_permutation(loops.begin(), loops.end()));
    CHECK(answers.size() == 1);
    return *answers.begin();
  };
  CHECK_FALSE(overlap(32)); // 3 of them are the last loop's stride
  CHECK_FALSE(overlap(16)); // the first loop's length
  CHECK(overlap(12));
  CHECK(overlap(44));
}

TEST_CASE("views that lie apart are seen to, whichever of them has the period")
{
  float p[240] = {};
  const auto apart = [](auto const& a, auto const& b)
  {
    CHECK(are_apart(byte_set_of(a), byte_set_of(b)) == are_apart(byte_set_of(b), byte_set_of(a)));
    return are_apart(byte_set_of(a), byte_set_of(b));
  };
  const auto m = matrix(p, 10, 20, 24);
  CHECK(apart(m, matrix(p + 20, 1, 4))); // a row in the padding
  CHECK(apart(m, matrix(p + 44, 9, 4, 24)));
  CHECK_FALSE(apart(m, matrix(p + 19, 1, 4)));
  CHECK_FALSE(apart(m, matrix(p + 20, 1, 5)));
  CHECK(apart(columns(m, 0, 10), columns(m, 10, 10)));
  CHECK_FALSE(apart(columns(m, 0, 11), columns(m, 10, 10)));
  const auto pairs = nozzle::interleaved(m, 1);
  CHECK(apart(pairs.first, pairs.second));
  CHECK(apart(pairs.first, matrix(p + 20, 1, 4)));
  CHECK_FALSE(apart(pairs.first, m));
}
