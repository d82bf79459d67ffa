#include "perf/compare/options.hpp"

#include "perf/report/output_file.hpp"
#include "test/fuzz/words.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

// perf/compare's options, a line each: they are taken, and then in range and go together, or refused by a bad_option.

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  std::cout.setstate(std::ios::failbit); // --help
  words w("compare", input, size);
  try
  {
    const auto o = perf::parse_options(w.argc(), w.argv());
    if (!o)
      return 0;
    bool in_range = !o->functions.empty() && !o->distributions.empty()
                    && (!o->regret || (*o->regret >= 0 && *o->regret <= 1000))
                    && (!o->repetitions || (*o->repetitions >= 2 && *o->repetitions <= 1000));
    for (std::size_t n : o->sizes)
      in_range = in_range && n >= 1 && n <= std::size_t(1) << 48;
    for (std::size_t rows : o->rows)
      in_range = in_range && rows >= 1 && rows <= 1 << 16;
    const bool go_together =
      o->companies.empty() ? o->rows.empty() : o->sizes.empty() && o->caches.empty() && !o->regret;
    if (!in_range || !go_together)
      std::abort();
  }
  catch (perf::bad_option const&)
  {
  }
  return 0;
}
