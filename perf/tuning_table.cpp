#include "tuning_table.hpp"

#include "cell.hpp"
#include "fit.hpp"
#include "regret.hpp"
#include "shapes.hpp"

#include <nozzle/plan.hpp>

#include <algorithm>
#include <iomanip>
#include <limits>
#include <ostream>
#include <sstream>

namespace perf
{

namespace
{

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

/// The rows of a cell that a table is for: those whose data a call knows to be in L2, or all others.
class cases
{
public:
  cases(bool for_warm_data, cell const& c, std::size_t l2_bytes)
    : warm(for_warm_data)
    , most(l2_bytes / (c.element_bytes * (c.several_inputs ? 3 : 2)))
  {
  }

  bool contain(row const& r) const
  {
    return warm == (r.point.cache != cache::cold && r.point.n <= most);
  }

private:
  bool warm;
  std::size_t most; ///< elements that L2 has room for, of the inputs and the result
};

/// How much longer a shape takes than the best, in units of the bound of --regret.
double bounds_behind(row const& r, std::size_t shape)
{
  constexpr double bound = 0.03;
  const double best = best_us(r);
  return (r.results[shape].microseconds - best) / granted_us(best, bound);
}

/// What taking a shape costs at a size: how much longer it takes than the best, on average over runs, then over functions and
/// caches, and the worst of these; and a price for the share above the bound, but of chains, at which --regret does not look.
/// What the table is not for counts less, but it does: data may be in L2 without nozzle's knowledge, and may have left it.
double cost_of(std::vector<case_rows> const& measured, std::size_t shape, cases const& of)
{
  constexpr double other = 0.25;
  constexpr double price_above = 10;
  double sum = 0;
  double worst = 0;
  double share_above = 0;
  int looked_at = 0;
  for (case_rows const& runs : measured)
  {
    const bool counts = of.contain(*runs.front());
    const auto count = static_cast<double>(runs.size());
    double behind = 0;
    double times_above = 0;
    for (row const* r : runs)
    {
      if (r->results[shape].outcome != outcome::timed)
        return std::numeric_limits<double>::infinity();
      const double bounds = bounds_behind(*r, shape);
      behind += bounds * (counts ? 1 : other);
      times_above += bounds > 1 ? 1 : 0;
    }
    sum += behind / count;
    worst = std::max(worst, behind / count);
    if (!counts || runs.front()->point.cache == cache::chained)
      continue;
    ++looked_at;
    share_above += times_above / count;
  }
  if (looked_at == 0) // warm work is not that large
    return 0;
  return sum / static_cast<double>(measured.size()) + worst + price_above * share_above / looked_at;
}

/// The index of the shape for each size.
std::vector<int> choose(curve const& measured, cases const& of)
{
  // What users have most.
  constexpr double power_of_two = 3;
  // A table has to be simple: another step has to save a third of the bound, one percent, at one of these, or a little at many
  // sizes.
  constexpr double change = power_of_two / 3;
  // The largest size speaks for all beyond. Differences are measured to a tenth of a percent there, and matter.
  constexpr double largest = 20;
  std::vector<costs> sizes;
  for (curve_point const& p : measured)
  {
    const std::size_t n = p.rows.front().point.n;
    const double weight = p.limit == measured.back().limit ? largest : (n & (n - 1)) == 0 ? power_of_two : 1;
    const std::vector<case_rows> rows = cases_of(p);
    costs each;
    for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
      each.push_back(weight * cost_of(rows, shape, of));
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
std::string evidence(curve const& measured, std::vector<int> const& chosen, cases const& of)
{
  double worst = 0;
  double sum = 0;
  int count = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    for (row const& r : measured[i].rows)
    {
      if (!of.contain(r))
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
void explain(std::ostream& out, curve const& measured, std::vector<int> const& chosen, cases const& of)
{
  out << "| | best | us | chosen | us |\n|---|---|--:|---|--:|\n" << std::fixed << std::setprecision(3);
  for (std::size_t i = 0; i < chosen.size(); ++i)
  {
    for (row const& r : measured[i].rows)
    {
      if (!of.contain(r))
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

/// What the tables were measured on.
void begin(std::ostream& out, times const& measured, std::string const& commit)
{
  out << "// Written by perf/tune at commit " << commit;
  if (measured.commit != commit)
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
  const times typical = medians(measured);
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    const cases of(warm, all[i], measured.l2_bytes);
    const std::vector<int> chosen = choose(measured.cells[i], of);
    curve const& sizes = typical.cells[i];
    const std::string title = name(all[i]) + ": " + evidence(sizes, chosen, of);
    out << "  // " << title << "\n" << code(sizes, chosen);
    explain(report << "\n### " << title << "\n\n", sizes, chosen, of);
  }
  out << " }" << (warm ? ",\n true" : "") << "},\n";
}

} // namespace

void write_tables(std::ostream& out, std::ostream& report, times const& measured, std::string const& commit)
{
  begin(out, measured, commit);
  report << "# What perf/tune measured\n\nOn an " << measured.gpu << ", CUDA " << measured.cuda << ", driver "
         << measured.driver << ", at commit " << measured.commit
         << ". Times are microseconds of one call, of calls one after the other: the median of a run, and of\n"
            "these the median where there are several runs.\n";
  for (bool warm : {false, true})
    write_table(out, report, measured, warm);
}

} // namespace perf
