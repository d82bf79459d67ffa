#include "perf/tune/tuning_table.hpp"

#include "perf/report/markdown.hpp"

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

} // namespace

std::vector<kind_fit> fit_kinds(times const& measured)
{
  std::vector<kind_fit> all;
  for (work_kind const& c : table_kinds())
    all.push_back(fit_kind(c, measured));
  return all;
}

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

} // namespace perf
