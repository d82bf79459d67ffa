#include "test/c_interface/nozzle_call.hpp"
#include "test/support/format.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/inputs.hpp"
#include "test/support/text.hpp"

#include <nozzle/detail/error.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

// The calls on matrices give what those on ranges give, bit for bit, wherever the elements lie.

namespace
{

/// How a matrix's elements lie, from the first on.
struct strides
{
  std::size_t row;
  std::size_t column;
  std::size_t first = 0;

  std::size_t operator()(std::size_t i, std::size_t j) const { return first + i * row + j * column; }
};

template <class T>
nozzle_matrix matrix_of(guarded_buffer<T>& memory, strides const& s)
{
  return {memory.data() + s.first, s.row, s.column};
}

/// A size, and where the inputs and results lie. Both inputs lie in one buffer, and so do both gradients.
struct layout
{
  std::size_t rows;
  std::size_t columns;
  strides a, b, y;
};

std::vector<layout> layouts()
{
  std::vector<layout> all;
  for (std::size_t rows : {1, 3, 9})
    for (std::size_t d : rows == 3 ? std::vector<std::size_t>{1, 1100} : std::vector<std::size_t>{1, 7, 64})
    {
      all.push_back({rows, d, {2 * d, 1}, {2 * d, 1, d}, {d, 1}});                    // halves
      all.push_back({rows, d, {2 * d, 2}, {2 * d, 2, 1}, {d, 1}});                    // interleaved
      all.push_back({rows, d, {2 * d + 3, 1, 1}, {2 * d + 3, 1, d + 2}, {d + 5, 1}}); // with gaps
      all.push_back({rows, d, {1, 2 * rows}, {1, 2 * rows, rows}, {1, rows}});        // by columns
    }
  return all;
}

/// The elements of a matrix, row by row.
template <class T>
std::vector<T> elements_of(layout const& l, strides const& s, std::vector<T> const& memory)
{
  std::vector<T> elements;
  for (std::size_t i = 0; i < l.rows; ++i)
    for (std::size_t j = 0; j < l.columns; ++j)
      elements.push_back(memory[s(i, j)]);
  return elements;
}

template <class T>
bool are_same(std::vector<T> const& a, std::vector<T> const& b)
{
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_number<T>);
}

void require_ok(nozzle_status status)
{
  INFO(nozzle_last_error());
  REQUIRE(status == NOZZLE_OK);
}

template <class T>
std::vector<T> some(std::size_t n, int seed)
{
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i)
    x[i] = T(static_cast<float>((i * 37 + static_cast<std::size_t>(seed) * 11) % 101) / 16.f - 3.f);
  return x;
}

/// The memory with a matrix's elements replaced by these.
template <class T>
std::vector<T> with_elements(layout const& l, strides const& s, std::vector<T> memory, std::vector<T> const& elements)
{
  for (std::size_t i = 0; i < l.rows; ++i)
    for (std::size_t j = 0; j < l.columns; ++j)
      memory[s(i, j)] = elements[i * l.columns + j];
  return memory;
}

