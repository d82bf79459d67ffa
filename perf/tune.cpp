#include "cuda.hpp"
#include "fit.hpp"
#include "measure.hpp"
#include "program.hpp"
#include "progress.hpp"
#include "regret.hpp"
#include "shapes.hpp"
#include "times.hpp"

#include <nozzle/plan.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <optional>
#include <sstream>
#include <stdexcept>

// Measures every shape of nozzle's kernel on the GPU it runs on, and writes the table that plan_for reads.

namespace perf
{

namespace
{

/// A cell of the table: what its shapes are chosen for, by functions and types that stand for all of its kind.
struct cell
{
  nozzle::cost cost_class;
  std::vector<std::string> types;
  std::size_t element_bytes;
  bool several_inputs;
  std::vector<std::string> functions;
};

constexpr char const* cost_names[] = {"clamp", "arithmetic", "exp", "heavy"};

std::vector<cell> cells()
{
  struct kind
  {
    nozzle::cost cost_class;
    bool several_inputs;
    std::vector<std::string> functions;
  };
  const kind kinds[] = {{nozzle::cost::clamp, false, {"hardtanh", "relu"}},
                        {nozzle::cost::clamp, true, {"hardtanh_gradient"}},
                        {nozzle::cost::arithmetic, false, {"hardsigmoid"}},
                        {nozzle::cost::arithmetic, true, {"hardsigmoid_gradient"}},
                        {nozzle::cost::exp, false, {"sigmoid", "silu", "mish"}},
                        {nozzle::cost::exp, true, {"swiglu"}},
                        {nozzle::cost::heavy, false, {"gelu"}},
                        {nozzle::cost::heavy, true, {"gelu_gradient"}}};
  const std::pair<std::size_t, std::vector<std::string>> types_by_bytes[] = {
    {1, {"e4m3"}}, {2, {"half", "bf16"}}, {4, {"float"}}, {8, {"double"}}};
  std::vector<cell> all;
  for (int cost = 0; cost < nozzle::detail::cost_classes; ++cost)
  {
    for (auto const& [bytes, types] : types_by_bytes)
    {
      for (kind const& k : kinds)
      {
        if (static_cast<int>(k.cost_class) == cost)
          all.push_back({k.cost_class, types, bytes, k.several_inputs, k.functions});
      }
    }
  }
  return all;
}

/// The same cells with these of their functions alone; one that is left with none has no times.
std::vector<cell> cells_of(std::vector<std::string> const& functions)
{
  std::vector<cell> all = cells();
  for (cell& c : all)
  {
    const auto is_other = [&](std::string const& f)
    { return std::find(functions.begin(), functions.end(), f) == functions.end(); };
    c.functions.erase(std::remove_if(c.functions.begin(), c.functions.end(), is_other), c.functions.end());
  }
  return all;
}

/// All functions of the cells, each once.
std::vector<std::string> functions_of_cells()
{
  std::vector<std::string> all;
  for (cell const& c : cells())
  {
    for (std::string const& f : c.functions)
    {
      if (std::find(all.begin(), all.end(), f) == all.end())
        all.push_back(f);
    }
  }
  return all;
}

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
        throw std::logic_error("tune: " + function + " is no longer of cost "
                               + cost_names[static_cast<int>(c.cost_class)]);
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

double best_us(row const& r)
{
  double best = std::numeric_limits<double>::infinity();
  for (result const& each : r.results)
  {
    if (each.outcome == outcome::timed)
      best = std::min(best, each.microseconds);
  }
  return best;
}

/// For which rows of a cell a table is: for those whose data a call knows to be in L2, or for all others.
class table
{
public:
  table(bool for_warm_data, cell const& c, std::size_t l2_bytes)
    : warm(for_warm_data)
    , most(l2_bytes / (c.element_bytes * (c.several_inputs ? 3 : 2)))
  {
  }

