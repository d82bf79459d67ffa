#include "test/support/evaluate.hpp"
#include "test/support/format.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/route.hpp"

#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/fill.h>
#include <thrust/host_vector.h>
#include <thrust/system/cpp/execution_policy.h>
#include <thrust/transform.h>

#include <algorithm>
#include <cstddef>
#include <vector>

// A user's namespace may have functions of any name, and take anything: none of them is called instead of nozzle's own.
// And the name transform means what ordinary lookup finds, whatever the arguments' namespaces have.

// The types of 16 and 8 bits are in the global namespace.
template <class Precision, class T>
Precision lift(T) = delete;
template <class T>
float2 lifted_pair(unsigned) = delete;
float float_by_bits(__half) = delete;
float float_by_bits(__nv_bfloat16) = delete;
float float_by_bits(__nv_fp8_e4m3) = delete;
float device_float(__half) = delete;
float device_float(__nv_bfloat16) = delete;
float device_float(__nv_fp8_e4m3) = delete;
bool same_bits(uint4, uint4) = delete;
#if defined(__CUDACC__)
void throw_on_error(cudaError_t, char const*) = delete;
#endif
template <std::size_t N>
void store_bf16(float const*, __nv_bfloat16*) = delete;

namespace user
{

struct cell
{
  float value;
};

struct doubled
{
  static constexpr nozzle::cost cost_class = nozzle::cost::exp;

  NOZZLE_HOST_DEVICE cell operator()(cell x) const { return {2 * x.value}; }

  NOZZLE_HOST_DEVICE cell operator()(cell x, cell y) const { return {x.value + y.value}; }
};

struct both
{
  NOZZLE_HOST_DEVICE cuda::std::tuple<cell, cell> operator()(cell x) const { return {x, x}; }
};

/// The user's part of a chain, which makes all of it the user's.
struct negated
{
  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return -x;
  }
};

struct policy : thrust::system::cpp::detail::execution_policy<policy>
{
};

template <class T>
void operator,(cell const&, T&&) = delete;

// These match a chain as well as nozzle's do.
template <class... Ts, class Op, class... Numbers>
void compute_unrounded(Op const&, Numbers...) = delete;
template <bool HasFma, class Op>
void form_of(Op const&) = delete;
template <class Isa, class Op>
void form_for(Op const&) = delete;
template <class Isa, std::size_t N, class... In, class Op, class P, class... Lifted>
void compute_lifted(Op const&, P*, Lifted const&...) = delete;
template <class Isa, std::size_t N, class Op, class Out, class... In>
void compute_block(Op const&, Out*, In const*...) = delete;
template <class Isa, std::size_t N, class Op, class Out, class... In>
std::size_t compute_blocks(std::size_t, std::size_t, Op const&, Out*, In const*...) = delete;
template <class Isa, class Op, class Out, class... In>
void compute_range(std::size_t, std::size_t, Op const&, Out*, In const*...) = delete;

#define NOT_NOZZLES(name)                                                                                              \
  template <class... Arguments>                                                                                        \
  int name(Arguments&&...) = delete;

template <class To, class From>
To bit_cast(From const&) = delete;