template <class T>
void check_layout(nozzle_function const& f, layout const& l)
{
  const std::size_t n = l.rows * l.columns;
  const std::size_t last = l.rows - 1;
  const std::size_t in_buffer = l.b(last, l.columns - 1) + 1;
  const std::vector<T> x = some<T>(in_buffer, 1);
  const std::vector<T> g = some<T>(n, 2);
  guarded_buffer<T> packed(x), gradient(g), result(l.y(last, l.columns - 1) + 1), gradients(in_buffer);
  const nozzle_matrix a = matrix_of(packed, l.a), b = matrix_of(packed, l.b), y = matrix_of(result, l.y);
  const nozzle_matrix da = matrix_of(gradients, l.a), db = matrix_of(gradients, l.b);
  const nozzle_matrix dy = {gradient.data(), l.columns, 1};
  const std::vector<T> result_before = result.values();
  std::vector<T> gradients_expected = gradients.values();
  require_ok(nozzle_apply_matrices(&f, type_of<T>, l.rows, l.columns, &a, &b, &y, place, nullptr));
  require_ok(nozzle_gradients_matrices(&f, type_of<T>, l.rows, l.columns, &dy, &a, &b, &da, &db, place, nullptr));

  guarded_buffer<T> first(elements_of(l, l.a, x)), second(elements_of(l, l.b, x)), expected(n);
  require_ok(nozzle_apply_two(&f, type_of<T>, n, first.data(), second.data(), expected.data(), place, nullptr));
  CHECK(are_same(result.values(), with_elements(l, l.y, result_before, expected.values())));
  const auto expect_gradient = [&](auto entry, strides const& s)
  {
    require_ok(entry(&f, type_of<T>, n, gradient.data(), first.data(), second.data(), expected.data(), place, nullptr));
    gradients_expected = with_elements(l, s, gradients_expected, expected.values());
  };
  expect_gradient(nozzle_gradient_first, l.a);
  expect_gradient(nozzle_gradient_second, l.b);
  CHECK(are_same(gradients.values(), gradients_expected));
}

/// The same of a function of one input: a is its matrix.
template <class T>
void check_layout_of_one(nozzle_function const& f, layout const& l)
{
  const std::size_t n = l.rows * l.columns;
  const std::size_t last = l.rows - 1;
  const std::size_t in_buffer = l.a(last, l.columns - 1) + 1;
  const std::vector<T> x = some<T>(in_buffer, 1);
  const std::vector<T> g = some<T>(n, 2);
  guarded_buffer<T> input(x), gradient(g), result(l.y(last, l.columns - 1) + 1), slopes(in_buffer), in_place(x);
  const nozzle_matrix a = matrix_of(input, l.a), y = matrix_of(result, l.y), da = matrix_of(slopes, l.a);
  const nozzle_matrix both = matrix_of(in_place, l.a), dy = {gradient.data(), l.columns, 1};
  const std::vector<T> result_before = result.values();
  const std::vector<T> slopes_before = slopes.values();
  const auto apply = [&](nozzle_matrix const& from, nozzle_matrix const& to)
  { require_ok(nozzle_apply_matrices(&f, type_of<T>, l.rows, l.columns, &from, nullptr, &to, place, nullptr)); };
  apply(a, y);
  apply(both, both);
  require_ok(
    nozzle_gradients_matrices(&f, type_of<T>, l.rows, l.columns, &dy, &a, nullptr, &da, nullptr, place, nullptr));

  guarded_buffer<T> gathered(elements_of(l, l.a, x)), expected(n);
  require_ok(nozzle_apply(&f, type_of<T>, n, gathered.data(), expected.data(), place, nullptr));
  CHECK(are_same(result.values(), with_elements(l, l.y, result_before, expected.values())));
  CHECK(are_same(in_place.values(), with_elements(l, l.a, x, expected.values())));
  require_ok(nozzle_gradient(&f, type_of<T>, n, gradient.data(), gathered.data(), expected.data(), place, nullptr));
  CHECK(are_same(slopes.values(), with_elements(l, l.a, slopes_before, expected.values())));
}

constexpr nozzle_function swiglu{NOZZLE_SWIGLU, 0, {}};

} // namespace

TEST_CASE_TEMPLATE(
  "matrices give what ranges give", T, double, float, __half, __nv_bfloat16, __nv_fp8_e4m3, __nv_fp8_e5m2)
{
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
    for (layout const& l : layouts())
    {
      nozzle_description const& d = *nozzle_describe(op);
      CAPTURE(d.name);
      CAPTURE(l.rows);
      CAPTURE(l.columns);
      CAPTURE(l.a.column);
      const auto check = d.inputs == 1 ? check_layout_of_one<T> : check_layout<T>;
      check({nozzle_op{op}, d.required, {0.5, 0.25}}, l);
    }
}

