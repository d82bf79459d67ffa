#include "test/support/refusal.hpp"
#include "test/view/arena.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/fan_out.hpp>

#include <cstddef>
#include <string>

TEST_CASE("what is refused, and nothing is written")
{
  arena<float> a(2000);
  const auto m = nozzle::matrix(a.data(), 10, 20);
  const auto far = nozzle::matrix(a.data() + 1000, 10, 20);
  const nozzle::silu op;
  const auto call = [&](auto const&... arguments)
  { return refusal([&] { nozzle::transform(device_system::par, arguments...); }); };
  constexpr char const* overlaps =
    "nozzle::transform: result 1 overlaps input 1: it must equal an input, element for element, or lie apart from it";

  CHECK(call(nozzle::matrix(a.data(), 9, 20), far, op) == "nozzle::transform: input 1 is 9 x 20, the result 10 x 20");
  CHECK(call(m, nozzle::row_vector(a.data(), 20), op) == "nozzle::transform: input 1 is 10 x 20, the result 1 x 20");
  CHECK(call(m, far, nozzle::matrix(a.data(), 10, 19), nozzle::swiglu{})
        == "nozzle::transform: input 1 is 10 x 20, the result 10 x 19");
  CHECK(call(m, list(far, nozzle::matrix(a.data() + 1500, 9, 20)), nozzle::fan_out(op, op))
        == "nozzle::transform: result 2 is 9 x 20, the result 10 x 20");
  CHECK(call(m, list(far, nozzle::matrix(a.data() + 1500, 1, 20)), nozzle::fan_out(op, op))
        == "nozzle::transform: result 2 is 1 x 20, the result 10 x 20");
  CHECK(call(m, list(far, far), nozzle::fan_out(op, op))
        == "nozzle::transform: result 1 overlaps result 2: results must lie apart");
  CHECK(call(m, nozzle::matrix(a.data() + 1, 10, 20, 21), op) == overlaps);
  const auto [left, right] = nozzle::halves(m);
  CHECK(call(left, right, nozzle::columns(m, 5, 10), nozzle::swiglu{}) == overlaps);
  const auto [even, odd] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 20, 21)); // an odd pitch
  CHECK(call(even, nozzle::columns(nozzle::matrix(a.data(), 10, 20, 21), 1, 10), op) == overlaps);
  const auto packed = nozzle::matrix(a.data(), 10, 64);
  CHECK(call(nozzle::interleaved(packed, 8).first, nozzle::interleaved(packed, 4).second, op) // blocks that differ
        == overlaps);
  CHECK(call(packed, nozzle::detail::strided_matrix(a.data(), 10, 64, 1, 10), op) == overlaps); // at one address
  float* const shifted = reinterpret_cast<float*>(reinterpret_cast<char*>(a.data() + 1000) + 2);
  const std::string misaligned =
    " = " + nozzle::detail::address(shifted) + " is not aligned to the 4 bytes that its elements need";
  const std::string misaligned_input = "nozzle::transform: input 1" + misaligned;
  const std::string misaligned_result = "nozzle::transform: result 1" + misaligned;
  CHECK(call(m, nozzle::matrix(shifted, 10, 20, 21), op) == misaligned_result);
  CHECK(call(nozzle::matrix(shifted, 10, 20, 21), m, op) == misaligned_input);
  const auto blocks_of_4 = nozzle::interleaved(nozzle::matrix(shifted, 10, 64), 4).first;
  CHECK(call(nozzle::interleaved(packed, 8).first, blocks_of_4, op) == misaligned_result);
  CHECK(call(blocks_of_4, nozzle::interleaved(packed, 8).first, op) == misaligned_input);
  const auto overlaps_itself = [&](auto const& input, auto const& result)
  {
    return call(input, result, op)
           == "nozzle::transform: result 1 overlaps itself: its strides give several elements one address";
  };
  CHECK(overlaps_itself(m, nozzle::detail::strided_matrix(a.data() + 1000, 10, 20, 5, 1)));
  constexpr std::size_t many = std::size_t(1) << 32; // whose square is 0
  CHECK(overlaps_itself(nozzle::matrix(a.data(), 1, 1), nozzle::detail::strided_matrix(a.data(), many, many, 1, 1)));
  using interleaved = nozzle::layout_interleaved::mapping<cuda::std::dextents<std::size_t, 2>>;
  const nozzle::interleaved_view<float> blocks(a.data() + 1000, interleaved(10, 8, 4, 4, 1)); // a row in the next
  CHECK(overlaps_itself(nozzle::matrix(a.data(), 10, 8), blocks));
  constexpr auto back = static_cast<std::size_t>(-1); // from the last element to the first
  const auto reversed = nozzle::detail::strided_matrix(a.data() + 1007, 1, 8, 8, back);
  CHECK(call(reversed, nozzle::matrix(a.data() + 1002, 1, 8), op) == overlaps);
  CHECK(call(reversed, nozzle::matrix(a.data() + 1000, 1, 8), op) == overlaps);
  CHECK(call(nozzle::matrix(a.data() + 1000, 1, 8), reversed, op) == overlaps);
  CHECK(a.count_wrong() == 0);
  CHECK(call(nozzle::matrix(a.data(), 0, 20), nozzle::matrix(a.data(), 0, 20), op) == "");
  CHECK(a.count_wrong() == 0);
  CHECK(call(even, odd, even, nozzle::swiglu{}) == "");
  CHECK(call(reversed, reversed, op) == "");
  CHECK(call(reversed, nozzle::matrix(a.data() + 1008, 1, 8), op) == "");
}
