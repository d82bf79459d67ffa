#include "test/accuracy/accuracy_error.hpp"
#include "test/accuracy/exhaustive_search.hpp"
#include "test/accuracy/exhaustive_subject.hpp"
#include "test/accuracy/exhaustive_table.hpp"
#include "test/support/inputs.hpp"
#include "test/support/skip.hpp"

#include <cuda/std/bit>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

// Every function of the catalogue on every float and every 16-bit and 8-bit value, on the GPU, or, compiled without
// CUDA, on all threads of the host: the largest error in ULP, forward and of the gradient for a gradient of 1 from
// above. Of functions of two inputs one is varied, the other is 1. And every float is tried beside another one
// (partner_of) and for a gradient from above that shows most of an error (steepest).
//   --functions a,b   these alone
//   --on host         compiled with CUDA: computed on the host, floats by nozzle::transform on all threads, and judged
//                     by the GPU
//   --output FILE     the table into FILE, and as CSV beside it; without it to the standard output
//   --stride N        every Nth float

namespace
{

using namespace exhaustive;

#if defined(__CUDACC__)

constexpr place usual_place = place::device;

bool can_run()
{
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

#else

constexpr place usual_place = place::host;

bool can_run()
{
  return true;
}

#endif

[[noreturn]] void fail(std::string const& why)
{
  std::cerr << "exhaustive: " << why << '\n';
  std::exit(2);
}

struct options
{
  std::string functions;
  place where = usual_place;
  std::string output;
  std::uint64_t stride = 1;

  bool selects(std::string const& name) const
  {
    return functions.empty() || ("," + functions + ",").find("," + name + ",") != std::string::npos;
  }
};

/// {op(x[i])}
template <class T, class Op>
std::vector<T> results([[maybe_unused]] place where, Op op, std::vector<T> x)
{
#if defined(__CUDACC__)
  if (where == place::device)
    return accuracy::results(op, x);
#endif
  std::transform(x.begin(), x.end(), x.begin(), op);
  return x;
}

/// A subject's reference in double.
template <class Subject>
struct reference_of
{
  Subject subject;

  NOZZLE_HOST_DEVICE double operator()(double x) const { return subject.template exact<double>(static_cast<float>(x)); }
};

/// The largest difference of a subject's references in double, as errors are found by, from those in long double on the
/// host, in ULP of float.
template <class Subject>
double reference_error(Subject subject)
{
  constexpr std::uint64_t stride = (1 << 20) + 7;
  std::vector<double> x;
  for (std::uint64_t bits = 0; bits < all_floats; bits += stride)
    x.push_back(static_cast<double>(float_of(bits)));
  const std::vector<double> in_double = results(usual_place, reference_of<Subject>{subject}, x);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const auto exact = static_cast<double>(subject.template exact<long double>(static_cast<float>(x[i])));
    largest = std::max(largest, narrow_ulp_error<float>(in_double[i], exact));
  }
  return largest;
}

/// x as the worst of what was found for a type, if it is.
template <class T, class Subject>
void note(finding& f, double error, T x, T computed, Subject subject)
{
  if (error < f.error || (error == f.error && !f.at.empty()))
    return;
  f.error = error;
  f.at = show(x);
  f.computed = narrow_value(computed);
  f.exact = subject.template exact<double>(static_cast<float>(narrow_value(x)));
}

/// Returns the worst float.
template <class Subject>
float try_floats(finding& f, Subject subject, options const& chosen)
{
  const key worst = search_floats(chosen.where, subject, chosen.stride);
  const auto error = cuda::std::bit_cast<float>(static_cast<std::uint32_t>(worst >> 32));
  const float x = float_of(worst & 0xffffffff);
  note(f, error, x, results(chosen.where, subject, std::vector<float>{x}).front(), subject);
  return x;
}

template <class T, class Subject>
void try_every_value(finding& f, Subject subject, options const& chosen)
{
  const std::vector<T> x = every_value<T>();
  const std::vector<T> y = results(chosen.where, subject, x);
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const auto exact = subject.template exact<double>(static_cast<float>(narrow_value(x[i])));
    note(f, narrow_ulp_error<T>(narrow_value(y[i]), exact), x[i], y[i], subject);
  }
}

