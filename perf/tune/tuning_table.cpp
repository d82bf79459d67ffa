#include "perf/tune/tuning_table.hpp"

#include "perf/report/markdown.hpp"

#include <ostream>

namespace perf
{

namespace
{

/// The steps as an initializer. Each size nearly fills a number of blocks on every multiprocessor, and more elements
/// take more blocks, so a shape ends where these are full.
std::string steps_of(fitted_cell const& of)
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

/// How far the chosen shapes are from the best at each size: in company over all cases together, in own chains in each.
std::string evidence(fitted_cell const& of)
{
  std::vector<excess> company;
  std::vector<excess> own;
  for (fitted_size const& at : of)
  {
    if (!at.company.empty())
      company.push_back(excess_of({mean_of(at.company)}, at.chosen));
    own.push_back(excess_of(at.own, at.chosen));
  }
  return text_of("company", company) + "; " + text_of("own", own);
}

} // namespace

std::vector<fitted_cell> fit_cells(times const& measured)
{
  std::vector<fitted_cell> all;
  for (cell const& c : table_cells())
    all.push_back(fit_cell(c, measured));
  return all;
}

void write_table(std::ostream& out,
                 std::vector<fitted_cell> const& fitted,
                 times const& measured,
                 std::string const& commit)
{
  out
    << "// Fitted by perf/tune at commit " << commit << " to times of commit " << measured.commit << ".\n// On an "
    << measured.gpu << ": " << measured.multiprocessors << " multiprocessors, " << (measured.l2_bytes >> 20)
    << " MiB of L2, CUDA " << measured.cuda << ".\n"
    << "// For each kind of work its shapes, each up to so many elements for each multiprocessor, and how much longer\n"
       "// they take than the best: between foreign kernels (company), and in chains of their own kind.\n{"
    << measured.capability << ",\n \"sm_" << measured.capability << ", measured on an " << measured.gpu << "\",\n {\n";
  const std::vector<cell> all = table_cells();
  for (std::size_t i = 0; i < all.size(); ++i)
    out << "  // " << name(all[i]) << ": " << evidence(fitted[i]) << "\n  " << steps_of(fitted[i]) << ",\n";
  out << " }},\n";
}

} // namespace perf
