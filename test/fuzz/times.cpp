#include "perf/tune/times.hpp"

#include "perf/tune/tuning_table.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <string>

// The files that perf/tune --load reads: refused by a runtime_error, or written again as they were understood, and
// fitted to a table without a shape that nothing timed.

namespace
{

std::string text_of(perf::times const& all)
{
  std::ostringstream out;
  write(out, all);
  return out.str();
}

perf::times read(std::string const& text)
{
  std::istringstream in(text);
  return perf::read_times(in);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  try
  {
    const perf::times all = read(std::string(reinterpret_cast<char const*>(input), size));
    const std::string text = text_of(perf::average({all, read(text_of(all))}));
    if (text_of(read(text)) != text)
      std::abort();
    std::ostringstream table;
    perf::write_table(table, perf::fit_kinds(all), all, "commit");
    if (table.str().find("x 0") != std::string::npos || table.str().find(", 0}") != std::string::npos)
      std::abort();
  }
  catch (std::runtime_error const&)
  {
  }
  return 0;
}