NOT_NOZZLES(adapt_op)
NOT_NOZZLES(address)
NOT_NOZZLES(assign)
NOT_NOZZLES(avx2_loop)
NOT_NOZZLES(baseline_loop)
NOT_NOZZLES(begins_vector)
NOT_NOZZLES(carry_out)
NOT_NOZZLES(check_element_alignment)
NOT_NOZZLES(check_overlap)
NOT_NOZZLES(check_ranges)
NOT_NOZZLES(compute)
NOT_NOZZLES(compute_all)
NOT_NOZZLES(compute_block)
NOT_NOZZLES(compute_elements)
NOT_NOZZLES(compute_leftover)
NOT_NOZZLES(compute_lifted)
NOT_NOZZLES(compute_range)
NOT_NOZZLES(compute_rest)
NOT_NOZZLES(compute_strided)
NOT_NOZZLES(compute_vector)
NOT_NOZZLES(compute_vectors)
NOT_NOZZLES(direct_loop)
NOT_NOZZLES(erase)
NOT_NOZZLES(erase_parts)
NOT_NOZZLES(fastest_loop)
NOT_NOZZLES(for_each_chunk)
NOT_NOZZLES(for_each_index)
NOT_NOZZLES(for_each_of)
NOT_NOZZLES(form_for)
NOT_NOZZLES(gather)
NOT_NOZZLES(has_paired_rows)
NOT_NOZZLES(interleave)
NOT_NOZZLES(large_loop)
NOT_NOZZLES(launch)
NOT_NOZZLES(launch_kernel)
NOT_NOZZLES(launch_of)
NOT_NOZZLES(launch_plan)
NOT_NOZZLES(launch_rows)
NOT_NOZZLES(launch_strided)
NOT_NOZZLES(launch_view)
NOT_NOZZLES(layout_of)
NOT_NOZZLES(lift)
NOT_NOZZLES(load)
NOT_NOZZLES(loop)
NOT_NOZZLES(loop_as_floats)
NOT_NOZZLES(make_arguments)
NOT_NOZZLES(make_nest)
NOT_NOZZLES(make_view_arguments)
NOT_NOZZLES(map)
NOT_NOZZLES(misaligned_address)
NOT_NOZZLES(obstacle)
NOT_NOZZLES(planned_loop)
NOT_NOZZLES(resolve)
NOT_NOZZLES(rounded)
NOT_NOZZLES(run)
NOT_NOZZLES(run_library)
NOT_NOZZLES(run_view)
NOT_NOZZLES(run_view_library)
NOT_NOZZLES(run_view_loop)
NOT_NOZZLES(scatter)
NOT_NOZZLES(separate)
NOT_NOZZLES(serves)
NOT_NOZZLES(sort_arguments)
NOT_NOZZLES(sort_behind)
NOT_NOZZLES(sort_by_position)
NOT_NOZZLES(store_view)
NOT_NOZZLES(stream_for)
NOT_NOZZLES(stream_piece)
NOT_NOZZLES(streaming_loop)
NOT_NOZZLES(system_of)
NOT_NOZZLES(is_aligned)
NOT_NOZZLES(throw_misaligned)
NOT_NOZZLES(throw_overlap)
NOT_NOZZLES(throw_reversed)
NOT_NOZZLES(throw_route)
NOT_NOZZLES(thrust_transform)
NOT_NOZZLES(users_loop)
NOT_NOZZLES(view_loop)
NOT_NOZZLES(wait_for)
NOT_NOZZLES(with_pointers)
NOT_NOZZLES(work_of)
NOT_NOZZLES(work_of_types)

// Those that take pointers, numbers and functors match them better than nozzle's templates do.
void check_element_alignment(char const*, cell const*) = delete;
void check_overlap(std::size_t, char const*, cell const*, std::size_t, char const*, cell const*, std::size_t) = delete;
doubled form_for(doubled const&) = delete;
template <class Out, class... In, class Op>
void erase_loop(Op const&) = delete;
template <std::size_t K, class Out, class... In, class Op>
void erase_part(Op const&) = delete;
template <std::size_t K, class Op>
void part(Op const&) = delete;
void compute_range(std::size_t, std::size_t, doubled const&, cell*, cell const*) = delete;
void baseline_loop(std::size_t, std::size_t, doubled const&, cell*, cell const*) = delete;
void avx2_loop(std::size_t, std::size_t, doubled const&, cell*, cell const*) = delete;
void avx512_loop(std::size_t, std::size_t, doubled const&, cell*, cell const*) = delete;

template <int N>
bool begins_vector(cell const*) = delete;

template <int N>
std::size_t elements_before_vector(cell const*) = delete;

template <class Out, class... In>
nozzle::work work_of(nozzle::work, std::size_t, Out const*, In const*...) = delete;

#if defined(__CUDACC__)

template <nozzle::kernel Kernel, class Op, class Out, class... In>
void launch_kernel(nozzle::plan const&, cudaStream_t, std::size_t, Op const&, Out*, In const*...) = delete;

template <auto* Kernel, class Op>
nozzle::detail::kernel_launch launch_of(nozzle::plan const&, cudaStream_t, Op const&) = delete;

#endif

// Those that take an iterator or a view match it as well as nozzle's do.
template <class Iterator>
Iterator pointer_or_iterator(Iterator) = delete;

template <class Iterator>
std::size_t extent(Iterator, Iterator) = delete;

template <class View>
int block_of(View const&) = delete;

template <class View>
int byte_set_of(View const&) = delete;

template <class View>
int strides_of(View const&, std::size_t) = delete;

template <class View>
int element_at(View const&, std::size_t, std::size_t) = delete;

} // namespace user

template <>
struct cuda::proclaims_copyable_arguments<user::doubled> : std::true_type
{
};
template <>
struct cuda::proclaims_copyable_arguments<user::both> : std::true_type
{
};
template <>
struct cuda::proclaims_copyable_arguments<user::negated> : std::true_type
{
};

TEST_CASE("nozzle calls its own functions, whatever a functor's and its values' namespace has")
{
  constexpr std::size_t n = 5000;
  const std::vector<user::cell> ones(n, {1.f});
  for (named_selector const& by : every_route())
  {
    INFO(by.name);
    guarded_buffer<user::cell> x(ones);
    guarded_buffer<user::cell> y(n);
    nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), user::doubled{}, by.select);
    nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), x.begin(), user::doubled{}, by.select);
    bool all_right = true;
    for (user::cell each : x.values())
      all_right = all_right && each.value == 3;
    CHECK(all_right);
  }
}

