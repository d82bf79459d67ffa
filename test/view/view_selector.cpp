#include "test/support/negation.hpp"
#include "test/support/refusal.hpp"
#include "test/view/arena.hpp"

#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/fan_out.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

// Plans of calls over views: what explain says, and what a selector may choose.

TEST_CASE("explain: the plan of views")
{
  arena<float> a(100000);
  const auto [gate, up] = nozzle::halves(nozzle::matrix(a.data(), 10, 64));
  const auto out = nozzle::matrix(a.data() + 50000, 10, 32);
  const nozzle::swiglu op;
  const auto plan_of = [&](auto const&... views) { return nozzle::explain(device_system::par, views..., op); };
  if constexpr (on_cuda)
  {
    CHECK(plan_of(gate, up, out).shape.kernel == nozzle::kernel::small_rows);
    const auto [even, odd] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 64));
    CHECK(plan_of(even, odd, out).shape.kernel == nozzle::kernel::small_rows);
    CHECK(plan_of(odd, even, out).shape.kernel == nozzle::kernel::small_rows);
    CHECK(nozzle::explain(device_system::par, even, out, nozzle::silu{}).shape.kernel == nozzle::kernel::strided);
    const auto scale = nozzle::column_vector(a.data() + 1, 10);
    CHECK(plan_of(gate, scale, out).shape.kernel == nozzle::kernel::scaled_rows);
    CHECK(plan_of(scale, up, out).shape.kernel == nozzle::kernel::scaled_rows);
    const auto small = [](nozzle::work const&, nozzle::machine const&) {
      return nozzle::plan{nozzle::route::kernel, {nozzle::kernel::small_rows, 128}, ""};
    };
    CHECK(refusal([&, up = up] { nozzle::transform(device_system::par, scale, up, out, op, small); })
          == "nozzle::transform: selector's shape = small_rows x 128: it takes contiguous rows or interleaved pairs");
    CHECK(plan_of(even, scale, out).shape.kernel == nozzle::kernel::strided);
    const auto [a32, b32] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 64), 16);
    CHECK(plan_of(a32, b32, out).shape.kernel == nozzle::kernel::small_rows);
    const auto wide = nozzle::matrix(a.data(), 10, 64, 65);
    CHECK(plan_of(wide, wide, nozzle::matrix(a.data() + 50000, 10, 64)).shape.kernel == nozzle::kernel::small_rows);
    CHECK(plan_of(a32, nozzle::row_vector(a.data() + 1000, 32), out).shape.kernel == nozzle::kernel::strided);
    CHECK(plan_of(nozzle::matrix(a.data(), 10, 32), nozzle::matrix(a.data() + 320, 10, 32), out).shape.kernel
          == nozzle::kernel::small_vector);
    // Several results have no ranges: what lies in one piece is a row.
    const auto both = nozzle::gradients(op);
    const auto row = [&](std::size_t begin) { return nozzle::row_vector(a.data() + begin, 320); };
    const auto kernel_of_both = [&](std::size_t begin)
    {
      const auto results = cuda::std::make_tuple(row(50000), row(60000));
      return nozzle::explain(device_system::par, row(0), row(begin), row(1000), results, both, whole_vectors)
        .shape.kernel;
    };
    CHECK(kernel_of_both(500) == nozzle::kernel::rows);
    CHECK(kernel_of_both(501) == nozzle::kernel::misaligned_rows);
  }
  else
    CHECK(plan_of(gate, up, out).route == nozzle::route::serial);
  CHECK(nozzle::explain(device_system::par, gate, up, out, op, nozzle::always_library).route == nozzle::route::library);
  const auto reason = [](nozzle::plan const& p) { return std::string(p.reason); };
  const auto [a4, b4] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 64), 4);
  const auto [a8, b8] = nozzle::interleaved(nozzle::matrix(a.data(), 10, 64), 8);
  CHECK(reason(plan_of(a4, a8, out))
        == "only Thrust can serve it: interleaved views whose blocks differ or do not fill their rows");
  CHECK(reason(nozzle::explain(device_system::par, gate, out, negation()))
        == "only Thrust can serve it: cuda::proclaims_copyable_arguments does not hold for the functor");
}

