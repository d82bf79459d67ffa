#include "perf/measure/measure.hpp"
#include "perf/report/output_file.hpp"
#include "perf/tune/times.hpp"
#include "perf/tune/tune_options.hpp"
#include "perf/tune/tuning_table.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

// Times every shape of nozzle's kernel on the GPU it runs on, and writes the table that plan_for reads.

namespace perf
{

namespace
{

/// The kinds with these of their functions alone.
std::vector<work_kind> kinds_of(std::vector<std::string> const& functions)
{
  std::vector<work_kind> all = table_kinds();
  for (work_kind& c : all)
  {
    const auto is_other = [&](std::string const& f)
    { return std::find(functions.begin(), functions.end(), f) == functions.end(); };
    c.functions.erase(std::remove_if(c.functions.begin(), c.functions.end(), is_other), c.functions.end());
  }
  all.erase(std::remove_if(all.begin(), all.end(), [](work_kind const& c) { return c.functions.empty(); }), all.end());
  return all;
}

/// A mistake in these files is the option's.
template <class Body>
auto about_files(std::string const& paths, Body body)
{
  try
  {
    return body();
  }
  catch (std::runtime_error const& e)
  {
    throw bad_option("--load: " + paths + ": " + e.what());
  }
}

times load(std::vector<std::string> const& paths)
{
  std::vector<times> runs;
  for (std::string const& path : paths)
  {
    std::ifstream file(path);
    runs.push_back(about_files(path, [&] { return read_times(file); }));
  }
  return about_files(CLI::detail::join(paths), [&] { return average(runs); });
}

template <class Write>
std::string text_by(Write write)
{
  std::ostringstream out;
  write(out);
  return out.str();
}

std::string text_of(times const& all)
{
  return text_by([&](std::ostream& out) { write(out, all); });
}

/// As a file has them: what is fitted now and what is fitted to the file are the same.
times rounded(times const& measured)
{
  std::istringstream text(text_of(measured));
  return read_times(text);
}

void tune(tune_options const& o)
{
  const output_file output("--output", o.output);
  const output_file report("--table", o.table);
  const output_file saved("--save", o.save);
  output.require_other(report);
  output.require_other(saved);
  report.require_other(saved);

  const auto save = [&](times const& all) { saved.write(text_of(all)); };
  tune_scope scope = o.scope;
  scope.kinds = kinds_of(o.functions);
  const times all = o.load.empty() ? rounded(measure_times(scope, save)) : load(o.load);
  save(all);
  if (o.is_partial)
    return;

  const std::vector<kind_fit> fitted =
    o.load.empty() ? fit_kinds(all) : about_files(CLI::detail::join(o.load), [&] { return fit_kinds(all); });
  const std::string commit = NOZZLE_COMMIT;
  report.write(text_by([&](std::ostream& out) { write_report(out, fitted, all, commit); }));
  const std::string table = text_by([&](std::ostream& out) { write_table(out, fitted, all, commit); });
  output.write(table);
  if (o.output.empty())
    std::cout << table;
}

} // namespace

} // namespace perf

int main(int argc, char** argv)
{
  return perf::run_program("tune",
                           [=]
                           {
                             const auto options = perf::parse_tune_options(argc, argv);
                             if (!options)
                               return 0;
                             perf::initialize_measurements();
                             perf::tune(*options);
                             return 0;
                           });
}
