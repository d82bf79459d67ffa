#include "perf/tune/tuning_table.hpp"

#include "perf/report/markdown.hpp"

#include <algorithm>
#include <ostream>

namespace perf
{

namespace
{

/// The steps as an initializer. Each size nearly fills a number of blocks on every multiprocessor, and more elements
/// take more blocks, so a shape ends where these are full.
std::string steps_of(kind_fit const& of)
{
  std::string text;
  for (std::size_t i = 0; i < of.size(); ++i)
  {
    const bool last = i + 1 == of.size();
    if (!last && of[i].chosen == of[i + 1].chosen)
      continue;
    nozzle::shape const& s = shapes[of[i].chosen];
    text += (text.empty() ? "{" : ", {") + (last ? "step::no_limit" : std::to_string(of[i].size.limit))
            + ", {kernel::" + name(s.kernel) + ", " + std::to_string(s.threads) + "}}";
  }
  return "{{" + text + "}}";
}

/// "s512"
std::string short_name(std::size_t shape)
{
  return name(shapes[shape].kernel)[0] + std::to_string(shapes[shape].threads);
}

/// How much longer the chosen shape takes than each case's best: fractions.
struct excess
{
  double mean = 0;
  double worst = 0;
};

excess excess_of(std::vector<shape_times> const& cases, std::size_t chosen)
{
  excess all;
  for (shape_times const& us : cases)
  {
    const double behind = us[chosen] / best_us(us) - 1;
    all.mean += behind / static_cast<double>(cases.size());
    all.worst = std::max(all.worst, behind);
  }
  return all;
}

/// Four columns: the best shape and its time, where it is another one; the chosen one's time, and what it costs.
std::string columns(std::vector<shape_times> const& cases, std::size_t chosen)
{
  if (cases.empty())
    return "||||";
  const shape_times mean = mean_of(cases);
  std::size_t best = chosen;
  for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
  {
    if (mean[shape] > 0 && mean[shape] < mean[best])
      best = shape;
  }
  const excess behind = excess_of(cases, chosen);
  return (best == chosen ? "||" : short_name(best) + "|" + microseconds(mean[best]) + "|") + microseconds(mean[chosen])
         + "|" + number("%.1f", 100 * behind.mean) + number(", %.1f|", 100 * behind.worst);
}

/// "company worst +2.1%, mean +0.4%"
std::string text_of(char const* where, std::vector<excess> const& sizes)
{
  double worst = 0;
  double sum = 0;
  for (excess const& each : sizes)
  {
    worst = std::max(worst, each.worst);
    sum += each.mean;
  }
  return std::string(where) + number(" worst +%.1f%%", 100 * worst)
         + number(", mean +%.1f%%", 100 * sum / static_cast<double>(sizes.size()));
}

/// How much longer the chosen shapes take than the best, over all sizes: in company of all cases together, in own
/// chains of each.
std::string excess_text(kind_fit const& of)
{
  std::vector<excess> company;
  std::vector<excess> own;
  for (size_fit const& at : of)
  {
    if (!at.company.empty())
      company.push_back(excess_of({mean_of(at.company)}, at.chosen));
    own.push_back(excess_of(at.own, at.chosen));
  }
  return text_of("company", company) + "; " + text_of("own", own);
}

} // namespace

void write_table(std::ostream& out,
                 std::vector<kind_fit> const& fitted,
                 times const& measured,
                 std::string const& commit)
{
  out << "// Fitted by perf/tune at commit " << commit << " to times of commit " << measured.commit << ".\n// On an "
      << measured.gpu << ": " << measured.multiprocessors << " multiprocessors, " << (measured.l2_bytes >> 20)
      << " MiB of L2, CUDA " << measured.cuda << ".\n"
      << "// The shapes for each kind of work, each up to a number of elements per multiprocessor.\n{"
      << measured.capability << ",\n \"sm_" << measured.capability << ", measured on an " << measured.gpu
      << "\",\n {\n";
  const std::vector<work_kind> all = table_kinds();
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    if (i == 0 || all[i].cost_class != all[i - 1].cost_class)
      out << "  // " << name(all[i].cost_class)
          << ": elements of 1, 2, 4 and 8 bytes, each with one input and several\n";
    out << "  " << steps_of(fitted[i]) << ",\n";
  }
  out << " }},\n";
}

void write_report(std::ostream& out,
                  std::vector<kind_fit> const& fitted,
                  times const& measured,
                  std::string const& commit)
{
  out << "# The shapes that perf/tune chose\n\nFitted at commit " << commit << " to times of commit " << measured.commit
      << ", on an " << measured.gpu << ", CUDA " << measured.cuda << ", driver " << measured.driver
      << ".\nFor each number of elements: the chosen shape; then in company (what a call adds between foreign kernels) "
         "and in\nchains of its own kind, the best shape and its \xc2\xb5s where it is another one, the chosen one's "
         "\xc2\xb5s, and by how many percent\nit is behind each case's best (mean, worst). Times are means over "
         "functions, "
         "types and settings.\n\nShapes:";
  for (std::size_t shape = 0; shape < std::size(shapes); ++shape)
    out << (shape > 0 ? ", " : " ") << short_name(shape) << " is " << shapes[shape];
  out << ".\n";
  const std::vector<work_kind> all = table_kinds();
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    out
      << "\n## " << name(all[i]) << "\n\n"
      << excess_text(fitted[i])
      << "\n\n|n|chosen|company: best|\xc2\xb5s|chosen \xc2\xb5s|behind %|own: best|\xc2\xb5s|chosen \xc2\xb5s|behind "
         "%|\n|--:|--|--|--:|--:|--:|--|--:|--:|--:|\n";
    for (size_fit const& at : fitted[i])
      out << "|" << at.size.n << "|" << short_name(at.chosen) << "|" << columns(at.company, at.chosen)
          << columns(at.own, at.chosen) << "\n";
  }
}

} // namespace perf
