#include "cell.hpp"
#include "cuda.hpp"
#include "measure.hpp"
#include "output_file.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "shapes.hpp"
#include "times.hpp"
#include "tuning_table.hpp"

#include <nozzle/plan.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

// Measures every shape of nozzle's kernel on the GPU it runs on, and writes the tables that plan_for reads.

namespace perf
{

namespace
{

subject const& find(system const& on, std::string const& function, std::string const& type)
{
  const auto is_wanted = [&](subject const& s) { return s.function == function && s.type == type; };
  const auto s = std::find_if(on.subjects.begin(), on.subjects.end(), is_wanted);
  if (s == on.subjects.end())
    throw std::logic_error("tune: " + function + "/" + type + " is not compiled");
  return *s;
}

/// Throws if there is no shape to choose from.
void require_shapes(row const& r)
{
  const auto has = [&](outcome o)
  { return std::find_if(r.results.begin(), r.results.end(), [o](result const& each) { return each.outcome == o; }); };
  if (has(outcome::timed) != r.results.end())
    return;
  const auto wrong = has(outcome::wrong);
  result const& example = wrong == r.results.end() ? r.results.front() : *wrong;
  throw std::runtime_error(name(r.point) + ": no shape can be timed: " + example.variant + " is " + example.message);
}

/// The cell's functions on its types.
std::vector<subject const*> subjects_of(cell const& c, system const& on)
{
  std::vector<subject const*> all;
  for (std::string const& function : c.functions)
  {
    for (std::string const& type : c.types)
    {
      all.push_back(&find(on, function, type));
      if (all.back()->cost_class != c.cost_class)
        throw std::logic_error("tune: " + function + " is no longer of cost " + name(c.cost_class));
    }
  }
  return all;
}

/// The size at which the shapes up to a limit are compared: as users' sizes, it has few binary digits, and does not fill the last
/// warp of every multiprocessor.
std::size_t size_for(unsigned limit, int multiprocessors)
{
  const std::size_t n = static_cast<std::size_t>(limit) * static_cast<std::size_t>(multiprocessors) * 31 / 32;
  std::size_t last_digit = 1;
  while (n / last_digit >= 64)
    last_digit *= 2;
  return (n + last_digit - 1) / last_digit * last_digit;
}

curve measure_cell(system const& on,
                   cell const& c,
                   int multiprocessors,
                   std::vector<unsigned> const& limits,
                   int repetitions,
                   progress& steps)
{
  curve all;
  for (unsigned limit : limits)
  {
    const std::size_t n = size_for(limit, multiprocessors);
    curve_point p{limit, {}};
    for (subject const* s : subjects_of(c, on))
    {
      for (cache where : {cache::cold, cache::warm, cache::chained})
      {
        steps.next(name({s->function, s->type, distribution::wide, n, where}));
        if (where != cache::cold && n * s->bytes_per_element > 2 * on.cache_bytes)
          continue;
        p.rows.push_back(measure(on, *s, {n, distribution::wide, 1, where, contest::shapes}, repetitions));
        require_shapes(p.rows.back());
      }
    }
    all.push_back(std::move(p));
  }
  return all;
}

std::string fact(system const& on, std::string const& key)
{
  for (auto const& [name, value] : on.facts)
  {
    if (name == key)
      return value;
  }
  return "";
}

struct tune_options
{
  std::string output;
  std::string table;
  std::string save;
  std::vector<std::string> load;
  std::vector<std::string> functions; ///< none: all
  int repetitions = 7;
  int largest = 30;
};

std::optional<tune_options> parse_options(int argc, char** argv)
{
  tune_options o;
  CLI::App app(
    "Times every shape of nozzle's kernel on this GPU, cold, warm and chained, and writes the table of the best\n"
    "ones: a file for -DNOZZLE_TUNING=FILE, or for include/nozzle/detail beside the others.",
    "tune");
  auto* const output =
    app.add_option("--output", o.output, "Write the table into this file; by default to the standard output");
  auto* const table =
    app.add_option("--table", o.table, "Write each case's best and chosen shape into this file, as Markdown");
  auto* const save =
    app.add_option("--save", o.save, "Write every time into this file, from which --load fits a table again");
  auto* const load =
    app
      .add_option(
        "--load",
        o.load,
        "Take the times of these files, of runs on one kind of GPU, instead of measuring: no GPU is needed. The\n"
        "first has every size and function; others may end at a smaller size, or have fewer functions")
      ->check(CLI::ExistingFile)
      ->delimiter(',');
  app
    .add_option("--functions",
                o.functions,
                "Measure these alone, and write no table: for --save, to load the file beside one of all functions")
    ->check(CLI::IsMember(functions_of_cells()))
    ->delimiter(',')
    ->needs(save)
    ->excludes(output)
    ->excludes(table)
    ->excludes(load);
  app.add_option("--repetitions", o.repetitions, "Measurements that each median is taken of")
    ->check(CLI::Range(2, 1000))
    ->capture_default_str();
  app.add_option("--largest", o.largest, "No size is above two to this power")
    ->check(CLI::Range(16, 31))
    ->capture_default_str();
  if (!parse(app, argc, argv))
    return std::nullopt;
  return o;
}

/// The limits, in elements for each multiprocessor, at which shapes may change: powers of two and, where kernels of different
/// shapes change places, one between every two; at last what makes 4096 x 393216 of an H200. No size is above 2^largest.
std::vector<unsigned> limits(int multiprocessors, int largest)
{
  std::vector<unsigned> all = {2, 8, 32};
  for (unsigned elements = 128; elements < 65536; elements *= 2)
    all.insert(all.end(), {elements, elements + elements / 2});
  all.insert(all.end(), {1u << 16, 1u << 17, 1u << 19, 1u << 21, 1u << 23, 3u << 22});
  while (size_for(all.back(), multiprocessors) > std::size_t(1) << largest)
    all.pop_back();
  return all;
}

times measure_all(tune_options const& o)
{
  const std::string no_cuda = why_no_cuda();
  if (!no_cuda.empty())
    throw std::runtime_error(no_cuda);
  const system on = cuda_system(contest::shapes);
  const nozzle::machine gpu = current_machine();
  times all{fact(on, "gpu"),
            fact(on, "cuda"),
            fact(on, "driver"),
            NOZZLE_COMMIT,
            gpu.capability,
            gpu.multiprocessors,
            gpu.l2_bytes,
            o.largest,
            {}};
  const std::vector<unsigned> all_limits = limits(gpu.multiprocessors, o.largest);
  const std::vector<cell> chosen = o.functions.empty() ? cells() : cells_of(o.functions);
  std::size_t subjects = 0;
  for (cell const& c : chosen)
    subjects += subjects_of(c, on).size();
  progress steps(subjects * all_limits.size() * std::size(cache_names));
  for (cell const& c : chosen)
    all.cells.push_back(measure_cell(on, c, gpu.multiprocessors, all_limits, o.repetitions, steps));
  steps.clear();
  return all;
}

/// Adds the times in a file to those of others, if there are any. Throws bad_option.
void load(std::optional<times>& all, std::string const& path)
{
  try
  {
    std::ifstream file(path);
    const times run = read_times(file, cells().size());
    if (all)
      add(*all, run);
    else
      all = run;
  }
  catch (std::runtime_error const& e)
  {
    throw bad_option("--load: " + path + ": " + e.what());
  }
}

void tune(tune_options const& o)
{
  const output_file report("--table", o.table);
  const output_file output("--output", o.output);
  const output_file saved("--save", o.save);

  std::optional<times> measured;
  for (std::string const& path : o.load)
    load(measured, path);
  if (!measured)
    measured = measure_all(o);
  std::ostringstream every_time;
  write(every_time, *measured);
  saved.write(every_time.str());
  if (!o.functions.empty())
    return;

  std::ostringstream tables;
  std::ostringstream evidence;
  write_tables(tables, evidence, *measured, NOZZLE_COMMIT);
  report.write(evidence.str());
  output.write(tables.str());
  if (o.output.empty())
    std::cout << tables.str();
}

} // namespace

} // namespace perf

int main(int argc, char** argv)
{
  return perf::run_program("tune",
                           [=]
                           {
                             const auto options = perf::parse_options(argc, argv);
                             if (!options)
                               return 0;
                             perf::initialize_measurements();
                             perf::tune(*options);
                             return 0;
                           });
}