/// A direction's findings, without any error yet.
std::vector<finding> nothing_found(catalogue::errors const& states)
{
  std::vector<finding> findings;
  for (char const* type : {"float", "half", "bf16", "e4m3", "e5m2"})
  {
    finding f;
    f.type = type;
    f.bound = findings.empty() ? states.in_float : states.narrow;
    findings.push_back(f);
  }
  return findings;
}

template <class Subject>
void try_everything(line& found, std::vector<finding>& findings, Subject subject, options const& chosen)
{
  found.reference_error = std::max(found.reference_error, reference_error(subject));
  try_floats(findings[0], subject, chosen);
  try_every_value<__half>(findings[1], subject, chosen);
  try_every_value<__nv_bfloat16>(findings[2], subject, chosen);
  try_every_value<__nv_fp8_e4m3>(findings[3], subject, chosen);
  try_every_value<__nv_fp8_e5m2>(findings[4], subject, chosen);
}

/// Writes the files, if any are wanted: after each function, as all of them may take hours.
void keep(std::vector<line> const& lines, options const& chosen)
{
  if (chosen.output.empty())
    return;
  std::ofstream table(chosen.output);
  write_table(table, lines);
  std::ofstream csv(std::filesystem::path(chosen.output).replace_extension(".csv"));
  write_csv(csv, lines);
  if (!table.flush() || !csv.flush())
    fail("cannot write " + chosen.output);
}

std::vector<line> tried(options const& chosen)
{
  std::vector<line> lines;
  catalogue::for_each_row(
    [&](auto const& row)
    {
      if (!chosen.selects(row.name))
        return;
      line found;
      found.name = row.name;
      found.forward = nothing_found(row.states.forward);
      found.gradient = nothing_found(row.states.gradient);
      for_each_forward(row, [&](auto subject) { try_everything(found, found.forward, subject, chosen); });
      for_each_pair(row,
                    [&](auto subject)
                    {
                      const double before = found.forward[0].error;
                      try_floats(found.forward[0], subject, chosen);
                      if (found.forward[0].error > before)
                        found.forward[0].at += " in a pair";
                    });
      for_each_slope(row, [&](auto subject) { try_everything(found, found.gradient, subject, chosen); });
      for_each_steepest_slope(row,
                              [&](auto subject)
                              {
                                finding& worst = found.gradient[0];
                                const double before = worst.error;
                                const float x = try_floats(worst, subject, chosen);
                                if (worst.error > before)
                                  worst.at += " for g = " + shown("%.9g", subject.arguments(x)[0]);
                              });
      std::cerr << found.name << (found.holds() ? "" : ": NO") << '\n';
      lines.push_back(found);
      keep(lines, chosen);
    });
  return lines;
}

/// Ends the program if a name in the list is no function's.
void check_functions(std::string const& list)
{
  std::istringstream names(list);
  for (std::string name; std::getline(names, name, ',');)
  {
    bool known = false;
    catalogue::for_each_row([&](auto const& row) { known = known || name == row.name; });
    if (!known)
      fail("--functions: no function is called \"" + name + "\"");
  }
}

place place_called(std::string const& name)
{
  if (name == "host")
    return place::host;
  if (name == "device" && usual_place == place::device)
    return place::device;
  fail("--on " + name + ": it is host, or, compiled with CUDA, device");
}

options parsed(int argc, char** argv)
{
  options chosen;
  for (int i = 1; i < argc; i += 2)
  {
    const std::string name = argv[i];
    if (i + 1 == argc)
      fail(name + " needs a value");
    if (name == "--functions")
      chosen.functions = argv[i + 1];
    else if (name == "--on")
      chosen.where = place_called(argv[i + 1]);
    else if (name == "--output")
      chosen.output = argv[i + 1];
    else if (name == "--stride")
      chosen.stride = std::strtoull(argv[i + 1], nullptr, 10);
    else
      fail(name + " is not among --functions, --on, --output, --stride");
  }
  if (chosen.stride == 0)
    fail("--stride must be a positive number");
  check_functions(chosen.functions);
  return chosen;
}

} // namespace

int main(int argc, char** argv)
{
  const options chosen = parsed(argc, argv);
  if (!can_run())
    skip("no CUDA device");
  const std::vector<line> lines = tried(chosen);
  if (chosen.output.empty())
    write_table(std::cout, lines);
  const bool all = std::all_of(lines.begin(), lines.end(), [](line const& l) { return l.holds(); });
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
