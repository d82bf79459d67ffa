#include "perf/tune/tune_options.hpp"

#include <CLI/CLI.hpp>

namespace perf
{

std::optional<tune_options> parse_tune_options(int argc, char** argv)
{
  tune_options o;
  CLI::App app(
    "Times every shape of nozzle's kernel on this GPU, between foreign kernels and in chains of its own, and writes\n"
    "the table of the best ones: a file for -DNOZZLE_TUNING=FILE, or for include/nozzle/detail beside the others.",
    "tune");
  app.add_option("--output", o.output, "Write the table into this file; by default to the standard output");
  app.add_option("--table", o.table, "Write each size's best and chosen shape into this file, as Markdown");
  app.add_option("--save", o.save, "Write every time into this file, from which --load fits a table again");
  app
    .add_option("--load",
                o.load,
                "Take the times of these files, of runs on one kind of GPU, instead of measuring: no GPU is needed.\n"
                "What several of them timed is averaged")
    ->check(CLI::ExistingFile)
    ->delimiter(',');
  app
    .add_option(
      "--functions", o.functions, "Measure these alone, and write no table: for --save, to be loaded together")
    ->check(CLI::IsMember(functions_of_kinds()))
    ->delimiter(',')
    ->needs("--save")
    ->excludes("--output")
    ->excludes("--table")
    ->excludes("--load");
  app.add_option("--rounds", o.scope.rounds, "Measurements that each median in company is taken of")
    ->check(CLI::Range(2, 1000))
    ->capture_default_str();
  app.add_option("--repetitions", o.scope.repetitions, "Measurements that each other median is taken of")
    ->check(CLI::Range(2, 1000))
    ->capture_default_str();
  app.add_option("--largest", o.scope.largest, "No size is above two to this power")
    ->check(CLI::Range(16, 31))
    ->capture_default_str();
  if (!parse(app, argc, argv))
    return std::nullopt;
  o.is_partial = app.count("--functions") > 0;
  return o;
}

} // namespace perf
