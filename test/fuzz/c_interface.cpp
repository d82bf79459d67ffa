#include <nozzle/nozzle.h>

#include <fuzzer/FuzzedDataProvider.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

// Calls of the C interface with any arguments: each is either done, and writes its output alone, or refused with a
// message, and writes nothing.

namespace
{

constexpr std::size_t room = 4096;

void require(bool holds)
{
  if (!holds)
    std::abort();
}

/// Memory, and addresses in it that may be misaligned, overlap, or be NULL.
class memory
{
public:
  explicit memory(FuzzedDataProvider& data)
    : bytes(room)
  {
    const std::vector<std::uint8_t> values = data.ConsumeBytes<std::uint8_t>(64);
    for (std::size_t i = 0; !values.empty() && i < room; ++i)
      bytes[i] = values[i % values.size()];
    before = bytes;
  }

  void* address(FuzzedDataProvider& data)
  {
    const auto at = data.ConsumeIntegralInRange<std::size_t>(0, room / 2 + 1);
    return at > room / 2 ? nullptr : bytes.data() + at;
  }

  /// Fails unless nothing was written outside of [first, first + count).
  void check(void const* first, std::size_t count) const
  {
    const auto begin =
      count == 0 ? 0 : static_cast<std::size_t>(static_cast<std::uint8_t const*>(first) - bytes.data());
    require(begin + count <= room);
    require(std::memcmp(bytes.data(), before.data(), begin) == 0);
    require(std::memcmp(bytes.data() + begin + count, before.data() + begin + count, room - begin - count) == 0);
  }

private:
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> before;
};

/// Whether n elements at p can be a call's, beside its output.
bool is_good(void const* p, void const* out, std::size_t n, std::size_t element)
{
  const auto at = reinterpret_cast<std::uintptr_t>(p);
  const auto to = reinterpret_cast<std::uintptr_t>(out);
  return p != nullptr && at % element == 0 && n <= room
         && (at == to || at + n * element <= to || to + n * element <= at);
}

/// A number in the range, or rarely any.
int number(FuzzedDataProvider& data, int least, int most)
{
  const int in_range = data.ConsumeIntegralInRange(least, most + 1);
  return in_range <= most ? in_range : data.ConsumeIntegral<int>();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  FuzzedDataProvider data(input, size);
  nozzle_function f{static_cast<nozzle_op>(number(data, 0, 36)), number(data, 0, NOZZLE_MAX_PARAMETERS), {}};
  for (double& parameter : f.parameters)
    parameter = data.ConsumeBool() ? data.ConsumeFloatingPoint<double>() : number(data, -2, 7);
  const auto type = static_cast<nozzle_type>(number(data, 0, 5));
  const auto place =
    data.ConsumeIntegralInRange(0, 15) > 0 ? NOZZLE_HOST : static_cast<nozzle_place>(number(data, 0, 1));
  const std::size_t element = type == NOZZLE_DOUBLE ? 8 : type == NOZZLE_FLOAT ? 4 : type <= NOZZLE_BF16 ? 2 : 1;
  // What fits, or so many that the call must see that there are no such addresses.
  const auto fits = data.ConsumeIntegralInRange<std::size_t>(0, room / 2 / element + 1);
  const std::size_t n = fits * element <= room / 2 ? fits : SIZE_MAX - data.ConsumeIntegral<std::uint8_t>();
  const auto entry = data.ConsumeIntegralInRange(0, 5);
  nozzle_function const* const function = data.ConsumeIntegralInRange(0, 31) == 0 ? nullptr : &f;

  memory m(data);
  void* const out = m.address(data);
  void const* const a = m.address(data);
  void const* const b = m.address(data);
  void const* const g = m.address(data);
  const bool takes_g = entry == 1 || entry == 2 || entry >= 4;
  const bool takes_b = entry >= 3;
  nozzle_status status = NOZZLE_OK;
  switch (entry)
  {
    case 0:
      status = nozzle_apply(function, type, n, a, out, place, nullptr);
      break;
    case 1:
      status = nozzle_gradient(function, type, n, g, a, out, place, nullptr);
      break;
    case 2:
      status = nozzle_gradient_from_result(function, type, n, g, a, out, place, nullptr);
      break;
    case 3:
      status = nozzle_apply_two(function, type, n, a, b, out, place, nullptr);
      break;
    case 4:
      status = nozzle_gradient_first(function, type, n, g, a, b, out, place, nullptr);
      break;
    default:
      status = nozzle_gradient_second(function, type, n, g, a, b, out, place, nullptr);
  }
  require(status == NOZZLE_OK || status == NOZZLE_INVALID_ARGUMENT || status == NOZZLE_UNAVAILABLE);
  require(status == NOZZLE_OK || std::strlen(nozzle_last_error()) > 0);
  if (status == NOZZLE_OK && n > 0)
    require(is_good(out, out, n, element) && is_good(a, out, n, element) && (!takes_b || is_good(b, out, n, element))
            && (!takes_g || is_good(g, out, n, element)));
  m.check(out, status == NOZZLE_OK ? n * element : 0);
  nozzle_describe(number(data, -1, 40));
  return 0;
}