TEST_CASE("parameters are taken, and gradients may replace the inputs")
{
  guarded_buffer<float> x(std::vector<float>{1, 2, -3, 4}), g(std::vector<float>{1, 2});
  const nozzle_function fatreglu{NOZZLE_FATREGLU, 1, {-4}};
  const nozzle_matrix a{x.data(), 2, 2}, b{x.data() + 1, 2, 2}, dy{g.data(), 1, 1};
  require_ok(nozzle_gradients_matrices(&fatreglu, NOZZLE_FLOAT, 2, 1, &dy, &a, &b, &a, &b, place, nullptr));
  CHECK(x.values() == std::vector<float>{2, 1, 8, -6});
}

TEST_CASE("an input's stride of 0 repeats its row or its column")
{
  constexpr std::size_t rows = 3;
  for (int which = 0; which < 4; ++which)
  {
    const bool by_row = which % 2 == 0;
    const std::size_t columns = which < 2 ? 5 : 8; // the latter are whole vectors
    CAPTURE(by_row);
    CAPTURE(columns);
    const std::vector<float> x = some<float>(rows * columns, 1);
    const std::vector<float> one = some<float>(by_row ? columns : rows, 2);
    std::vector<float> repeated;
    for (std::size_t i = 0; i < rows * columns; ++i)
      repeated.push_back(one[by_row ? i % columns : i / columns]);
    guarded_buffer<float> first(x), second(one), all(repeated), y(rows * columns), expected(rows * columns);
    const nozzle_matrix a{first.data(), columns, 1}, out{y.data(), columns, 1};
    const nozzle_matrix b{second.data(), by_row ? 0u : 1u, by_row ? 1u : 0u};
    require_ok(nozzle_apply_matrices(&swiglu, NOZZLE_FLOAT, rows, columns, &a, &b, &out, place, nullptr));
    require_ok(nozzle_apply_two(
      &swiglu, NOZZLE_FLOAT, rows * columns, first.data(), all.data(), expected.data(), place, nullptr));
    CHECK(are_same(y.values(), expected.values()));
  }
}

TEST_CASE("a result's stride of 0 that reaches no element is allowed")
{
  guarded_buffer<float> x(some<float>(8, 1)), y(8), expected(8);
  require_ok(nozzle_apply_two(&swiglu, NOZZLE_FLOAT, 4, x.data(), x.data() + 4, expected.data(), place, nullptr));
  for (bool is_row : {true, false})
  {
    const std::size_t rows = is_row ? 1 : 4, columns = is_row ? 4 : 1, row_stride = is_row ? 0 : 1;
    const nozzle_matrix a{x.data(), row_stride, 1 - row_stride}, b{x.data() + 4, row_stride, 1 - row_stride};
    const nozzle_matrix out{y.data(), row_stride, 1 - row_stride};
    require_ok(nozzle_apply_matrices(&swiglu, NOZZLE_FLOAT, rows, columns, &a, &b, &out, place, nullptr));
    CHECK(are_same(y.values(), expected.values()));
  }
}

