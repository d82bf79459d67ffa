#include "test/support/evaluate.hpp"
#include "test/support/guarded_buffer.hpp"
#include "test/support/negation.hpp"
#include "test/support/route.hpp"
#include "test/support/system.hpp"

#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/view.hpp>

#include <doctest/doctest.h>

#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>

#include <cuda/functional>

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
#include <omp.h>
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
#include <tbb/task_arena.h>
#endif

// Selectors of a caller's own, and nozzle::explain.

namespace user
{

struct multiply_add
{
  NOZZLE_HOST_DEVICE float operator()(float a, float b, double c) const { return a * b + static_cast<float>(c); }
};

/// A value that is 0 where none is given.
struct zeroed
{
  float value = 0;
};

/// A functor with a copy constructor of its own.
struct copied
{
  copied() = default;

  NOZZLE_HOST_DEVICE copied(copied const&) {}

  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return x;
  }
};

struct unchanged
{
  template <class T>
  NOZZLE_HOST_DEVICE T operator()(T x) const
  {
    return x;
  }
};

struct of_reference
{
  NOZZLE_HOST_DEVICE float operator()(float& x) const { return x; }
};

} // namespace user

namespace
{

using nozzle::kernel;
using nozzle::machine;
using nozzle::plan;
using nozzle::route;
using nozzle::work;
using selector = std::function<plan(work const&, machine const&)>;

constexpr std::size_t n = 1000;

const auto multiply_add = cuda::proclaim_copyable_arguments(user::multiply_add{});

std::vector<float> sevens()
{
  return std::vector<float>(n, 7.f);
}

/// plan_for, and notes of what it was asked.
struct notes
{
  int calls = 0;
  work last_work;
  machine last_machine;

  selector recorder()
  {
    return [this](work const& w, machine const& m)
    {
      ++calls;
      last_work = w;
      last_machine = m;
      return nozzle::plan_for(w, m);
    };
  }
};

} // namespace

TEST_CASE("a selector is asked once, with the facts of the call")
{
  guarded_buffer<float> x(sevens());
  guarded_buffer<float> y(n);
  notes seen;
  nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::hardtanh{}, seen.recorder());
  CHECK(seen.calls == 1);
  CHECK(seen.last_work.n == n);
  CHECK(seen.last_work.bytes_read == 4);
  CHECK(seen.last_work.bytes_written == 4);
  CHECK(seen.last_work.aligned);
  CHECK(!seen.last_work.in_place);
  CHECK(!seen.last_work.overwrites);
  CHECK(seen.last_work.often_identity);
  CHECK(same_bits(y.values(), std::vector<float>(n, 1.f)));
  if (on_cuda)
  {
    CHECK(seen.last_machine.capability >= 50);
    CHECK(seen.last_machine.multiprocessors > 0);
    CHECK(seen.last_machine.l2_bytes > 0);
    CHECK(seen.last_machine.bytes_per_cycle > 0);
  }
  else
  {
    CHECK(seen.last_machine.capability == 0);
    CHECK(seen.last_machine.threads >= 1);
  }

  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), nozzle::hardsigmoid{}, seen.recorder());
  CHECK(seen.calls == 2);
  CHECK(seen.last_work.in_place);
  CHECK(seen.last_work.overwrites);
  CHECK(!seen.last_work.often_identity);
}

TEST_CASE("a selector may change itself")
{
  guarded_buffer<float> x(sevens());
  int asked = 0;
  const auto counting = [&asked, n = 0](work const& w, machine const& m) mutable
  {
    asked = ++n;
    return nozzle::plan_for(w, m);
  };
  nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), nozzle::hardtanh{}, counting);
  CHECK(std::exchange(asked, 0) == 1);
  nozzle::explain(thrust::device, x.begin(), x.end(), x.begin(), nozzle::hardtanh{}, counting);
  CHECK(asked == 1);
}

TEST_CASE("a selector is told of three inputs: their bytes, whether any is misaligned; none is in place alone")
{
  guarded_buffer<float> x(sevens());
  guarded_buffer<double> z(std::vector<double>(n, 1.), 1);
  notes seen;
  const auto transform = [&](thrust::device_ptr<float> y, thrust::device_ptr<double> third)
  { nozzle::transform(thrust::device, x.begin(), x.end(), x.begin(), third, y, multiply_add, seen.recorder()); };
  guarded_buffer<float> apart(n, 1);
  transform(apart.begin(), z.begin());
  CHECK(seen.calls == 1);
  CHECK(seen.last_work.bytes_read == 16);
  CHECK(seen.last_work.bytes_written == 4);
  CHECK(!seen.last_work.aligned);
  CHECK(same_bits(apart.values(), std::vector<float>(n, 50.f)));

  guarded_buffer<double> aligned(std::vector<double>(n, 1.));
  transform(x.begin(), aligned.begin());
  CHECK(seen.calls == 2);
  CHECK(seen.last_work.aligned);
  CHECK(!seen.last_work.in_place);
  CHECK(seen.last_work.overwrites);
  CHECK(same_bits(x.values(), std::vector<float>(n, 50.f)));
}

