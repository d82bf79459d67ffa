#include "test/accuracy/accuracy_error.hpp"
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

#if defined(__CUDACC__)
#include "test/accuracy/accuracy_device.hpp"
#else
#include <thread>
#endif

// Every function of the catalogue on every float and every 16-bit and 8-bit value, on the GPU, or, compiled without
// CUDA, on all threads of the host: the largest error in ULP, forward and of the gradient for a gradient of 1 from
// above. Of functions of two inputs one is varied, the other is 1. And every float is tried beside another one
// (partner_of) and for a gradient from above that shows most of an error (steepest).
//   --functions a,b   these alone
//   --output FILE     the table into FILE, and as CSV beside it; without it to the standard output
//   --stride N        every Nth float

namespace
{

using namespace exhaustive;
using key = unsigned long long;

struct options
{
  std::string functions;
  std::string output;
  std::uint64_t stride = 1;

  bool selects(std::string const& name) const
  {
    return functions.empty() || ("," + functions + ",").find("," + name + ",") != std::string::npos;
  }
};

constexpr std::uint64_t all_floats = std::uint64_t(1) << 32;

/// The largest error over every stride-th float, as the bits of a float, above that float's bits: over those of one of
/// `workers`.
template <class Subject>
NOZZLE_HOST_DEVICE key search_part(Subject subject, std::uint64_t stride, std::uint64_t worker, std::uint64_t workers)
{
  const std::uint64_t count = (all_floats + stride - 1) / stride;
  key largest = 0;
  for (std::uint64_t i = worker; i < count; i += workers)
  {
    const auto bits = static_cast<std::uint32_t>(i * stride);
    const auto x = cuda::std::bit_cast<float>(bits);
    const auto [computed, exact] = sample_of(subject, x);
    const double error = narrow_ulp_error<float>(static_cast<double>(computed), exact);
    const key found = key(cuda::std::bit_cast<std::uint32_t>(static_cast<float>(error))) << 32 | bits;
    largest = found > largest ? found : largest;
  }
  return largest;
}

#if defined(__CUDACC__)

template <class Subject>
__global__ void search(Subject subject, std::uint64_t stride, key* worst)
{
  const std::uint64_t threads = std::uint64_t(gridDim.x) * blockDim.x;
  atomicMax(worst, search_part(subject, stride, std::uint64_t(blockIdx.x) * blockDim.x + threadIdx.x, threads));
}

template <class Subject>
key search_floats(Subject subject, std::uint64_t stride)
{
  const accuracy::managed<key> worst(std::vector<key>{0});
  search<Subject><<<132 * 16, 128>>>(subject, stride, worst.data());
  return worst.read().front();
}

/// {op(x[i])}
template <class T, class Op>
std::vector<T> results(Op op, std::vector<T> const& x)
{
  return accuracy::results_on_device(op, x);
}

bool can_run()
{
  int devices = 0;
  return cudaGetDeviceCount(&devices) == cudaSuccess && devices > 0;
}

#else

template <class Subject>
key search_floats(Subject subject, std::uint64_t stride)
{
  std::vector<key> worst(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::thread> threads;
  for (std::size_t worker = 0; worker < worst.size(); ++worker)
    threads.emplace_back([=, &worst] { worst[worker] = search_part(subject, stride, worker, worst.size()); });
  for (std::thread& thread : threads)
    thread.join();
  return *std::max_element(worst.begin(), worst.end());
}

template <class T, class Op>
std::vector<T> results(Op op, std::vector<T> x)
{
  std::transform(x.begin(), x.end(), x.begin(), op);
  return x;
}

bool can_run()
{
  return true;
}

#endif

/// A subject's reference in double, where the subject is computed.
template <class Subject>
struct reference_of
{
  Subject subject;

  NOZZLE_HOST_DEVICE double operator()(double x) const
  {
    return subject.exact(x);
  }
};

/// The largest difference of a subject's references in double from those in long double on the host, in ULP of float.
template <class Subject>
double reference_error(Subject subject)
{
  constexpr std::uint64_t stride = (1 << 20) + 7;
  std::vector<double> x;
  for (std::uint64_t bits = 0; bits < all_floats; bits += stride)
    x.push_back(static_cast<double>(from_bits<float>(static_cast<std::uint32_t>(bits))));
  const std::vector<double> in_double = results(reference_of<Subject>{subject}, x);
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const auto exact = static_cast<double>(subject.exact(static_cast<long double>(x[i])));
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
  f.exact = subject.exact(narrow_value(x));
}

/// Returns the worst float.
template <class Subject>
float try_floats(finding& f, Subject subject, std::uint64_t stride)
{
  const key worst = search_floats(subject, stride);
  const auto error = cuda::std::bit_cast<float>(static_cast<std::uint32_t>(worst >> 32));
  const auto x = from_bits<float>(static_cast<std::uint32_t>(worst));
  note(f, error, x, results(subject, std::vector<float>{x}).front(), subject);
  return x;
}

template <class T, class Subject>
void try_every_value(finding& f, Subject subject)
{
  const std::vector<T> x = every_value<T>();
  const std::vector<T> y = results(subject, x);
  for (std::size_t i = 0; i < x.size(); ++i)
    note(f, narrow_ulp_error<T>(narrow_value(y[i]), subject.exact(narrow_value(x[i]))), x[i], y[i], subject);
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
void try_everything(line& found, std::vector<finding>& findings, Subject subject, std::uint64_t stride)
{
  found.reference_error = std::max(found.reference_error, reference_error(subject));
  try_floats(findings[0], subject, stride);
  try_every_value<__half>(findings[1], subject);
  try_every_value<__nv_bfloat16>(findings[2], subject);
  try_every_value<__nv_fp8_e4m3>(findings[3], subject);
  try_every_value<__nv_fp8_e5m2>(findings[4], subject);
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
      for_each_forward(row, [&](auto subject) { try_everything(found, found.forward, subject, chosen.stride); });
      for_each_pair(row,
                    [&](auto subject)
                    {
                      const double before = found.forward[0].error;
                      try_floats(found.forward[0], subject, chosen.stride);
                      if (found.forward[0].error > before)
                        found.forward[0].at += " in a pair";
                    });
      for_each_slope(row, [&](auto subject) { try_everything(found, found.gradient, subject, chosen.stride); });
      for_each_steepest_slope(row,
                              [&](auto subject)
                              {
                                finding& worst = found.gradient[0];
                                const double before = worst.error;
                                const float x = try_floats(worst, subject, chosen.stride);
                                if (worst.error > before)
                                  worst.at += " for g = " + shown("%.9g", subject.above(x));
                              });
      std::cerr << found.name << (found.holds() ? "" : ": NO") << '\n';
      lines.push_back(found);
    });
  return lines;
}

[[noreturn]] void fail(std::string const& why)
{
  std::cerr << "exhaustive: " << why << '\n';
  std::exit(2);
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
    else if (name == "--output")
      chosen.output = argv[i + 1];
    else if (name == "--stride")
      chosen.stride = std::strtoull(argv[i + 1], nullptr, 10);
    else
      fail(name + " is not among --functions, --output, --stride");
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
  else
  {
    std::ofstream table(chosen.output);
    write_table(table, lines);
    std::ofstream csv(std::filesystem::path(chosen.output).replace_extension(".csv"));
    write_csv(csv, lines);
    if (!table || !csv)
      fail("cannot write " + chosen.output);
  }
  const bool all = std::all_of(lines.begin(), lines.end(), [](line const& l) { return l.holds(); });
  return all ? EXIT_SUCCESS : EXIT_FAILURE;
}
