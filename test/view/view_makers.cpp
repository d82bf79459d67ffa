#include "test/support/refusal.hpp"
#include "test/view/arena.hpp"

#include <cstddef>
#include <vector>

// What makes views: halves, interleaved, columns and their like.

TEST_CASE("makers: extents and strides")
{
  float x[64] = {};
  const auto m = nozzle::matrix(x, 3, 8, 10);
  CHECK(&m(2, 7) == x + 27);
  CHECK(&nozzle::columns(m, 2, 4)(1, 3) == x + 15);
  const auto [left, right] = nozzle::halves(m);
  CHECK(&left(1, 3) == x + 13);
  CHECK(&right(1, 3) == x + 17);
  const auto [even, odd] = nozzle::interleaved(m);
  CHECK(even.extent(1) == 4);
  CHECK(&even(1, 3) == x + 16);
  CHECK(&odd(1, 3) == x + 17);
  const auto [a, b] = nozzle::interleaved(m, 2);
  CHECK(&a(1, 2) == x + 14);
  CHECK(&b(1, 3) == x + 17);
  CHECK(nozzle::row_vector(x, 8).extent(0) == 1);
  CHECK(nozzle::column_vector(x, 8).extent(1) == 1);
}

TEST_CASE("makers: parts of a matrix of one's own layout and index type")
{
  using extents = cuda::std::extents<int, 3, cuda::std::dynamic_extent>;
  std::vector<float> x(24);
  const cuda::std::mdspan<float, extents> by_rows(x.data(), extents(8));
  const cuda::std::mdspan<float, extents, cuda::std::layout_left> by_columns(x.data(), extents(8));
  const auto is_of = [&](auto const& part, std::size_t first, std::size_t row_stride, std::size_t column_stride)
  {
    CHECK(part.data_handle() == x.data() + first);
    CHECK(part.extent(0) == 3);
    CHECK(part.extent(1) == 4);
    CHECK(&part(1, 0) == x.data() + first + row_stride);
    CHECK(&part(0, 1) == x.data() + first + column_stride);
  };
  is_of(nozzle::halves(by_rows).second, 4, 8, 1);
  is_of(nozzle::halves(by_columns).second, 12, 1, 3);
  is_of(nozzle::interleaved(by_rows).second, 1, 8, 2);
  is_of(nozzle::interleaved(by_columns).second, 3, 1, 6);
  is_of(nozzle::columns(by_columns, 1, 4), 3, 1, 3);
}

TEST_CASE("makers: parts of a matrix whose rows lie in one place")
{
  using extents = cuda::std::dextents<std::size_t, 2>;
  std::vector<float> x(8);
  const cuda::std::layout_stride::mapping<extents> of_one_row(extents(3, 8), cuda::std::array<std::size_t, 2>{0, 1});
  const auto part = nozzle::columns(cuda::std::mdspan(x.data(), of_one_row), 2, 4);
  CHECK(&part(2, 1) == x.data() + 3);
}

TEST_CASE("makers: parts of a matrix without elements, which has no memory")
{
  float* const nowhere = nullptr;
  const auto m = nozzle::matrix(nowhere, 0, 8);
  CHECK(nozzle::columns(m, 2, 4).data_handle() == nullptr);
  CHECK(nozzle::halves(m).second.data_handle() == nullptr);
  CHECK(nozzle::interleaved(m).second.data_handle() == nullptr);
  CHECK(nozzle::interleaved(nozzle::matrix(nowhere, 3, 0)).second.data_handle() == nullptr);
}

TEST_CASE("the mapping of interleaved blocks: its span, and equality")
{
  using mapping = nozzle::layout_interleaved::mapping<cuda::std::dextents<std::size_t, 2>>;
  const mapping m(3, 8, 2, 20, 1);
  CHECK(m.required_span_size() == 2 * 20 + 3 * 4 + 1 + 1);
  CHECK(mapping(0, 8, 2, 20, 1).required_span_size() == 0);
  CHECK(mapping(3, 0, 2, 20, 1).required_span_size() == 0);
  CHECK(m == mapping(3, 8, 2, 20, 1));
  for (mapping const& other : {mapping(4, 8, 2, 20, 1),
                               mapping(3, 6, 2, 20, 1),
                               mapping(3, 8, 4, 20, 1),
                               mapping(3, 8, 2, 21, 1),
                               mapping(3, 8, 2, 20, 2)})
    CHECK(!(m == other));
}

TEST_CASE("makers: what they refuse")
{
  float x[64] = {};
  CHECK(refusal([&] { nozzle::matrix(x, 3, 8, 7); }) == "nozzle::matrix: pitch = 7: must be at least columns = 8");
  const std::size_t below_zero = std::size_t(0) - 1;
  const std::size_t large = std::size_t(1) << 32; // whose square is 0
  CHECK(refusal([&] { nozzle::matrix(x, below_zero, 8); })
        == "nozzle::matrix: rows = 18446744073709551615: no memory holds a matrix so large");
  CHECK(refusal([&] { nozzle::matrix(x, large, large); })
        == "nozzle::matrix: columns = 4294967296: no memory holds a matrix so large");
  CHECK(refusal([&] { nozzle::matrix(x, large, 8, large); })
        == "nozzle::matrix: pitch = 4294967296: no memory holds a matrix so large");
  const std::size_t limit = std::size_t(1) << 61; // floats of 2^63 bytes
  CHECK(refusal([&] { nozzle::matrix(x, limit, 1); })
        == "nozzle::matrix: rows = 2305843009213693952: no memory holds a matrix so large");
  CHECK(refusal([&] { nozzle::matrix(x, limit / 2, 1); }).empty());
  CHECK(refusal([&] { nozzle::columns(nozzle::matrix(x, 3, 8), 6, 3); })
        == "nozzle::columns: begin + count = 9: the matrix has 8 columns");
  CHECK(refusal([&] { nozzle::columns(nozzle::matrix(x, 3, 8), below_zero, 2); })
        == "nozzle::columns: begin = 18446744073709551615: the matrix has 8 columns");
  CHECK(refusal([&] { nozzle::columns(nozzle::matrix(x, 3, 8), 2, below_zero); })
        == "nozzle::columns: count = 18446744073709551615: the matrix has 8 columns");
  CHECK(refusal([&] { nozzle::halves(nozzle::matrix(x, 3, 7)); }) == "nozzle::halves: columns = 7: must be even");
  CHECK(refusal([&] { nozzle::interleaved(nozzle::matrix(x, 3, 12), 4); })
        == "nozzle::interleaved: block = 4: pairs of blocks must fill columns = 12");
  CHECK(refusal([&] { nozzle::interleaved(nozzle::matrix(x, 3, 12), 0); })
        == "nozzle::interleaved: block = 0: pairs of blocks must fill columns = 12");
  CHECK(refusal([&] { nozzle::interleaved(nozzle::matrix(x, 3, 12), std::size_t(1) << 63); })
        == "nozzle::interleaved: block = 9223372036854775808: pairs of blocks must fill columns = 12");
}
