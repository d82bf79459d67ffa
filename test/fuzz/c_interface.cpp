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

  /// Fails unless nothing was written outside of the elements.
  void check(std::vector<void const*> const& elements, std::size_t size) const
  {
    std::vector<std::uint8_t> right = before;
    for (void const* element : elements)
    {
      const auto begin = static_cast<std::size_t>(static_cast<std::uint8_t const*>(element) - bytes.data());
      require(begin + size <= room);
      std::memcpy(right.data() + begin, element, size);
    }
    require(bytes == right);
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

/// Fails unless the call was done, or refused with a message.
void check_status(nozzle_status status)
{
  require(status == NOZZLE_OK || status == NOZZLE_INVALID_ARGUMENT || status == NOZZLE_UNAVAILABLE);
  require(status == NOZZLE_OK || std::strlen(nozzle_last_error()) > 0);
}

/// A number in the range, or rarely any.
int number(FuzzedDataProvider& data, int least, int most)
{
  const int in_range = data.ConsumeIntegralInRange(least, most + 1);
  return in_range <= most ? in_range : data.ConsumeIntegral<int>();
}

/// A call on matrices.
void call_matrices(FuzzedDataProvider& data, nozzle_function const* f, nozzle_type type, std::size_t element)
{
  const auto rows = data.ConsumeIntegralInRange<std::size_t>(0, 9);
  const auto columns = data.ConsumeIntegralInRange<std::size_t>(0, 9);
  memory m(data);
  // Within the room, or past the last address.
  const auto stride = [&]
  {
    const auto in_room = data.ConsumeIntegralInRange<std::size_t>(0, 15);
    return in_room <= 14 ? in_room : SIZE_MAX / element - data.ConsumeIntegral<std::uint8_t>();
  };
  nozzle_matrix matrices[5];
  nozzle_matrix const* at[5];
  for (int i = 0; i < 5; ++i)
  {
    const bool is_like_another = i > 0 && data.ConsumeBool();
    matrices[i] = is_like_another ? matrices[0] : nozzle_matrix{m.address(data), stride(), stride()};
    at[i] = data.ConsumeIntegralInRange(0, 63) == 0 ? nullptr : &matrices[i];
  }
  const bool has_gradients = data.ConsumeBool();
  nozzle_description const* const d = f == nullptr ? nullptr : nozzle_describe(f->op);
  const bool has_one_input = d != nullptr && d->inputs == 1;
  if (has_one_input && data.ConsumeIntegralInRange(0, 15) > 0)
    at[1] = at[has_gradients ? 4 : 3] = nullptr;
  const nozzle_status status =
    has_gradients
      ? nozzle_gradients_matrices(f, type, rows, columns, at[2], at[3], at[4], at[0], at[1], NOZZLE_HOST, nullptr)
      : nozzle_apply_matrices(f, type, rows, columns, at[2], at[3], at[0], NOZZLE_HOST, nullptr);
  check_status(status);
  std::vector<void const*> written;
  for (int i = 0; status == NOZZLE_OK && i < (has_gradients && !has_one_input ? 2 : 1); ++i)
  {
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        written.push_back(static_cast<std::uint8_t*>(matrices[i].data)
                          + (row * matrices[i].row_stride + column * matrices[i].column_stride) * element);
  }
  m.check(written, element);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  FuzzedDataProvider data(input, size);
  static const int functions = []
  {
    int n = 0;
    while (nozzle_describe(n) != nullptr)
      ++n;
    return n;
  }();
  nozzle_function f{static_cast<nozzle_op>(number(data, 0, functions - 1)), number(data, 0, NOZZLE_MAX_PARAMETERS), {}};
  for (double& parameter : f.parameters)
    parameter = data.ConsumeBool() ? data.ConsumeFloatingPoint<double>() : number(data, -2, 7);
  const auto type = static_cast<nozzle_type>(number(data, 0, 5));
  const auto place =
    data.ConsumeIntegralInRange(0, 15) > 0 ? NOZZLE_HOST : static_cast<nozzle_place>(number(data, 0, 1));
  const std::size_t element = type == NOZZLE_DOUBLE ? 8 : type == NOZZLE_FLOAT ? 4 : type <= NOZZLE_BF16 ? 2 : 1;
  // What fits, or so many that the call must see that there are no such addresses.
  const auto fits = data.ConsumeIntegralInRange<std::size_t>(0, room / 2 / element + 1);
  const std::size_t n = fits * element <= room / 2 ? fits : SIZE_MAX - data.ConsumeIntegral<std::uint8_t>();
  const auto entry = data.ConsumeIntegralInRange(0, 7);
  nozzle_function const* const function = data.ConsumeIntegralInRange(0, 31) == 0 ? nullptr : &f;

  if (entry >= 6)
  {
    call_matrices(data, function, type, element);
    return 0;
  }

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
  check_status(status);
  if (status == NOZZLE_OK && n > 0)
    require(is_good(out, out, n, element) && is_good(a, out, n, element) && (!takes_b || is_good(b, out, n, element))
            && (!takes_g || is_good(g, out, n, element)));
  std::vector<void const*> written;
  for (std::size_t i = 0; status == NOZZLE_OK && i < n; ++i)
    written.push_back(static_cast<std::uint8_t const*>(out) + i * element);
  m.check(written, element);
  nozzle_describe(number(data, -1, 63));
  return 0;
}
