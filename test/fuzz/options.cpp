#include "perf/compare/options.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

// perf/compare's options, a line each: they are taken, and then in range, or refused by a bad_option.

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  std::cout.setstate(std::ios::failbit); // --help
  std::vector<std::string> words = {"compare", ""};
  for (std::size_t i = 0; i < size; ++i)
  {
    if (input[i] == '\n' || input[i] == 0)
      words.emplace_back();
    else
      words.back() += static_cast<char>(input[i]);
  }
  if (words.back().empty())
    words.pop_back();
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  try
  {
    const auto o = perf::parse_options(static_cast<int>(words.size()), arguments.data());
    if (!o)
      return 0;
    bool in_range = !o->functions.empty() && !o->distributions.empty() && !o->companies.empty()
                    && (!o->regret || (*o->regret >= 0 && *o->regret <= 10))
                    && (!o->repetitions || (*o->repetitions >= 2 && *o->repetitions <= 1000));
    for (std::size_t n : o->sizes)
      in_range = in_range && n >= 1 && n <= std::size_t(1) << 48;
    for (std::size_t rows : o->rows)
      in_range = in_range && rows >= 1 && rows <= 1 << 16;
    if (!in_range)
      std::abort();
  }
  catch (perf::bad_option const&)
  {
  }
  return 0;
}