TEST_CASE("pointers are aligned together if one number of elements brings all of them to a vector")
{
  const auto is_aligned = [](std::size_t in_offset, std::size_t out_offset, auto out_value)
  {
    guarded_buffer<float> x(sevens(), in_offset);
    guarded_buffer<decltype(out_value)> y(n, out_offset);
    notes seen;
    nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::hardtanh{}, seen.recorder());
    return seen.last_work.aligned;
  };
  CHECK(is_aligned(0, 0, 0.f));
  CHECK(is_aligned(3, 3, 0.f));
  CHECK(!is_aligned(3, 2, 0.f));
  CHECK(!is_aligned(0, 1, 0.f));
  CHECK(is_aligned(1, 1, 0.));
  CHECK(is_aligned(3, 1, 0.));
  CHECK(!is_aligned(2, 1, 0.));
}

TEST_CASE("ranges are whole vectors if every pointer begins one, and the elements fill the last one")
{
  const auto is_whole = [](std::size_t in_offset, std::size_t out_offset, std::size_t count, auto out_value)
  {
    guarded_buffer<float> x(sevens(), in_offset);
    guarded_buffer<decltype(out_value)> y(n, out_offset);
    notes seen;
    nozzle::transform(thrust::device, x.begin(), x.begin() + count, y.begin(), nozzle::hardtanh{}, seen.recorder());
    return seen.last_work.whole;
  };
  CHECK(is_whole(0, 0, 8, 0.f));
  CHECK(!is_whole(0, 0, 9, 0.f));
  CHECK(!is_whole(0, 0, 10, 0.f));
  CHECK(!is_whole(0, 0, 11, 0.f));
  CHECK(!is_whole(1, 1, 8, 0.f));
  CHECK(!is_whole(0, 1, 8, 0.f));
  CHECK(!is_whole(1, 0, 8, 0.f));
  CHECK(is_whole(0, 0, 10, 0.)); // two doubles are a vector
  CHECK(is_whole(2, 0, 10, 0.));
  CHECK(!is_whole(2, 0, 9, 0.));
}

TEST_CASE("a selector is not asked about an empty range, nor about what only Thrust can serve")
{
  guarded_buffer<float> y(n);
  notes seen;
  nozzle::transform(thrust::device, y.begin(), y.begin(), y.begin(), nozzle::hardtanh{}, seen.recorder());
  const thrust::counting_iterator<float> numbers(0);
  nozzle::transform(thrust::device, numbers, numbers + n, y.begin(), nozzle::hardtanh{}, seen.recorder());
  CHECK(seen.calls == 0);
  CHECK(y.values().back() == 1.f);
}

TEST_CASE("a plan that does not suit the call is refused by name, and nothing is written")
{
  struct bad
  {
    plan answer;
    char const* message;
  };
  const bad on_a_device[] = {
    {{route::serial}, "route = serial"},
    {{route::parallel}, "route = parallel"},
    {{route::kernel, {kernel::misaligned, 48}}, "shape = misaligned x 48"},
    {{route::kernel, {kernel::small_vector, 0}}, "shape = small_vector x 0"},
    {{route::kernel, {kernel::multi_vector, -32}}, "shape = multi_vector x -32"},
    {{route::kernel, {kernel::vector, 2048}}, "shape = vector x 2048"},
    {{route::kernel, {kernel::vector, 256}}, "shape = vector x 256: it takes pointers of one alignment"},
    {{route::kernel, {kernel::multi_vector, 256}}, "shape = multi_vector x 256"},
    {{route::kernel, {kernel::in_place, 128}}, "shape = in_place x 128"},
  };
  const bad on_a_host[] = {{{route::kernel}, "route = kernel"}, {{static_cast<route>(9)}, "route = unknown"}};
  const auto check = [](bad b, std::size_t y_offset = 2)
  {
    guarded_buffer<float> x(sevens(), 1);
    guarded_buffer<float> y(sevens(), y_offset);
    const selector select = [&b](work const&, machine const&) { return b.answer; };
    CHECK_THROWS_WITH_AS(nozzle::transform(thrust::device, x.begin(), x.end(), y.begin(), nozzle::hardtanh{}, select),
                         doctest::Contains(b.message),
                         std::invalid_argument);
    CHECK(same_bits(y.values(), sevens()));
  };
  if (on_cuda)
  {
    for (bad const& b : on_a_device)
      check(b);
    check({{route::kernel, {kernel::vector, 256}}, "shape = vector x 256: it takes whole vectors"}, 1);
  }
  else
  {
    for (bad const& b : on_a_host)
      check(b);
  }
}