  bool is_for(row const& r) const
  {
    return warm == (r.point.cache != cache::cold && r.point.n <= most);
  }

private:
  bool warm;
  std::size_t most; ///< elements that L2 has room for, of the inputs and the result
};

/// What taking a shape costs at a size: how much longer it takes than the best, as a fraction, or less where that is less than
/// measurements differ by; the mean over all functions, caches and runs, and the worst; and the share that is above the bound of
/// --regret, which does not look at chains.
/// What the table is not for counts less, but it does: data may be in L2 without nozzle's knowledge, and may have left it.
double cost_of(curve_point const& p, std::size_t shape, table const& of)
{
  constexpr double bound = 0.03;
  constexpr double other = 0.25;
  double sum = 0;
  double worst = 0;
  int above = 0;
  int looked_at = 0;
  for (row const& r : p.rows)
  {
    result const& mine = r.results[shape];
    if (mine.outcome != outcome::timed)
      return std::numeric_limits<double>::infinity();
    const double best = best_us(r);
    const double bounds = (mine.microseconds - best) / granted_us(best, bound);
    const double longer = bound * bounds * (of.is_for(r) ? 1 : other);
    sum += longer;
    worst = std::max(worst, longer);
    if (!of.is_for(r) || r.point.cache == cache::chained)
      continue;
    ++looked_at;
    above += bounds > 1 ? 1 : 0;
  }
  if (looked_at == 0) // warm work is not that large
    return 0;
  return sum / static_cast<double>(p.rows.size()) + worst + static_cast<double>(above) / looked_at;
}

/// The index of the shape for each size.
std::vector<int> choose(curve const& measured, table const& of)
{
  // What users have most.
  constexpr double power_of_two = 3;
  // A table has to be simple: another step has to save one percent at one of these, or a little at many sizes.
  constexpr double change = 0.01 * power_of_two;
  // The largest size speaks for all beyond. Differences are measured to a tenth of a percent there, and matter.
  constexpr double largest = 20;
  std::vector<costs> sizes;
  for (curve_point const& p : measured)
  {
    const std::size_t n = p.rows.front().point.n;
    const double weight = p.limit == measured.back().limit ? largest : (n & (n - 1)) == 0 ? power_of_two : 1;
    costs each;
    for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
      each.push_back(weight * cost_of(p, shape, of));
    sizes.push_back(each);
  }
  return fit(sizes, change, nozzle::detail::steps::most - 1);
}

std::string code(nozzle::shape s)
{
  std::ostringstream out;
  out << "{kernel::" << name(s.kernel) << ", " << s.threads << ", trigger::" << name(s.trigger) << "}";
  return out.str();
}

/// The steps as an initializer. Each size nearly fills a number of blocks on every multiprocessor, and more elements take more
/// blocks, so a shape ends where these are full.
std::string code(curve const& measured, std::vector<int> const& chosen)
{
  std::string text;
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    const bool last = i + 1 == chosen.size();
    if (!last && chosen[i] == chosen[i + 1])
      continue;
    const std::string limit = last ? "step::no_limit" : std::to_string(measured[i].limit);
    text += (text.empty() ? "  {{{" : ",\n    {") + limit + ", " + code(shapes[chosen[i]]) + "}";
  }
  return text + "}},\n";
}

/// "worst +2.1%, mean +0.4%"
std::string evidence(curve const& measured, std::vector<int> const& chosen, table const& of)
{
  double worst = 0;
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    for (row const& r : measured[i].rows)
    {
      if (!of.is_for(r))
        continue;
      const double regret = r.results[static_cast<std::size_t>(chosen[i])].microseconds / best_us(r) - 1;
      worst = std::max(worst, regret);
      sum += regret;
      ++count;
    }
  }
  std::ostringstream out;
  out << std::fixed << std::setprecision(1) << "worst +" << 100 * worst << "%, mean +" << 100 * sum / count << "%";
  return out.str();
}

