#include <nozzle/nozzle.h>

#include "test/c_interface/built_rows.hpp"
#include "test/c_interface/nozzle_call.hpp"
#include "test/reference/catalogue.hpp"
#include "test/support/text.hpp"

#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/detail/error.hpp>
#include <nozzle/version.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

// The C interface on the host: what it lists, and what it refuses. An enumerator may be any int, nozzle_op{1000} too.

namespace
{

using nozzle::detail::address;

std::string read(char const* path)
{
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

constexpr nozzle_function hardtanh{NOZZLE_HARDTANH, 0, {}};
constexpr nozzle_function swiglu{NOZZLE_SWIGLU, 0, {}};

/// Fails the test unless the call returns this status, with all of the parts in its message.
void check_refused(nozzle_status expected,
                   std::initializer_list<std::string> parts,
                   std::function<nozzle_status()> const& call)
{
  CHECK(call() == expected);
  const std::string message = nozzle_last_error();
  CAPTURE(message);
  for (std::string const& part : parts)
  {
    CAPTURE(part);
    CHECK(message.find(part) != std::string::npos);
  }
}

nozzle_status apply(nozzle_function const& f, std::size_t n, void const* x, void* y, nozzle_type type = NOZZLE_FLOAT)
{
  return nozzle_apply(&f, type, n, x, y, NOZZLE_HOST, nullptr);
}

/// As nozzle.h writes them: (lo = -1, hi = 1).
std::string stated_parameters(nozzle_description const& d)
{
  std::ostringstream text;
  for (int i = 0; i < d.parameters; ++i)
  {
    text << (i == 0 ? "(" : ", ") << d.parameter_names[i];
    const double value = d.defaults[i];
    if (std::isinf(value))
      text << (value > 0 ? " = infinity" : " = -infinity");
    else if (value == 1. / 8 || value == 1. / 3)
      text << " = 1/" << 1 / value;
    else if (!std::isnan(value))
      text << " = " << value;
  }
  text << (d.parameters > 0 ? ")" : "");
  return text.str();
}

/// The values of a few floats, in memory that has room around them.
struct memory
{
  std::vector<float> values = std::vector<float>(32, 7.f);

  float* at(std::size_t i) { return values.data() + i; }

  bool is_untouched() const { return values == std::vector<float>(32, 7.f); }
};

} // namespace

TEST_CASE("the list is the catalogue's")
{
  int op = 0;
  catalogue::for_each_row_of(built_rows,
                             [&](auto const& row)
                             {
                               using functor = std::decay_t<decltype(row.op)>;
                               nozzle_description const* const d = nozzle_describe(op);
                               CAPTURE(row.name);
                               REQUIRE(d != nullptr);
                               CHECK(d->op == op);
                               CHECK(d->name == std::string(row.name));
                               CHECK(d->inputs == row.inputs);
                               CHECK(d->has_gradient_from_result
                                     == (row.inputs == 1 && row.states.has_from_result ? 1 : 0));
                               if constexpr (decltype(row.sets){}.size() > 0)
                                 CHECK(d->parameters == static_cast<int>(row.sets[0].size()));
                               else
                                 CHECK(d->parameters == 0);
                               CHECK(d->required == (std::is_default_constructible_v<functor> ? 0 : d->parameters));
                               ++op;
                             });
  CHECK(nozzle_describe(op) == nullptr);
  CHECK(nozzle_describe(-1) == nullptr);
}

// A program that is compiled already holds them. A new function goes behind the last.
TEST_CASE("enumerators keep their numbers")
{
  CHECK(std::vector<int>{NOZZLE_OK, NOZZLE_INVALID_ARGUMENT, NOZZLE_UNAVAILABLE, NOZZLE_CUDA_ERROR, NOZZLE_FAILURE}
        == std::vector<int>{0, 1, 2, 3, 4});
  CHECK(std::vector<int>{NOZZLE_DOUBLE, NOZZLE_FLOAT, NOZZLE_HALF, NOZZLE_BF16, NOZZLE_FP8_E4M3, NOZZLE_FP8_E5M2}
        == std::vector<int>{0, 1, 2, 3, 4, 5});
  CHECK(std::vector<int>{NOZZLE_HOST, NOZZLE_CUDA} == std::vector<int>{0, 1});
  std::istringstream names(
    "identity scale bias hardtanh hardsigmoid hardsigmoid_onnx relu relu6 squared_relu leaky_relu prelu prelu_weights "
    "rrelu threshold thresholded_relu hardshrink softshrink hardswish softsign sigmoid log_sigmoid tanh tanhshrink "
    "softplus elu celu selu silu swish quick_gelu mish gelu gelu_tanh glu swiglu geglu geglu_tanh reglu limited_swiglu "
    "squared_reglu fatreglu limited_geglu quick_geglu swiglustep situglu general_relu clip shrink sparse_plus "
    "sparse_sigmoid star_relu hard_mish exp expm1 scaled_tanh parametric_softplus sqrt_softplus squareplus laplace "
    "xielu");
  std::string name;
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
  {
    names >> name;
    CHECK(nozzle_describe(op)->name == name);
  }
}

TEST_CASE("functions that are not in every build have numbers, and lib/README.md names them")
{
  const std::string text = read(NOZZLE_LIBRARY_README);
  const std::size_t begin = text.find("## Less common functions");
  REQUIRE(begin != std::string::npos);
  std::string named = text.substr(begin);
  named = named.substr(0, named.find("\n## ", 1));
  memory m;
  int op = NOZZLE_FATREGLU;
  catalogue::for_each_row_of(catalogue::optional_rows,
                             [&](auto const& row)
                             {
                               CAPTURE(row.name);
                               std::string quoted = "`"; // g++ 12 warns, wrongly, of a sum of these
                               quoted += row.name;
                               quoted += '`';
                               CHECK(named.find(quoted) != std::string::npos);
                               const nozzle_function f{nozzle_op{++op}, 0, {}};
                               if (nozzle_describe(op) == nullptr)
                                 check_refused(NOZZLE_UNAVAILABLE,
                                               {"f->op = ", row.name, "built without it", "NOZZLE_ALL_FUNCTIONS"},
                                               [&] { return apply(f, 8, m.at(0), m.at(8)); });
                             });
  check_refused(NOZZLE_INVALID_ARGUMENT,
                {"f->op = " + std::to_string(op + 1), "no such function"},
                [&] {
                  return apply({nozzle_op{op + 1}, 0, {}}, 8, m.at(0), m.at(8));
                });
  CHECK(m.is_untouched());
}

TEST_CASE("README's table has every function")
{
  const std::string text = read(NOZZLE_README);
  const auto check_row = [&text](auto const& row)
  {
    CAPTURE(row.name);
    std::string name = row.name;
    if (name == "prelu_weights")
      name = "prelu";
    name.insert(0, 1, '`');
    const auto has = [&](char next) { return text.find(name + next) != std::string::npos; };
    CHECK((has('`') || has('{') || has('(')));
  };
  catalogue::for_each_row(check_row);
}

TEST_CASE("parameters have names, and defaults where they need not be given")
{
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
  {
    nozzle_description const& d = *nozzle_describe(op);
    CAPTURE(d.name);
    REQUIRE(d.parameters <= NOZZLE_MAX_PARAMETERS);
    for (int i = 0; i < NOZZLE_MAX_PARAMETERS; ++i)
    {
      CHECK((d.parameter_names[i] != nullptr) == (i < d.parameters));
      CHECK(std::isnan(d.defaults[i]) == (i < d.required || i >= d.parameters));
    }
  }
  CHECK(nozzle_describe(NOZZLE_HARDTANH)->defaults[0] == nozzle::hardtanh{}.lo());
  CHECK(nozzle_describe(NOZZLE_HARDTANH)->defaults[1] == nozzle::hardtanh{}.hi());
}

TEST_CASE("nozzle.h states every function's parameters and defaults")
{
  const std::string header = read(NOZZLE_HEADER);
  const std::string text = header.substr(header.find("typedef enum nozzle_op"));
  for (int op = 0; nozzle_describe(op) != nullptr; ++op)
  {
    nozzle_description const& d = *nozzle_describe(op);
    const std::size_t begin = text.find(" = " + std::to_string(op) + (nozzle_describe(op + 1) != nullptr ? "," : ""));
    REQUIRE(begin != std::string::npos);
    const std::string line = text.substr(begin, text.find('\n', begin) - begin);
    CAPTURE(d.name);
    CAPTURE(line);
    CHECK(line.find(stated_parameters(d)) != std::string::npos);
    const auto equals_signs = std::count(line.begin(), line.end(), '='); // one is the number's
    CHECK(equals_signs == 1 + d.parameters - d.required);
  }
}

TEST_CASE("parameters that are not given are the defaults")
{
  const std::vector<float> x{-3, -1.5, 0.5, 3};
  std::vector<float> y(x.size());
  REQUIRE(apply({NOZZLE_HARDTANH, 1, {-2}}, x.size(), x.data(), y.data()) == NOZZLE_OK);
  CHECK(y == std::vector<float>{-2, -1.5, 0.5, 1});
  REQUIRE(apply({NOZZLE_HARDTANH, 0, {5, 6}}, x.size(), x.data(), y.data()) == NOZZLE_OK);
  CHECK(y == std::vector<float>{-1, -1, 0.5, 1});
}

TEST_CASE("a result may replace its input, on one thread and on many")
{
  for (std::size_t n : {std::size_t(1), std::size_t(1000), std::size_t(1) << 21})
  {
    std::vector<float> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = static_cast<float>(i % 5) - 2;
    REQUIRE(apply(hardtanh, n, x.data(), x.data()) == NOZZLE_OK);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < n; ++i)
      wrong += x[i] == static_cast<float>(i % 5 == 0 || i % 5 == 1 ? -1 : i % 5 == 2 ? 0 : 1) ? 0 : 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("no elements: pointers are not looked at, all else is")
{
  CHECK(apply(hardtanh, 0, nullptr, nullptr) == NOZZLE_OK);
  CHECK(apply({NOZZLE_HARDTANH, 2, {2, 1}}, 0, nullptr, nullptr) == NOZZLE_INVALID_ARGUMENT);
  CHECK(apply(swiglu, 0, nullptr, nullptr) == NOZZLE_INVALID_ARGUMENT);
}

TEST_CASE("bad functions and numbers are refused by name and value")
{
  memory m;
  const auto refused = [&](std::initializer_list<std::string> parts, nozzle_function const* f)
  {
    check_refused(NOZZLE_INVALID_ARGUMENT,
                  parts,
                  [&] { return nozzle_apply(f, NOZZLE_FLOAT, 8, m.at(0), m.at(8), NOZZLE_HOST, nullptr); });
  };
  const auto refused_function = [&](std::initializer_list<std::string> parts, nozzle_function f)
  { refused(parts, &f); };
  refused({"nozzle_apply: f = NULL"}, nullptr);
  alignas(nozzle_function) char room[2 * sizeof(nozzle_function)] = {};
  void* const shifted = room + 1;
  refused({"f = " + nozzle::detail::address(shifted), "not aligned"}, static_cast<nozzle_function const*>(shifted));
  refused_function({"f->op = 1000", "no such function"}, {nozzle_op{1000}, 0, {}});
  refused_function({"f->op = -1", "no such function"}, {nozzle_op{-1}, 0, {}});
  refused_function({"f->op = swiglu", "two inputs"}, swiglu);
  refused_function({"f->count = 3", "hardtanh has 2 parameters"}, {NOZZLE_HARDTANH, 3, {}});
  refused_function({"f->count = -1", "hardtanh has 2 parameters"}, {NOZZLE_HARDTANH, -1, {}});
  refused_function({"f->count = 1", "threshold has 2 parameters", "2 of them"}, {NOZZLE_THRESHOLD, 1, {}});
  refused_function({"nozzle_apply: hardtanh: lo = 2", "must not exceed hi = 1"}, {NOZZLE_HARDTANH, 1, {2}});
  refused_function({"nozzle_apply: celu: alpha = 1e-310"}, {NOZZLE_CELU, 1, {1e-310}});
  refused_function({"leaky_relu: slope = nan"}, {NOZZLE_LEAKY_RELU, 1, {std::nan("")}});

  for (int number : {-1, 6})
    check_refused(NOZZLE_INVALID_ARGUMENT,
                  {"type = " + std::to_string(number)},
                  [&] { return apply(hardtanh, 8, m.at(0), m.at(8), nozzle_type{number}); });
  for (int number : {-1, 2})
    check_refused(
      NOZZLE_INVALID_ARGUMENT,
      {"place = " + std::to_string(number)},
      [&] { return nozzle_apply(&hardtanh, NOZZLE_FLOAT, 8, m.at(0), m.at(8), nozzle_place{number}, nullptr); });
  check_refused(
    NOZZLE_INVALID_ARGUMENT,
    {"nozzle_apply_two", "f->op = hardtanh", "one input"},
    [&] { return nozzle_apply_two(&hardtanh, NOZZLE_FLOAT, 8, m.at(0), m.at(8), m.at(16), NOZZLE_HOST, nullptr); });
  const nozzle_function gelu{NOZZLE_GELU, 0, {}};
  check_refused(
    NOZZLE_INVALID_ARGUMENT,
    {"nozzle_gradient_from_result", "f->op = gelu", "does not determine its slope"},
    [&]
    { return nozzle_gradient_from_result(&gelu, NOZZLE_FLOAT, 8, m.at(0), m.at(8), m.at(16), NOZZLE_HOST, nullptr); });
  CHECK(m.is_untouched());
}

TEST_CASE("bad ranges are refused by name and value, in every call")
{
  memory m;
  char* const x = reinterpret_cast<char*>(m.at(8));
  float* const other = m.at(24);
  constexpr std::size_t n = 8;
  const auto refused = [](std::initializer_list<std::string> parts, std::function<nozzle_status()> const& call)
  { check_refused(NOZZLE_INVALID_ARGUMENT, parts, call); };

  refused({"x = " + address(x + 2), "4 bytes"}, [&] { return apply(hardtanh, n, x + 2, other); });
  refused({"y = " + address(x + 1), "2 bytes"}, [&] { return apply(hardtanh, n, other, x + 1, NOZZLE_HALF); });
  for (std::size_t too_many : {SIZE_MAX / 4, SIZE_MAX / 4 + 1})
    refused({"n = " + std::to_string(too_many)}, [&] { return apply(hardtanh, too_many, x, other); });
  for (int shift : {-28, -4, 4, 28})
    refused({"y = " + address(x + shift), "overlaps part of x = " + address(x), "n = 8"},
            [&] { return apply(hardtanh, n, x, x + shift); });

  refused({"nozzle_gradient: dx = ", "overlaps part of g"},
          [&] { return nozzle_gradient(&hardtanh, NOZZLE_FLOAT, n, x, other, x + 4, NOZZLE_HOST, nullptr); });
  refused({"nozzle_gradient_first: da = ", "overlaps part of b"},
          [&]
          { return nozzle_gradient_first(&swiglu, NOZZLE_FLOAT, n, other, other, x, x - 4, NOZZLE_HOST, nullptr); });
  CHECK(m.is_untouched());
}

TEST_CASE("NULL is refused by the name of each argument, in every call")
{
  memory m;
  const auto check = [&m](char const* entry, std::initializer_list<char const*> names, auto call)
  {
    std::size_t missing = 0;
    for (char const* name : names)
    {
      void* at[] = {m.at(0), m.at(8), m.at(16), m.at(24)};
      at[missing++] = nullptr;
      check_refused(NOZZLE_INVALID_ARGUMENT,
                    {std::string(entry) + ": " + name + " = NULL: it must hold n = 8"},
                    [&] { return call(at); });
    }
  };
  const auto check_three =
    [&check](char const* entry, std::initializer_list<char const*> names, nozzle_function const& f, auto call)
  {
    check(
      entry, names, [&](void** at) { return call(&f, NOZZLE_FLOAT, 8, at[0], at[1], at[2], NOZZLE_HOST, nullptr); });
  };
  const auto check_four = [&check](char const* entry, std::initializer_list<char const*> names, auto call)
  {
    check(entry,
          names,
          [&](void** at) { return call(&swiglu, NOZZLE_FLOAT, 8, at[0], at[1], at[2], at[3], NOZZLE_HOST, nullptr); });
  };
  check("nozzle_apply", {"x", "y"}, [](void** at) { return apply(hardtanh, 8, at[0], at[1]); });
  check_three("nozzle_gradient", {"g", "x", "dx"}, hardtanh, nozzle_gradient);
  check_three("nozzle_gradient_from_result", {"g", "y", "dx"}, hardtanh, nozzle_gradient_from_result);
  check_three("nozzle_apply_two", {"a", "b", "y"}, swiglu, nozzle_apply_two);
  check_four("nozzle_gradient_first", {"g", "a", "b", "da"}, nozzle_gradient_first);
  check_four("nozzle_gradient_second", {"g", "a", "b", "db"}, nozzle_gradient_second);
  CHECK(m.is_untouched());
}

TEST_CASE("ranges that touch do not overlap")
{
  memory m;
  CHECK(apply(hardtanh, 8, m.at(0), m.at(8)) == NOZZLE_OK);
  CHECK(apply(hardtanh, 8, m.at(8), m.at(0)) == NOZZLE_OK);
}

TEST_CASE("each thread has its own latest error, which later successes leave")
{
  memory m;
  REQUIRE(apply(hardtanh, 8, nullptr, m.at(0)) == NOZZLE_INVALID_ARGUMENT);
  const std::string before = nozzle_last_error();
  std::thread(
    [&]
    {
      CHECK(nozzle_last_error() == std::string());
      CHECK(apply({NOZZLE_HARDTANH, 2, {2, 1}}, 8, m.at(0), m.at(8)) == NOZZLE_INVALID_ARGUMENT);
    })
    .join();
  CHECK(apply(hardtanh, 8, m.at(0), m.at(8)) == NOZZLE_OK);
  CHECK(nozzle_last_error() == before);
}

TEST_CASE("without CUDA, or without a device, CUDA is refused")
{
  static memory m; // there are devices that reach it: nozzle_cuda.cpp
  const nozzle_status status = nozzle_apply(&hardtanh, NOZZLE_FLOAT, 8, m.at(0), m.at(8), NOZZLE_CUDA, nullptr);
  if (nozzle_has_cuda() != 0 && status == NOZZLE_OK)
  {
    MESSAGE("not checked: this device reaches the host's memory");
    return;
  }
  if (nozzle_has_cuda() == 0)
    CHECK(status == NOZZLE_UNAVAILABLE);
  else
    CHECK((status == NOZZLE_CUDA_ERROR || status == NOZZLE_INVALID_ARGUMENT)); // here, or with a device
  const char* const about = status == NOZZLE_INVALID_ARGUMENT ? "host's memory" : "CUDA";
  CHECK(std::string(nozzle_last_error()).find(about) != std::string::npos);
  CHECK(m.is_untouched());
}

TEST_CASE("a function that a build has on hosts alone is refused on CUDA, for no elements too")
{
  const nozzle_function gelu{NOZZLE_GELU, 0, {}};
  const nozzle_status status = nozzle_apply(&gelu, NOZZLE_FLOAT, 0, nullptr, nullptr, NOZZLE_CUDA, nullptr);
#if defined(NOZZLE_OPERATIONS) // the library has that number of functions on a GPU, in the order of nozzle_op
  const bool is_built = NOZZLE_OPERATIONS > NOZZLE_GELU;
#else
  const bool is_built = true;
#endif
  CHECK(status == (is_built && nozzle_has_cuda() != 0 ? NOZZLE_OK : NOZZLE_UNAVAILABLE));
}

TEST_CASE("the version is the headers'")
{
  CHECK(nozzle_version() == NOZZLE_VERSION);
}
