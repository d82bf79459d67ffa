#include "test/property/random_case.hpp"
#include "test/property/subject.hpp"
#include "test/support/setting.hpp"

#include <doctest/doctest.h>

#include <thrust/device_vector.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

// Random calls of nozzle::transform: the result is the functor's, element by element and bit for bit, whatever the
// route and however the range is cut; inputs and what lies around stay as they are; a call that is refused writes
// nothing. NOZZLE_PROPERTY_CASES cases are tried, of the seeds from NOZZLE_PROPERTY_SEED on, or as many as
// NOZZLE_PROPERTY_SECONDS allow.

namespace
{

using namespace property;

/// Memory of the system under test for the elements of a case, with zones between them that nobody may write.
class arena
{
public:
  explicit arena(random_case const& of)
    : c(of)
    , s(subjects()[of.subject])
  {
    for (std::size_t k = 0; k < s.in.size(); ++k)
      in[k] = place(s.in[k].size, c.in_offsets[k]);
    wanted = place(s.out.size, 0);
    out = place(s.out.size, c.out_offset);
    if (c.alias == alias::in_place)
      out = in[c.alias_of];
    else if (c.alias == alias::overlap)
      out = (in[c.alias_of] / s.out.size + 1) * s.out.size;
    before.assign(end, poison);
    for (std::size_t k = 0; k < s.in.size(); ++k)
      s.in[k].fill(before.data() + in[k], c.n, hashed(c.seed + k));
    if (device().size() < end + line)
      device().resize(end + line);
    thrust::copy(before.begin(), before.end(), device().begin() + first());
  }

  /// The elements [begin, begin + n).
  ranges part(std::size_t begin, std::size_t n) const
  {
    ranges r{n, at(out + begin * s.out.size), {}};
    for (std::size_t k = 0; k < s.in.size(); ++k)
      r.in[k] = at(in[k] + begin * s.in[k].size);
    return r;
  }

  void call_functor() const
  {
    ranges r = part(0, c.n);
    r.out = at(wanted);
    s.call(c.parameters, r);
  }

  /// What is wrong, or nothing. Of a call that was refused nothing may be written.
  std::string complaint(bool was_refused) const
  {
    std::vector<unsigned char> after(end);
    thrust::copy(
      device().begin() + first(), device().begin() + first() + static_cast<std::ptrdiff_t>(end), after.begin());
    unsigned char const* const expected = after.data() + wanted;
    unsigned char const* const got = after.data() + out;
    std::vector<unsigned char> right = before;
    std::copy_n(expected, c.n * s.out.size, right.data() + wanted);
    if (!was_refused)
    {
      if (const std::size_t i = s.out.mismatch(got, expected, c.n); i < c.n)
        return "element " + std::to_string(i) + " is " + s.out.show(got + i * s.out.size) + ", not "
               + s.out.show(expected + i * s.out.size);
      if (const std::string unlike = unlike_host(after); !unlike.empty())
        return unlike;
      std::copy_n(got, c.n * s.out.size, right.data() + out);
    }
    if (after == right)
      return "";
    const auto byte = std::mismatch(after.begin(), after.end(), right.begin()).first - after.begin();
    return "byte " + std::to_string(byte - static_cast<std::ptrdiff_t>(out)) + " of the output was written, which has "
           + std::to_string(c.n * s.out.size);
  }

private:
  /// What is wrong with results beside the host's own, or nothing.
  std::string unlike_host(std::vector<unsigned char>& after) const
  {
    if (!c.is_beside_host || s.find_unlike_host == nullptr)
      return "";
    std::vector<unsigned char> inputs = before;
    ranges r{c.n, after.data() + out, {}};
    for (std::size_t k = 0; k < s.in.size(); ++k)
      r.in[k] = inputs.data() + in[k];
    const std::size_t i = s.find_unlike_host(c.parameters, r);
    if (i == c.n)
      return "";
    std::string text =
      "element " + std::to_string(i) + " is " + s.out.show(after.data() + out + i * s.out.size) + " of";
    for (std::size_t k = 0; k < s.in.size(); ++k)
      text += " " + s.in[k].show(inputs.data() + in[k] + i * s.in[k].size);
    return text + ", too far from the host's";
  }

  static constexpr std::size_t line = 64;
  static constexpr std::size_t zone = 512;
  static constexpr unsigned char poison = 0xa5;

  static thrust::device_vector<unsigned char>& device()
  {
    static thrust::device_vector<unsigned char> memory;
    return memory;
  }