/// For each size and case: the best shape, the chosen one, and their times.
void explain(std::ostream& out, curve const& measured, std::vector<int> const& chosen, table const& of)
{
  out << "| | best | us | chosen | us |\n|---|---|--:|---|--:|\n" << std::fixed << std::setprecision(3);
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    for (row const& r : measured[i].rows)
    {
      if (!of.is_for(r))
        continue;
      const auto best = std::min_element(r.results.begin(),
                                         r.results.end(),
                                         [](result const& a, result const& b)
                                         {
                                           const bool a_timed = a.outcome == outcome::timed;
                                           const bool b_timed = b.outcome == outcome::timed;
                                           return a_timed != b_timed ? a_timed : a.microseconds < b.microseconds;
                                         });
      result const& mine = r.results[static_cast<std::size_t>(chosen[i])];
      out << "| " << name(r.point) << ", " << name(r.point.cache) << " | " << best->variant << " | "
          << best->microseconds << " | " << mine.variant << " | " << mine.microseconds << " |\n";
    }
  }
}

/// "clamp, elements of 4 bytes, one input"
std::string kind(cell const& c)
{
  return std::string(cost_names[static_cast<int>(c.cost_class)]) + ", elements of " + std::to_string(c.element_bytes)
         + (c.element_bytes == 1 ? " byte, " : " bytes, ") + (c.several_inputs ? "several inputs" : "one input");
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

/// What the tables were measured on.
void begin(std::ostream& out, times const& measured)
{
  out << "// Written by perf/tune at commit " << NOZZLE_COMMIT;
  if (measured.commit != NOZZLE_COMMIT)
    out << " from times of commit " << measured.commit;
  out
    << ",\n// on an " << measured.gpu << ": " << measured.multiprocessors << " multiprocessors, "
    << (measured.l2_bytes >> 20) << " MiB of L2, CUDA " << measured.cuda << ", driver " << measured.driver
    << ".\n// For each kind of work: how far its shapes are from the best of " << std::size(shapes)
    << ", over sizes up to 2^" << measured.largest
    << "; the shapes,\n// each up to so many elements for each multiprocessor. First for data in memory or of unknown "
       "place, then for\n// what the last kernel has left in L2, both with an eye to the other.\n";
}

/// A table's initializer, and what speaks for it.
void write_table(std::ostream& out, std::ostream& report, times const& measured, bool warm)
{
  out << "{" << measured.capability << ",\n \"sm_" << measured.capability << ", measured on an " << measured.gpu
      << (warm ? ", data in L2" : "") << "\",\n {\n";
  report << "\n## " << (warm ? "Data in L2" : "Data in memory or of unknown place") << "\n";
  const std::vector<cell> all = cells();
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    const table of(warm, all[i], measured.l2_bytes);
    curve const& sizes = measured.cells[i];
    const std::vector<int> chosen = choose(sizes, of);
    const std::string title = kind(all[i]) + ": " + evidence(sizes, chosen, of);
    out << "  // " << title << "\n" << code(sizes, chosen);
    explain(report << "\n### " << title << "\n\n", sizes, chosen, of);
  }
  out << " }" << (warm ? ",\n true" : "") << "},\n";
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

times load(std::vector<std::string> const& paths)
{
  std::optional<times> all;
  for (std::string const& path : paths)
  {
    std::ifstream file(path);
    const times run = read_times(file, cells().size());
    if (all)
      add(*all, run);
    else
      all = run;
  }
  return *all;
}

void tune(tune_options const& o)
{
  // First of all: what is written may be the file that is read.
  const std::optional<times> kept = o.load.empty() ? std::nullopt : std::optional<times>(load(o.load));
  std::ofstream report = open("--table", o.table);
  std::ofstream output = open("--output", o.output);
  std::ofstream saved = open("--save", o.save);
  std::ostream& out = o.output.empty() ? std::cout : output;

  const times measured = kept ? *kept : measure_all(o);
  write(saved, measured);
  if (!o.functions.empty())
    return;

  begin(out, measured);
  report << "# What perf/tune measured\n\nOn an " << measured.gpu << ", CUDA " << measured.cuda << ", driver "
         << measured.driver << ", at commit " << measured.commit
         << ". Times are microseconds of one call, the median, of calls one after the other.\n";
  write_table(out, report, measured, false);
  write_table(out, report, measured, true);
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
