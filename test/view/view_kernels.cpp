#include "test/support/inputs.hpp"
#include "test/view/device_code.hpp"
#include "test/view/random_operands.hpp"

#include <cuda/std/tuple>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

// A host runs the CUDA kernels for views, one thread after another (device_code.hpp). AddressSanitizer sees what they
// access behind a view, whose memory ends with it (random_operands.hpp).

namespace
{

using nozzle::kernel;
namespace detail = nozzle::detail;
template <class... T>
using list = cuda::std::tuple<T...>;
template <class... T>
using views = list<nozzle::interleaved_view<T>...>;

std::size_t computed_elements = 0;

/// Results that depend on every bit of every input, and on the inputs' order.
template <int Results>
struct mixed
{
  template <class... In>
  auto operator()(In... x) const
  {
    ++computed_elements;
    std::uint64_t hash = 0;
    ((hash = hashed(hash + static_cast<std::uint64_t>(x))), ...);
    if constexpr (Results == 1)
      return hash;
    else
      return list<std::uint64_t, std::uint64_t>(hash, hash >> 32);
  }
};

/// Calls with these types of results' and inputs' elements, of all rows or of a count.
template <class Rows, class Results, class Inputs>
struct call;
template <class Rows, class... Out, class... In>
struct call<Rows, list<Out...>, list<In...>>
{
  using functor = mixed<sizeof...(Out)>;
  using loops = detail::view_loops<views<Out...>, Rows, nozzle::interleaved_view<In>...>;
  using longer_loops = detail::longer_view_loops<views<Out...>, Rows, nozzle::interleaved_view<In>...>;
  template <kernel Kernel, int N>
  static constexpr auto* kernel_of = detail::view_kernel<Kernel, N, functor, list<Out*...>, list<In const*...>, Rows>;

  /// f(name, kernel) for each one.
  template <class F>
  static void for_each_kernel(F const& f)
  {
    constexpr int elements = loops::elements;
    constexpr int few = detail::small_vector_elements(elements);
    f("rows", kernel_of<kernel::rows, elements>);
    f("misaligned_rows", kernel_of<kernel::misaligned_rows, elements>);
    f("paired_rows", kernel_of<kernel::paired_rows, elements>);
    f("scaled_rows", kernel_of<kernel::scaled_rows, elements>);
    f("small_rows of rows", kernel_of<kernel::rows, few>);
    f("small_rows of misaligned_rows", kernel_of<kernel::misaligned_rows, few>);
    f("small_rows of paired_rows", kernel_of<kernel::paired_rows, few>);
    if constexpr (longer_loops::exist)
    {
      f("rows of longer vectors", kernel_of<kernel::rows, longer_loops::elements>);
      f("scaled_rows of longer vectors", kernel_of<kernel::scaled_rows, longer_loops::elements>);
    }
    f("strided", detail::strided_kernel<functor, list<Out*...>, list<In const*...>, Rows>);
  }

  /// What the kernels should do, by a plain loop.
  static void compute(random_operands const& of, int rows, views<Out...> const& results, views<In...> const& inputs)
  {
    for (std::size_t r = 0; r < of.rows && static_cast<int>(r) < rows; ++r)
      for (std::size_t c = 0; c < of.columns; ++c)
      {
        const auto result =
          cuda::std::apply([&](auto&... each) { return functor()(detail::element_at(each, r, c)...); }, inputs);
        cuda::std::apply([&](auto&... each) { detail::assign(result, detail::element_at(each, r, c)...); }, results);
      }
  }

  /// Runs the threads of what launch_view() launches, and counts launches by the kernels' names.
  static void run_launches(bool backwards, std::map<std::string, int>& launches)
  {
    fake::at_launch = [=, &launches](void** arguments)
    {
      const auto run_if_launched = [&](char const* name, auto* kernel)
      {
        if (fake::last_kernel != reinterpret_cast<void const*>(kernel))
          return;
        ++launches[name];
        run_threads(kernel, arguments, backwards);
      };
      for_each_kernel(run_if_launched);
    };
  }

  /// Checks every kernel that serves the operands.
  template <class Loops>
  static void check_kernels(random_operands& of,
                            Loops const& operands,
                            int valid_rows,
                            views<Out...> const& results,
                            views<In...> const& inputs)
  {
    const auto before = of.memory;
    computed_elements = 0;
    compute(of, valid_rows, results, inputs);
    const auto expected = of.memory;
    const std::size_t expected_elements = computed_elements;
    for (kernel each = kernel::small_rows; each <= kernel::strided; each = kernel(int(each) + 1))
    {
      if (detail::obstacle(each, operands.work) != nullptr)
        continue;
      INFO(std::string(nozzle::name(each)));
      of.restore(before);
      computed_elements = 0;
      detail::launch_view({nozzle::route::kernel, {each, of.threads}, ""}, nullptr, functor(), operands);
      REQUIRE((of.memory == expected));
      REQUIRE(computed_elements == expected_elements);
    }
  }

  static void check_case(std::uint64_t seed, std::map<std::string, int>& launches)
  {
    random_operands of(seed, {sizeof(Out)..., sizeof(In)...}, sizeof...(Out));
    operand const* next = of.operands.data(); // in braces, as these are evaluated from left to right
    const views<Out...> results{next++->template as<Out>()...};
    const views<In...> inputs{next++->template as<In>()...};
    const bool has_count = loops::counts && seed % 4 != 0;
    Rows valid{};
    if constexpr (loops::counts)
      valid.count = has_count ? &of.count : nullptr;
    constexpr auto of_types = detail::work_of_types<functor, typename loops::first_result, In...>();
    const auto make_loops = [&](auto&... input) { return loops(of_types, results, valid, input...); };
    const loops operands = cuda::std::apply(make_loops, inputs);

    INFO("seed " << seed << ", " << (has_count ? std::to_string(of.count) : "all") << " valid rows, "
                 << of.description());
    REQUIRE(operands.fits);
    run_launches(of.is_backwards, launches);
    const int rows = has_count ? of.count : static_cast<int>(of.rows);
    check_kernels(of, operands, rows, results, inputs);
    if constexpr (longer_loops::exist)
      if (const longer_loops longer(operands); longer.fits)
        check_kernels(of, longer, rows, results, inputs);
    fake::at_launch = nullptr;
  }

  static void check()
  {
    std::map<std::string, int> launches;
    const std::uint64_t cases = longer_loops::exist ? 4800 : 1200; // of which few fit longer vectors
    for (std::uint64_t seed = 1; seed <= cases; ++seed)
      check_case(seed, launches);
    const auto check_launches = [&](std::string const& name, auto*)
    {
      INFO(name);
      CHECK(launches[name] >= 50);
    };
    for_each_kernel(check_launches);
  }
};

} // namespace

TEST_CASE("random views: every CUDA kernel that serves them gives what a plain loop gives")
{
  using all = detail::all_rows;
  using some = detail::first_rows;
  using byte = unsigned char;
  using word = unsigned short;
  call<all, list<byte>, list<byte, byte>>::check();
  call<some, list<byte, byte>, list<byte, byte, byte>>::check();
  call<all, list<word, word>, list<word, word, word>>::check();
  call<some, list<unsigned, unsigned>, list<unsigned, unsigned>>::check();
  call<some, list<std::uint64_t>, list<std::uint64_t, std::uint64_t, std::uint64_t>>::check();
  call<some, list<byte>, list<unsigned, word, short>>::check();
  call<all, list<std::uint64_t, word>, list<word, byte, byte>>::check();
}
