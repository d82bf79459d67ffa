#include "perf/compare/options.hpp"

#include <CLI/CLI.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

// perf/compare's options, a line each: they are taken, and then in range and go together, or refused by a CLI::Error.

namespace
{

/// A program's arguments, from an input that has one in each line.
std::vector<std::string> words_of(std::uint8_t const* input, std::size_t size)
{
  std::vector<std::string> words = {"compare"};
  std::istringstream lines(std::string(reinterpret_cast<char const*>(input), size));
  for (std::string line; std::getline(lines, line);)
    words.push_back(line);
  return words;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* input, std::size_t size)
{
  perf::options o;
  CLI::App app;
  perf::describe(app, o);
  std::vector<std::string> words = words_of(input, size);
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  try
  {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
    bool in_range = !o.functions.empty() && !o.distributions.empty()
                    && (!o.regret || (*o.regret >= 0 && *o.regret <= 1000))
                    && (!o.repetitions || (*o.repetitions >= 2 && *o.repetitions <= 1000));
    for (std::size_t n : o.sizes)
      in_range = in_range && n >= 1 && n <= std::size_t(1) << 48;
    for (std::size_t rows : o.rows)
      in_range = in_range && rows >= 1 && rows <= 1 << 16;
    const bool go_together = o.companies.empty() ? o.rows.empty() : o.sizes.empty() && o.caches.empty() && !o.regret;
    if (!in_range || !go_together)
      std::abort();
  }
  catch (CLI::Error const&) // asking for help is one too
  {
  }
  return 0;
}
