#include "tuning_table.hpp"

#include "markdown.hpp"

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
std::string text_of(char const* where, std::vector<shape_times> fitted_size::*cases, fitted_cell const& of)
{
  excess all;
  double count = 0;
  for (fitted_size const& at : of)
  {
    const excess here = excess_of(at.*cases, at.chosen);
    all.worst = std::max(all.worst, here.worst);
    all.mean += here.mean * static_cast<double>((at.*cases).size());
    count += static_cast<double>((at.*cases).size());
  }
  return std::string(where) + number(" worst +%.1f%%", 100 * all.worst)
         + number(", mean +%.1f%%", 100 * all.mean / count);
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
    out << "  // " << name(all[i]) << ": " << text_of("company", &fitted_size::company, fitted[i]) << "; "
        << text_of("own", &fitted_size::own, fitted[i]) << "\n  " << steps_of(fitted[i]) << ",\n";
  out << " }},\n";
}

} // namespace perf
