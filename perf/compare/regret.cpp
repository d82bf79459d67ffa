#include "perf/compare/regret.hpp"

#include "perf/measure/shapes.hpp"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <ostream>

namespace perf
{

namespace
{

/// Not the yardstick, which computes nothing; not thrust_par, whose time includes the host's.
constexpr char const* others[] = {"thrust_nosync", "cub", "plain", "one_per_thread", "four_per_thread"};

bool is_rival(std::string const& variant, rivals beside)
{
  const auto is_named = [&](nozzle::shape s) { return variant_name(s) == variant; };
  return (beside == rivals::all && std::count(std::begin(others), std::end(others), variant) > 0)
         || std::any_of(std::begin(shapes), std::end(shapes), is_named);
}

std::string where(point const& p)
{
  return name(p) + ", " + name(p.cache);
}

void print_line(std::ostream& out, regret const& r)
{
  out << "+" << std::fixed << std::setprecision(1) << 100 * r.relative() << "% at " << where(r.at) << ": "
      << std::setprecision(3) << r.chosen_us << " us, " << r.best << " " << r.best_us << " us\n";
}

void print_mean_and_worst(std::ostream& out, std::vector<regret> const& all)
{
  double sum = 0;
  for (regret const& r : all)
    sum += r.relative();
  out << all.size() << " points, mean +" << std::fixed << std::setprecision(2)
      << 100 * sum / static_cast<double>(all.size()) << "%, worst ";
  print_line(out, all.front());
}

} // namespace

std::vector<regret> regrets(std::vector<row> const& rows, rivals beside)
{
  std::vector<regret> all;
  for (row const& r : rows)
  {
    result const* const chosen = find_timed(r.results, "nozzle");
    if (!chosen)
      continue;
    result const* best = chosen;
    for (result const& other : r.results)
    {
      if (other.outcome == outcome::timed && is_rival(other.variant, beside) && other.us.median < best->us.median)
        best = &other;
    }
    all.push_back({r.point, chosen->us.median, best->us.median, best->variant});
  }
  std::sort(all.begin(), all.end(), [](regret const& a, regret const& b) { return a.relative() > b.relative(); });
  return all;
}

bool print_regret(std::ostream& out, std::vector<row> const& rows, double bound)
{
  const std::vector<regret> all = regrets(rows);
  if (all.empty())
  {
    out << "\nRegret: no call of nozzle was timed, so no choice was judged.\n";
    return false;
  }
  out << "\n### Regret: nozzle's choice beside the best of every route and shape\n\n";
  print_mean_and_worst(out, all);
  const auto above = std::count_if(all.begin(), all.end(), [bound](regret const& r) { return exceeds(r, bound); });
  out << above << " above " << std::setprecision(1) << 100 * bound
      << "% (and, where the best takes less than 5 us, 0.05 us)\n";
  for (regret const& r : all)
  {
    if (exceeds(r, bound))
      print_line(out << "- ", r);
  }
  print_mean_and_worst(out << "\nBeside the kernel's own shapes: ", regrets(rows, rivals::kernel_shapes));
  out << '\n';
  for (char const* variant : others)
  {
    const lead over = lead_over(variant, rows);
    if (over.points > 0)
      out << "Faster than " << variant << " by " << std::fixed << std::setprecision(3) << over.mean
          << " (geometric mean), at least by " << over.least << " (" << where(rows[over.at].point) << ")\n";
  }
  return above == 0;
}

} // namespace perf
