#include "perf/compare/options.hpp"

#include "perf/report/output_file.hpp"
#include "test/fuzz/words.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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
    bool is_seed_named = o->seed == 1;
    for (int i = 1; i < w.argc(); ++i)
      is_seed_named = is_seed_named || std::strstr(w.argv()[i], std::to_string(o->seed).c_str()) != nullptr;
    in_range = in_range && is_seed_named;
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
