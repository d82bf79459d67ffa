#include "perf/tune/tune_options.hpp"

#include "test/fuzz/words.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>

// perf/tune's options, a line each: they are taken, and then in range and go together, or refused by a bad_option.

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  std::cout.setstate(std::ios::failbit); // --help
  words w("tune", input, size);
  try
  {
    const auto o = perf::parse_tune_options(w.argc(), w.argv());
    if (!o)
      return 0;
    perf::tune_scope const& s = o->scope;
    const bool in_range = !o->functions.empty() && s.rounds >= 2 && s.rounds <= 1000 && s.repetitions >= 2
                          && s.repetitions <= 1000 && s.largest >= 16 && s.largest <= 31;
    const bool go_together =
      !o->is_partial || (!o->save.empty() && o->output.empty() && o->table.empty() && o->load.empty());
    if (!in_range || !go_together)
      std::abort();
  }
  catch (perf::bad_option const&)
  {
  }
  return 0;
}