  /// Where the zone in front of everything begins, at an address that a line's length divides.
  static std::ptrdiff_t first()
  {
    const auto address = reinterpret_cast<std::uintptr_t>(thrust::raw_pointer_cast(device().data()));
    return static_cast<std::ptrdiff_t>(-address % line);
  }

  static void* at(std::size_t byte) { return thrust::raw_pointer_cast(device().data()) + first() + byte; }

  std::size_t place(std::size_t size, std::size_t offset)
  {
    const std::size_t begin = end + offset * size;
    end = (begin + c.n * size + zone + line - 1) / line * line;
    return begin;
  }

  random_case const& c;
  subject const& s;
  std::size_t in[most_inputs] = {};
  std::size_t out = 0;
  std::size_t wanted = 0;
  std::size_t end = zone;
  std::vector<unsigned char> before;
};

/// What is wrong with the case, or nothing.
std::string complaint(random_case const& c)
{
  static const std::vector<named_selector> routes = every_route();
  subject const& s = subjects()[c.subject];
  const arena memory(c);
  memory.call_functor();
  const std::size_t ends[] = {c.splits[0], c.splits[1], c.n};
  bool was_refused = false;
  try
  {
    std::size_t begin = 0;
    for (std::size_t part = 0; part < 3; ++part)
    {
      const ranges r = memory.part(begin, ends[part] - begin);
      s.transform(c.parameters, c.policies[part], routes[c.selectors[part]].select, r);
      begin = ends[part];
    }
  }
  catch (std::invalid_argument const& e)
  {
    was_refused = true;
    if (c.alias != alias::overlap)
      return std::string("refused: ") + e.what();
  }
  if (c.alias == alias::overlap && !was_refused)
    return "an overlap was not refused";
  return memory.complaint(was_refused);
}

bool fails(random_case const& c)
{
  return !complaint(c).empty();
}

/// The case, which fails, with the fewest elements, apart and aligned where it fails so too.
random_case shrunk(random_case c)
{
  const auto try_with = [&c](random_case const& simpler)
  {
    if (fails(simpler))
      c = simpler;
  };
  for (std::size_t n = c.n; n > 0; n /= 2)
    try_with(with_size(c, c.n - std::min(n, c.n)));
  for (std::size_t n = 0; n < std::min<std::size_t>(c.n, 1024); ++n)
  {
    if (fails(with_size(c, n)))
    {
      c = with_size(c, n);
      break;
    }
  }
  random_case simpler = c;
  simpler.splits[0] = simpler.splits[1] = c.n;
  try_with(simpler);
  simpler = c;
  if (c.alias == alias::in_place)
    simpler.alias = alias::apart;
  try_with(simpler);
  simpler = c;
  simpler.out_offset = 0;
  std::fill(std::begin(simpler.in_offsets), std::end(simpler.in_offsets), 0);
  try_with(simpler);
  return c;
}

/// Tries cases of these seeds for so long, and returns how many.
std::uint64_t try_cases(std::uint64_t seed, std::uint64_t cases, std::chrono::seconds most, bool is_beside_host)
{
  const auto end = std::chrono::steady_clock::now() + most;
  std::uint64_t tried = 0;
  for (; tried < cases && std::chrono::steady_clock::now() < end; ++tried)
  {
    random_case c = make_case(seed + tried);
    c.is_beside_host = is_beside_host;
    if (!fails(c))
      continue;
    const random_case least = shrunk(c);
    FAIL("NOZZLE_PROPERTY_SEED=" << c.seed << " NOZZLE_PROPERTY_CASES=1: " << complaint(c) << "\n"
                                 << describe(c) << "\nsmallest: " << complaint(least) << "\n"
                                 << describe(least));
  }
  return tried;
}

const std::uint64_t seed = setting("NOZZLE_PROPERTY_SEED", 1);
const std::uint64_t cases = setting("NOZZLE_PROPERTY_CASES", 100000);
const std::uint64_t seconds = setting("NOZZLE_PROPERTY_SECONDS", 1000000);

} // namespace

TEST_CASE("random calls give the functor's results and write nothing else")
{
  const std::uint64_t tried = try_cases(seed, cases, std::chrono::seconds(seconds), false);
  MESSAGE(tried << " cases of " << subjects().size() << " functors, seeds from " << seed << " on");
}

#if defined(__CUDACC__)
TEST_CASE("a host gives what CUDA gives, within what both state")
{
  const std::uint64_t tried = try_cases(seed, (cases + 9) / 10, std::chrono::seconds(seconds / 10), true);
  MESSAGE(tried << " cases beside a host, seeds from " << seed << " on");
}
#endif