TEST_CASE("a selector is told of all results' and inputs' bytes, of the elements, and how they lie")
{
  arena<double> a(1000);
  guarded_buffer<float> x(640), y(640);
  nozzle::work seen;
  const auto select = [&seen](nozzle::work const& w, nozzle::machine const&)
  {
    seen = w;
    return nozzle::plan{nozzle::route::library, {}, ""};
  };
  const auto in = nozzle::matrix(x.data(), 5, 64, 128);
  const auto out = nozzle::matrix(y.data(), 5, 64, 128);
  const auto results = list(out, nozzle::matrix(a.data() + 1, 5, 64, 128));
  nozzle::explain(device_system::par, in, results, nozzle::fan_out(nozzle::silu{}, nozzle::silu{}), select);
  CHECK(seen.n == 320);
  CHECK(seen.inputs == 1);
  CHECK(seen.bytes_read == 4);
  CHECK(seen.bytes_written == 12);
  CHECK(seen.widest == 8);
  CHECK(seen.layout == nozzle::layout::misaligned_rows);
  nozzle::explain(device_system::par, in, nozzle::row_vector(x.data(), 64), out, nozzle::swiglu{}, select);
  CHECK(seen.n == 320);
  CHECK(seen.inputs == 2);
  CHECK(seen.bytes_read == 8);
  CHECK(seen.bytes_written == 4);
  CHECK(seen.widest == 4);
  CHECK(seen.layout == nozzle::layout::rows);
}

TEST_CASE("a selector is asked, and every kernel that suits gives the same")
{
  for (std::size_t rows : {1, 7, 10})
  {
    CAPTURE(rows);
    for (int valid : {0, 3, 100})
    {
      CAPTURE(valid);
      guarded_buffer<int> count(std::vector<int>{valid});
      const auto with = [&](nozzle::plan const& p)
      {
        arena<float> a(10000);
        const auto packed = nozzle::halves(nozzle::matrix(a.data(), rows, 64));
        const auto out = nozzle::matrix(a.data() + 5000, rows, 32);
        const nozzle::swiglu op;
        a.expect(out,
                 transform_ranges<float>(op, a.gather(packed.first, rows, 32), a.gather(packed.second, rows, 32)),
                 std::min(rows, static_cast<std::size_t>(valid)));
        nozzle::transform(device_system::par,
                          packed.first,
                          packed.second,
                          nozzle::valid_rows(out, count.data()),
                          op,
                          [p](nozzle::work const&, nozzle::machine const&) { return p; });
        CHECK(a.count_wrong() == 0);
      };
      with({nozzle::route::library, {}, ""});
      if constexpr (on_cuda)
      {
        for (nozzle::kernel kernel : {nozzle::kernel::small_rows,
                                      nozzle::kernel::rows,
                                      nozzle::kernel::misaligned_rows,
                                      nozzle::kernel::scaled_rows,
                                      nozzle::kernel::strided})
          with({nozzle::route::kernel, {kernel, 128}, ""});
        CHECK(refusal(
                [&] {
                  with({nozzle::route::kernel, {nozzle::kernel::vector, 128}, ""});
                })
              == "nozzle::transform: selector's shape = vector x 128: it takes contiguous ranges");
        CHECK(refusal(
                [&] {
                  with({nozzle::route::kernel, {nozzle::kernel::paired_rows, 128}, ""});
                })
              == "nozzle::transform: selector's shape = paired_rows x 128: it takes interleaved pairs");
        CHECK(refusal(
                [&] {
                  with({nozzle::route::serial, {}, ""});
                })
              == "nozzle::transform: selector's route = serial: a CUDA policy takes library or kernel");
      }
      else
      {
        with({nozzle::route::serial, {}, ""});
        with({nozzle::route::parallel, {}, ""});
      }
    }
  }
}

TEST_CASE("a selector may be one that cannot be copied")
{
  for (std::size_t pitch : {20, 24})
  {
    CAPTURE(pitch);
    arena<float> a(1000);
    const auto x = nozzle::matrix(a.data(), 10, 20, pitch);
    const auto y = nozzle::matrix(a.data() + 300, 10, 20, pitch);
    const nozzle::silu silu;
    a.expect(y, transform_ranges<float>(silu, a.gather(x, 10, 20)), 10);
    nozzle::transform(device_system::par,
                      x,
                      y,
                      silu,
                      [kernel = std::make_unique<nozzle::selector>(nozzle::always_kernel)](
                        auto const& work, auto const& machine) { return (*kernel)(work, machine); });
    CHECK(a.count_wrong() == 0);
  }
}