TEST_CASE("bad matrices are refused by name, and nothing is written")
{
  guarded_buffer<float> x(some<float>(16, 1)), y(8);
  const std::vector<float> before = x.values();
  const nozzle_matrix a{x.data(), 4, 1}, b{x.data() + 2, 4, 1}, out{y.data(), 2, 1}, null{nullptr, 4, 1};
  const nozzle_matrix odd{reinterpret_cast<char*>(x.data()) + 2, 4, 1};
  const nozzle_matrix between{x.data() + 1, 4, 1}, repeated{y.data(), 0, 1};
  const auto refused = [](std::string const& part, std::function<nozzle_status()> const& call)
  {
    CHECK(call() == NOZZLE_INVALID_ARGUMENT);
    const std::string message = nozzle_last_error();
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
  };
  const auto apply = [](nozzle_matrix const* first, nozzle_matrix const* second, nozzle_matrix const* to)
  { return nozzle_apply_matrices(&swiglu, NOZZLE_FLOAT, 4, 2, first, second, to, place, nullptr); };
  refused("nozzle_apply_matrices: a = NULL: a matrix is needed", [&] { return apply(nullptr, &b, &out); });
  refused("b->data = NULL: it must hold 4 x 2 elements", [&] { return apply(&a, &null, &out); });
  refused("a = " + nozzle::detail::address(odd.data) + ": not aligned to 4 bytes",
          [&] { return apply(&odd, &b, &out); });
  refused("y = " + nozzle::detail::address(between.data) + " overlaps a = " + nozzle::detail::address(a.data)
            + ": it must equal",
          [&] { return apply(&a, &b, &between); });
  const nozzle_matrix one_column{y.data(), 2, 0};
  refused("y = row_stride 0", [&] { return apply(&a, &b, &repeated); });
  refused("y = column_stride 0", [&] { return apply(&a, &b, &one_column); });
  const nozzle_matrix far_rows{x.data(), SIZE_MAX / 8, 1}, far_columns{x.data(), 1, SIZE_MAX / 4 - 10};
  refused("a = 4 x 2 elements: their strides reach past the last address", [&] { return apply(&far_rows, &b, &out); });
  refused("y = 4 x 2 elements", [&] { return apply(&a, &b, &far_columns); });
  const nozzle_matrix far_together{x.data(), SIZE_MAX / 24, SIZE_MAX / 8}; // neither is too far by itself
  refused("a = 4 x 2 elements: their strides reach past the last address",
          [&] { return apply(&far_together, &b, &out); });
  alignas(nozzle_matrix) char room[2 * sizeof(nozzle_matrix)] = {};
  void* const shifted = room + 1;
  refused("a = " + nozzle::detail::address(shifted) + ": not aligned to 8 bytes",
          [&] { return apply(static_cast<nozzle_matrix const*>(shifted), &b, &out); });
  refused(
    "nozzle_gradients_matrices: db = NULL",
    [&] { return nozzle_gradients_matrices(&swiglu, NOZZLE_FLOAT, 4, 2, &out, &a, &b, &a, nullptr, place, nullptr); });
  refused("da = " + nozzle::detail::address(a.data) + " overlaps db = " + nozzle::detail::address(a.data)
            + ": results must lie apart",
          [&] { return nozzle_gradients_matrices(&swiglu, NOZZLE_FLOAT, 4, 2, &out, &a, &b, &a, &a, place, nullptr); });
  const nozzle_function relu{NOZZLE_RELU, 0, {}};
  const std::string one = "= " + nozzle::detail::address(&b) + ": relu has one input: it must be NULL";
  refused("b " + one, [&] { return nozzle_apply_matrices(&relu, NOZZLE_FLOAT, 4, 2, &a, &b, &out, place, nullptr); });
  const auto gradients = [&](nozzle_matrix const* second, nozzle_matrix const* db)
  { return nozzle_gradients_matrices(&relu, NOZZLE_FLOAT, 4, 2, &out, &a, second, &a, db, place, nullptr); };
  refused("b " + one, [&] { return gradients(&b, nullptr); });
  refused("db " + one, [&] { return gradients(nullptr, &b); });
  refused("da = " + nozzle::detail::address(between.data) + " overlaps a",
          [&] {
            return nozzle_gradients_matrices(
              &relu, NOZZLE_FLOAT, 4, 2, &out, &a, nullptr, &between, nullptr, place, nullptr);
          });
  CHECK(x.values() == before);
  CHECK(y.values() == guarded_buffer<float>(8).values());
  for (std::size_t rows : {0, 4})
    CHECK(nozzle_apply_matrices(&swiglu, NOZZLE_FLOAT, rows, rows == 0 ? 4 : 0, &null, &null, &null, place, nullptr)
          == NOZZLE_OK);
}