TEST_CASE("explain says what would happen, and does nothing")
{
  guarded_buffer<float> x(sevens());
  guarded_buffer<float> y(sevens());
  const auto explain = [&](auto in, nozzle::selector select)
  { return nozzle::explain(thrust::device, in, in + n, y.begin(), nozzle::hardtanh{}, select); };

  CHECK(explain(x.begin(), nozzle::plan_for).route == (on_cuda ? route::kernel : route::serial));
  CHECK(explain(x.begin(), nozzle::always_library).route == route::library);
  const plan fancy = explain(thrust::counting_iterator<float>(0), nozzle::always_kernel);
  CHECK(fancy.route == route::library);
  CHECK(fancy.reason == std::string("only Thrust can serve it: an iterator is not contiguous"));
  CHECK(nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), negation{}).reason
        == std::string("only Thrust can serve it: cuda::proclaims_copyable_arguments does not hold for the functor"));

  const auto reason = [](auto const& policy, auto first, auto last, auto result, auto const& op)
  { return std::string(nozzle::explain(policy, first, last, result, cuda::proclaim_copyable_arguments(op)).reason); };
  CHECK(reason(thrust::device, x.begin(), x.end(), y.begin(), user::of_reference{})
        == "only Thrust can serve it: the functor cannot be called as const, with const elements");
  std::vector<float> floats(1);
  std::vector<user::zeroed> cells(1);
  CHECK(reason(thrust::host, floats.begin(), floats.end(), floats.begin(), user::copied{})
        == "only Thrust can serve it: the functor is not trivially copyable");
  CHECK(reason(thrust::host, cells.begin(), cells.end(), cells.begin(), user::unchanged{})
        == "only Thrust can serve it: a value type is not trivially copyable, default constructible and assignable");

  const plan two_inputs =
    nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), y.begin(), nozzle::gradient(nozzle::hardtanh{}));
  CHECK(two_inputs.route == (on_cuda ? route::kernel : route::serial));

  guarded_buffer<double> z(n);
  const plan three_inputs =
    nozzle::explain(thrust::device, x.begin(), x.end(), y.begin(), z.begin(), y.begin(), multiply_add);
  CHECK(three_inputs.route == (on_cuda ? route::kernel : route::serial));

  std::vector<float> none;
  const plan nothing = nozzle::explain(thrust::host, none.begin(), none.end(), none.begin(), nozzle::hardtanh{});
  CHECK(nothing.reason == std::string("an empty range: nothing to do"));

  std::ostringstream out;
  out << explain(x.begin(), nozzle::plan_for);
  CHECK(out.str().find(on_cuda ? "kernel (" : "serial: ") == 0);
  CHECK(same_bits(y.values(), sevens()));
}

#if THRUST_DEVICE_SYSTEM != THRUST_DEVICE_SYSTEM_CUDA
namespace
{

/// The threads that come. They wait for the others that are expected, ten seconds at most.
class roll_call
{
public:
  explicit roll_call(std::size_t threads)
    : expected(threads)
  {
  }

  void enter()
  {
    while (!are_enough() && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  }

  std::set<std::thread::id> const& threads() const { return present; }

private:
  bool are_enough()
  {
    const std::lock_guard<std::mutex> lock(mutex);
    present.insert(std::this_thread::get_id());
    return present.size() >= expected;
  }

  std::size_t expected;
  std::chrono::steady_clock::time_point end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  std::mutex mutex;
  std::set<std::thread::id> present;
};

/// Those of the system, which has fewer in a process that is bound to few processors.
int available_threads()
{
#if THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_OMP
  return omp_get_max_threads();
#elif THRUST_DEVICE_SYSTEM == THRUST_DEVICE_SYSTEM_TBB
  return tbb::this_task_arena::max_concurrency();
#else
  return 1;
#endif
}

struct answer_to
{
  roll_call* calls;

  float operator()(float x) const
  {
    calls->enter();
    return x;
  }
};

/// The threads that compute ranges, and those that compute a matrix with a pitch, by this plan.
void check_threads(selector const& plan, std::size_t expected)
{
  constexpr std::size_t rows = 16;
  constexpr std::size_t columns = 4096;
  std::vector<float> x(rows * (columns + 1), 2.f);
  std::vector<float> y(x.size());
  const auto matrix = [](std::vector<float>& of) { return nozzle::matrix(of.data(), rows, columns, columns + 1); };
  for (bool views : {false, true})
  {
    roll_call calls(expected);
    const auto op = cuda::proclaim_copyable_arguments(answer_to{&calls});
    if (views)
      nozzle::transform(device_system::par, matrix(x), matrix(y), op, plan);
    else
      nozzle::transform(device_system::par, x.begin(), x.end(), y.begin(), op, plan);
    if (expected > 1)
      CHECK(calls.threads().size() >= expected);
    else
      CHECK(calls.threads() == std::set<std::thread::id>{std::this_thread::get_id()});
  }
}

} // namespace

TEST_CASE("a parallel plan is carried out by several threads, a serial one by the caller's")
{
  const auto expected = static_cast<std::size_t>(std::min(available_threads(), 2));
  check_threads(by_host_loop<route::parallel>, expected);
  check_threads(by_host_loop<route::parallel, true>, expected);
  check_threads(by_host_loop<route::serial>, 1);
  check_threads(by_host_loop<route::serial, true>, 1);
}
#endif