TEST_CASE("and whatever a policy's namespace has")
{
  const std::vector<user::cell> x(100, {1.f});
  std::vector<user::cell> y(100);
  nozzle::transform(user::policy{}, x.begin(), x.end(), y.begin(), user::doubled{});
  CHECK(y[99].value == 2);
}

TEST_CASE_TEMPLATE("and whatever the global one has", T, __half, __nv_bfloat16, __nv_fp8_e4m3)
{
  const std::vector<T> x(77, round_to<T>(2));
  CHECK(nozzle::detail::lift<float>(nozzle::relu{}(x[0])) == 2);
  CHECK(nozzle::detail::lift<float>(evaluate<T>(nozzle::relu{}, x)[76]) == 2);
  CHECK(nozzle::detail::lift<float>(evaluate<T>(nozzle::gradient(nozzle::gelu{}), x, x)[76]) > 2);
  CHECK(
    nozzle::detail::lift<float>(evaluate<T>(nozzle::compose(user::negated{}, nozzle::relu{}, user::negated{}), x)[76])
    == 0);
  guarded_buffer<T> y(x);
  nozzle::transform(thrust::device, y.begin(), y.end(), y.begin(), nozzle::relu{});
  CHECK(same_bits(y.values(), x));
}

TEST_CASE("and over views")
{
  thrust::device_vector<user::cell> twins(2 * 32);
  thrust::fill_n(twins.begin(), 32, user::cell{1.f});
  const auto first = nozzle::matrix(twins.begin(), 4, 8);
  const auto second = nozzle::matrix(twins.begin() + 32, 4, 8);
  nozzle::transform(thrust::device, first, cuda::std::make_tuple(first, second), user::both{});
  const thrust::host_vector<user::cell> of_both = twins;
  CHECK(std::all_of(of_both.begin(), of_both.end(), [](user::cell each) { return each.value == 1; }));
  const auto twice = nozzle::fan_out(user::doubled{}, user::doubled{});
  nozzle::transform(thrust::device, second, cuda::std::make_tuple(second, first), twice);
  CHECK(static_cast<user::cell>(twins[0]).value == 2);
  for (nozzle::selector select : {nozzle::plan_for, nozzle::always_library})
  {
    thrust::device_vector<user::cell> x(4 * 16, user::cell{1.f});
    thrust::device_vector<user::cell> y(4 * 8);
    const auto [left, right] = nozzle::interleaved(nozzle::matrix(x.begin(), 4, 16), 2);
    nozzle::transform(thrust::device, left, right, nozzle::matrix(y.begin(), 4, 8), user::doubled{}, select);
    const thrust::host_vector<user::cell> result = y;
    CHECK(std::all_of(result.begin(), result.end(), [](user::cell each) { return each.value == 2; }));
  }
}

namespace by_directive
{

using namespace nozzle;

template <class Iterator>
nozzle::plan planned(Iterator first, Iterator last)
{
  transform(first, last, first, relu{});
  transform(thrust::device, first, last, first, relu{});
  return explain(first, last, first, relu{});
}

} // namespace by_directive

namespace beside_thrust
{

using namespace thrust;
using nozzle::transform;

template <class Iterator>
nozzle::plan planned(Iterator first, Iterator last)
{
  transform(first, last, first, nozzle::relu{});
  return nozzle::explain(first, last, first, nozzle::relu{});
}

/// Thrust's algorithm, with functors and iterators of nozzle and Thrust.
template <class Iterator>
void by_thrust(Iterator first, Iterator last)
{
  using thrust::transform;
  transform(first, last, first, nozzle::relu{});
}

} // namespace beside_thrust

TEST_CASE("an unqualified transform is nozzle's or another's, as names in its scope say")
{
  const std::vector<float> minus_twos(100, -2.f);
  thrust::device_vector<float> x = minus_twos;
  CHECK(by_directive::planned(x.begin(), x.end()).route != nozzle::route::library);
  CHECK(thrust::host_vector<float>(x) == std::vector<float>(100, 0.f));
  x = minus_twos;
  CHECK(beside_thrust::planned(x.begin(), x.end()).route != nozzle::route::library);
  CHECK(thrust::host_vector<float>(x) == std::vector<float>(100, 0.f));
  x = minus_twos;
  beside_thrust::by_thrust(x.begin(), x.end());
  CHECK(thrust::host_vector<float>(x) == std::vector<float>(100, 0.f));
  std::vector<float> y = minus_twos;
  using namespace std;
  using nozzle::transform;
  CHECK(transform(y.begin(), y.end(), y.begin(), nozzle::relu{}) == y.end());
  CHECK(y[99] == 0.f);
}
