#include "perf/tune/kind_fit.hpp"

#include "perf/compare/regret.hpp"

#include <nozzle/detail/tuning/tuning.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace perf
{

namespace
{

constexpr double never = std::numeric_limits<double>::infinity();

/// The kind's times at one size.
size_fit times_at(tuning_size const& size, work_kind const& c, times const& measured)
{
  size_fit all{size, {}, {}};
  for (tuning_case const& each : cases_of(c, size.n, measured.l2_bytes))
  {
    const auto found = measured.cases.find(each);
    if (found == measured.cases.end())
      throw std::runtime_error("no times of " + name(each) + ": load a file that has them too");
    (is_company(each.setting) ? all.company : all.own).push_back(found->second);
  }
  return all;
}

/// How much longer a shape takes than the best, in units of 3%: on average, and the worst of these.
double own_cost(std::vector<shape_times> const& cases, std::size_t shape)
{
  constexpr double bound = 0.03;
  double sum = 0;
  double worst = 0;
  for (shape_times const& us : cases)
  {
    if (us[shape] == 0)
      return never;
    const double best = best_us(us);
    const double behind = (us[shape] - best) / granted_us(best, bound);
    sum += behind;
    worst = std::max(worst, behind);
  }
  return sum / static_cast<double>(cases.size()) + worst;
}

/// The same of what calls add to a chain. That is a small difference of long times, so its mean over all cases is
/// compared, in units of 5% or 0.1 us.
double company_cost(std::vector<shape_times> const& cases, std::size_t shape)
{
  const shape_times mean = mean_of(cases);
  if (mean[shape] == 0)
    return never;
  const double best = best_us(mean);
  return (mean[shape] - best) / std::max(0.05 * best, 0.1);
}

/// Company counts; chains of the call's own kind count less beside it.
double cost_of(size_fit const& at, std::size_t shape)
{
  constexpr double own_beside_company = 0.25;
  if (at.company.empty())
    return own_cost(at.own, shape);
  return company_cost(at.company, shape) + own_beside_company * own_cost(at.own, shape);
}

/// What users have most.
constexpr double power_of_two = 3;

/// The largest size speaks for all beyond. Differences are measured to a tenth of a percent there, and matter.
double weight_of(size_fit const& at, bool is_largest)
{
  constexpr double largest = 20;
  const std::size_t n = at.size.n;
  return is_largest ? largest : (n & (n - 1)) == 0 ? power_of_two : 1;
}

/// The cheapest choice at all sizes so far that ends with a candidate after a number of changes.
struct path
{
  double cost = never;
  std::vector<int> chosen = {};
};

using paths = std::vector<std::vector<path>>; ///< by changes, by candidate

/// The paths that end one size further.
paths extend(paths const& shorter, costs const& here, double change)
{
  paths longer(shorter.size(), std::vector<path>(here.size()));
  for (std::size_t changes = 0; changes < shorter.size(); ++changes)
  {
    for (std::size_t to = 0; to < here.size(); ++to)
    {
      path& best = longer[changes][to];
      for (std::size_t from = 0; from < here.size(); ++from)
      {
        if (from != to && changes == 0)
          continue;
        path const& before = shorter[changes - (from == to ? 0 : 1)][from];
        const double cost = before.cost + here[to] + (from == to ? 0 : change);
        if (cost < best.cost)
          best = {cost, before.chosen};
      }
      best.chosen.push_back(static_cast<int>(to));
    }
  }
  return longer;
}

} // namespace

std::vector<int> fit(std::vector<costs> const& sizes, double change, int most_changes)
{
  const std::size_t candidates = sizes.front().size();
  paths all(static_cast<std::size_t>(most_changes) + 1, std::vector<path>(candidates));
  for (std::size_t c = 0; c < candidates; ++c)
    all[0][c] = {sizes[0][c], {static_cast<int>(c)}};
  for (std::size_t size = 1; size < sizes.size(); ++size)
    all = extend(all, sizes[size], change);

  path cheapest;
  for (std::vector<path> const& after : all)
  {
    for (path const& each : after)
    {
      if (each.cost < cheapest.cost)
        cheapest = each;
    }
  }
  return cheapest.chosen;
}

kind_fit fit_kind(work_kind const& c, times const& measured)
{
  std::size_t most = 0;
  for (auto const& each : measured.cases)
    most = std::max(most, each.first.n);
  kind_fit all;
  std::vector<costs> sizes;
  for (tuning_size const& size : tuning_sizes(measured.multiprocessors, most))
  {
    all.push_back(times_at(size, c, measured));
    sizes.emplace_back();
    for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
      sizes.back().push_back(weight_of(all.back(), size.n == most) * cost_of(all.back(), shape));
  }
  if (sizes.empty())
    throw std::runtime_error("no times");

  // A table has to be simple: another step has to save a whole unit at one power of two.
  constexpr double change = power_of_two;
  const std::vector<int> chosen = fit(sizes, change, nozzle::detail::steps::most - 1);
  if (chosen.empty())
    throw std::runtime_error(name(c) + ": no shape was timed in every case of a size");
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i].chosen = static_cast<std::size_t>(chosen[i]);
  return all;
}

double best_us(shape_times const& us)
{
  double best = never;
  for (double each : us)
    best = each > 0 ? std::min(best, each) : best;
  return best;
}

shape_times mean_of(std::vector<shape_times> const& cases)
{
  shape_times mean = {};
  for (std::size_t shape = 0; shape < mean.size(); ++shape)
  {
    for (shape_times const& us : cases)
      mean[shape] += us[shape];
    mean[shape] /= static_cast<double>(cases.size());
    if (std::any_of(cases.begin(), cases.end(), [shape](shape_times const& us) { return us[shape] == 0; }))
      mean[shape] = 0;
  }
  return mean;
}

std::vector<kind_fit> fit_kinds(times const& measured)
{
  std::vector<kind_fit> all;
  for (work_kind const& c : table_kinds())
    all.push_back(fit_kind(c, measured));
  return all;
}

} // namespace perf
