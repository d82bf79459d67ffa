#include "times.hpp"

#include "shapes.hpp"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace perf
{

namespace
{

void write(std::ostream& out, row const& r)
{
  out << r.point.function << ' ' << r.point.type << ' ' << r.point.n << ' ' << static_cast<int>(r.point.cache);
  for (result const& each : r.results)
    out << ' ' << (each.outcome == outcome::timed ? each.microseconds : 0) << ' ' << each.spread;
  out << '\n';
}

row read_row(std::istream& in)
{
  row r{};
  int cache = 0;
  in >> r.point.function >> r.point.type >> r.point.n >> cache;
  r.point.cache = static_cast<perf::cache>(cache);
  for (nozzle::shape s : shapes)
  {
    result each(variant_name(s));
    in >> each.microseconds >> each.spread;
    each.outcome = each.microseconds > 0 ? outcome::timed : outcome::skipped;
    r.results.push_back(each);
  }
  return r;
}

curve read_curve(std::istream& in)
{
  std::size_t sizes = 0;
  in >> sizes;
  curve all;
  for (std::size_t i = 0; i < sizes && in; ++i)
  {
    curve_point p{};
    std::size_t rows = 0;
    in >> p.limit >> rows;
    for (std::size_t j = 0; j < rows && in; ++j)
      p.rows.push_back(read_row(in));
    all.push_back(p);
  }
  return all;
}

double median(std::vector<double> values)
{
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The median of each shape's times in several runs, among those that timed it.
row median_row(case_rows const& runs)
{
  row all = *runs.front();
  for (std::size_t shape = 0; shape < all.results.size(); ++shape)
  {
    std::vector<double> microseconds;
    std::vector<double> spreads;
    for (row const* r : runs)
    {
      result const& each = r->results[shape];
      if (each.outcome != outcome::timed)
        continue;
      all.results[shape] = each;
      microseconds.push_back(each.microseconds);
      spreads.push_back(each.spread);
    }
    if (microseconds.empty())
      continue;
    all.results[shape].microseconds = median(microseconds);
    all.results[shape].spread = median(spreads);
  }
  return all;
}

curve_point median_point(curve_point const& of)
{
  curve_point all{of.limit, {}};
  for (case_rows const& runs : cases_of(of))
    all.rows.push_back(median_row(runs));
  return all;
}

} // namespace

void write(std::ostream& out, times const& all)
{
  out << std::setprecision(9) << std::quoted(all.gpu) << ' ' << std::quoted(all.cuda) << ' ' << std::quoted(all.driver)
      << ' ' << std::quoted(all.commit) << ' ' << all.capability << ' ' << all.multiprocessors << ' ' << all.l2_bytes
      << ' ' << all.largest << ' ' << all.cells.size() << ' ' << std::size(shapes) << '\n';
  for (nozzle::shape s : shapes)
    out << variant_name(s) << (s == std::end(shapes)[-1] ? '\n' : ' ');
  for (curve const& cell : all.cells)
  {
    out << cell.size() << '\n';
    for (curve_point const& p : cell)
    {
      out << p.limit << ' ' << p.rows.size() << '\n';
      for (row const& r : p.rows)
        write(out, r);
    }
  }
}

void add(times& all, times const& run)
{
  const auto has_sizes_of = [](curve const& a, curve const& b)
  {
    return b.size() <= a.size()
           && std::equal(b.begin(),
                         b.end(),
                         a.begin(),
                         [](curve_point const& x, curve_point const& y) { return x.limit == y.limit; });
  };
  if (all.gpu != run.gpu || all.multiprocessors != run.multiprocessors)
    throw std::runtime_error("one run was on " + all.gpu + " of " + std::to_string(all.multiprocessors)
                             + " multiprocessors, the other on " + run.gpu + " of "
                             + std::to_string(run.multiprocessors));
  if (!std::equal(all.cells.begin(), all.cells.end(), run.cells.begin(), run.cells.end(), has_sizes_of))
    throw std::runtime_error("a run has sizes that the first one lacks");
  if (all.commit.find(run.commit) == std::string::npos)
    all.commit += " and " + run.commit;
  for (std::size_t cell = 0; cell < all.cells.size(); ++cell)
  {
    for (std::size_t size = 0; size < run.cells[cell].size(); ++size)
    {
      std::vector<row>& rows = all.cells[cell][size].rows;
      std::vector<row> const& more = run.cells[cell][size].rows;
      rows.insert(rows.end(), more.begin(), more.end());
    }
  }
}

std::vector<case_rows> cases_of(curve_point const& p)
{
  std::vector<case_rows> all;
  for (row const& r : p.rows)
  {
    const auto is_same = [&r](case_rows const& others)
    {
      point const& other = others.front()->point;
      return other.cache == r.point.cache && name(other) == name(r.point);
    };
    auto same = std::find_if(all.begin(), all.end(), is_same);
    if (same == all.end())
      same = all.insert(all.end(), case_rows());
    same->push_back(&r);
  }
  return all;
}

times medians(times const& all)
{
  times one = all;
  for (curve& cell : one.cells)
    std::transform(cell.begin(), cell.end(), cell.begin(), median_point);
  return one;
}

times read_times(std::istream& in, std::size_t cells)
{
  times all;
  std::size_t its_cells = 0;
  std::size_t its_shapes = 0;
  in >> std::quoted(all.gpu) >> std::quoted(all.cuda) >> std::quoted(all.driver) >> std::quoted(all.commit)
    >> all.capability >> all.multiprocessors >> all.l2_bytes >> all.largest >> its_cells >> its_shapes;
  if (in && (its_cells != cells || its_shapes != std::size(shapes)))
    throw std::runtime_error("the times are of " + std::to_string(its_cells) + " cells and "
                             + std::to_string(its_shapes) + " shapes, not of " + std::to_string(cells) + " and "
                             + std::to_string(std::size(shapes)));
  for (nozzle::shape s : shapes)
  {
    std::string its;
    in >> its;
    if (in && its != variant_name(s))
      throw std::runtime_error("the times are of " + its + " where " + variant_name(s) + " is expected");
  }
  for (std::size_t i = 0; i < its_cells && in; ++i)
    all.cells.push_back(read_curve(in));
  if (!in)
    throw std::runtime_error("the times end too early, or are something else");
  return all;
}

} // namespace perf
