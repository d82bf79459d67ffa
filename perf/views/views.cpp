// Times nozzle::transform over views beside plain kernels and a copy of the same bytes.

#include "perf/compare/program.hpp"
#include "perf/cuda/cuda_handle.hpp"
#include "perf/cuda/cuda_timer.hpp"
#include "perf/measure/quartiles.hpp"
#include "perf/report/markdown.hpp"
#include "perf/report/output_file.hpp"
#include "perf/views/view_case.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace
{

/// Copies to or from the device's memory, behind the calls before, and waits.
void copy(void* to, void const* from, std::size_t bytes, char const* doing)
{
  perf::check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, perf::the_stream()), doing);
  perf::check(cudaStreamSynchronize(perf::the_stream()), doing);
}

/// Memory for the operands of all calls, which rotate through it: two sets at least, more than any L2 holds if it can
/// be.
struct pool
{
  std::size_t size;
  perf::device_memory memory = perf::make_device_memory(size);

  std::byte* set(std::size_t set_bytes, std::size_t i) const
  {
    const auto sets = std::clamp<std::size_t>(400'000'000 / set_bytes, 2, 64);
    return memory.get() + i % sets * set_bytes;
  }

  /// Makes values of about the normal distribution, the same in every MiB.
  template <class T>
  void fill() const
  {
    std::mt19937 random(1);
    std::normal_distribution<float> normal;
    std::vector<T> values((std::size_t(1) << 20) / sizeof(T));
    for (T& each : values)
      each = static_cast<T>(normal(random));
    const std::size_t block = values.size() * sizeof(T);
    copy(memory.get(), values.data(), block, "copying random values");
    for (std::size_t filled = block; filled < size; filled *= 2)
      copy(memory.get() + filled, memory.get(), std::min(filled, size - filled), "repeating random values");
  }
};

/// The first set after a variant's call, on a copy of the second set's inputs, as a call in place changes its own, and
/// on poisoned outputs.
std::vector<char> outcome(perf::view_case const& of, perf::view_variant const& v, pool const& memory)
{
  std::byte* const set = memory.set(of.set_bytes, 0);
  copy(set, memory.set(of.set_bytes, 1), of.input_bytes, "copying inputs");
  perf::check(cudaMemsetAsync(set + of.input_bytes, 0xa5, of.set_bytes - of.input_bytes, perf::the_stream()),
              "poisoning outputs");
  v.run(set);
  perf::check(cudaStreamSynchronize(perf::the_stream()), v.name);
  std::vector<char> bytes(of.set_bytes);
  copy(bytes.data(), set, bytes.size(), "copying results");
  return bytes;
}

struct timed
{
  perf::view_case of;
  std::map<std::string, perf::quartiles> us;
};

timed measure(perf::view_case const& of, pool const& memory, int rounds)
{
  if (2 * of.set_bytes > memory.size)
    throw perf::bad_option("--memory: two calls' operands take " + std::to_string(2 * of.set_bytes) + " bytes");
  if (of.variants[1].name == "plain" && of.moved_bytes < std::size_t(64) << 20
      && outcome(of, of.variants[0], memory) != outcome(of, of.variants[1], memory))
    throw std::runtime_error(of.form + "/" + of.function + "/" + of.type
                             + ": nozzle's result is not the plain kernel's");

  const int calls = static_cast<int>(std::clamp<std::size_t>((std::size_t(256) << 20) / of.moved_bytes, 4, 32));
  std::vector<std::function<double()>> timers;
  for (perf::view_variant const& v : of.variants)
  {
    perf::rotation work{
      calls, [] {}, [&of, &v, &memory](int call) { v.run(memory.set(of.set_bytes, static_cast<std::size_t>(call))); }};
    timers.push_back([seconds = perf::graph_timer(work)] { return seconds() * 1e6; });
  }
  const auto samples = perf::measure_rounds(timers, rounds, 1);
  timed t{of, {}};
  for (std::size_t i = 0; i < samples.size(); ++i)
    t.us[of.variants[i].name] = perf::quartiles_of(samples[i]);
  return t;
}

std::string table(std::vector<timed> const& all)
{
  std::vector<perf::cells> lines;
  for (timed const& t : all)
  {
    const auto us = [&](char const* name) { return t.us.count(name) ? t.us.at(name).median : 0; };
    const double plain = us("plain");
    const auto ratio = [&](double to) { return to > 0 ? perf::number("%.3f", us("nozzle") / to) : std::string("-"); };
    lines.push_back({t.of.form,
                     t.of.function,
                     t.of.type,
                     std::to_string(t.of.rows),
                     std::to_string(t.of.columns),
                     perf::microseconds(us("nozzle")),
                     ratio(us("copy")),
                     ratio(plain),
                     us("two_passes") > 0 ? perf::number("%.2f", us("two_passes") / us("nozzle")) : "-"});
  }
  std::ostringstream out;
  perf::print_markdown(
    out,
    {"form", "function", "type", "rows", "columns", "nozzle, us", "to copy", "to plain", "two passes to one"},
    lines);
  return out.str();
}

std::string json(std::vector<timed> const& all, std::string const& device)
{
  std::ostringstream out;
  out << "{\"context\": {\"device\": \"" << device << "\", \"commit\": \"" NOZZLE_COMMIT
      << "\", \"time_unit\": \"us\"},\n \"benchmarks\": [";
  char const* between = "\n";
  for (timed const& t : all)
  {
    for (auto const& [variant, us] : t.us)
    {
      out << between << "  {\"name\": \"" << t.of.form << '/' << t.of.function << '/' << t.of.type << '/' << t.of.rows
          << 'x' << t.of.columns << '/' << variant << "\", \"real_time\": " << us.median << ", \"lower\": " << us.lower
          << ", \"upper\": " << us.upper << "}";
      between = ",\n";
    }
  }
  out << "\n ]}\n";
  return out.str();
}

/// The geometric mean and the largest of nozzle's time to another variant's, for each form and type, of calls that move
/// `least` bytes and more.
std::string summary(std::vector<timed> const& all, std::string const& variant, std::size_t least)
{
  struct ratios
  {
    double log_sum = 0;
    double largest = 0;
    int count = 0;
  };
  std::map<std::string, ratios> of;
  for (timed const& t : all)
  {
    if (t.of.moved_bytes < least || t.us.count(variant) == 0)
      continue;
    const double ratio = t.us.at("nozzle").median / t.us.at(variant).median;
    ratios& r = of[t.of.form + " | " + t.of.function + " | " + t.of.type];
    r.log_sum += std::log(ratio);
    r.largest = std::max(r.largest, ratio);
    ++r.count;
  }
  std::ostringstream out;
  out << "\n## nozzle to " << variant << ", calls that move " << (least >> 20) << " MiB and more\n\n"
      << "| form | function | type | mean | largest | points |\n|---|---|---|---|---|---|\n";
  for (auto const& [name, r] : of)
    out << "| " << name << " | " << perf::number("%.3f", std::exp(r.log_sum / r.count)) << " | "
        << perf::number("%.3f", r.largest) << " | " << r.count << " |\n";
  return out.str();
}

int run(int argc, char** argv)
{
  std::vector<std::size_t> rows = {1, 16, 64, 512, 4096, 8192};
  std::vector<std::size_t> columns = {1408, 2880, 4096, 11008, 14336};
  std::vector<std::string> types = {"float", "half", "bf16"};
  std::string forms;
  int rounds = 11;
  std::size_t gigabytes = 8;
  std::string output;
  std::string table_file;
  CLI::App app("Times nozzle::transform over views on a GPU, in microseconds.", "views");
  app.add_option("--rows", rows, "Rows of the result")
    ->delimiter(',')
    ->check(CLI::Range(std::size_t(1), std::size_t(1) << 24))
    ->capture_default_str();
  app.add_option("--columns", columns, "Columns of the result: multiples of 8")->delimiter(',')->capture_default_str();
  app.add_option("--types", types, "float, half, bf16")
    ->delimiter(',')
    ->check(CLI::IsMember({"float", "half", "bf16"}))
    ->capture_default_str();
  app.add_option("--forms", forms, "Forms whose name contains this");
  app.add_option("--repetitions", rounds, "Rounds of measurements")->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--memory", gigabytes, "GB of device memory for operands")
    ->check(CLI::Range(1, 1000))
    ->capture_default_str();
  app.add_option("--output", output, "A file for the times as JSON");
  app.add_option("--table", table_file, "A file for the summary in Markdown");
  if (!perf::parse(app, argc, argv))
    return 0;
  for (std::size_t each : columns)
    if (each % 8 != 0 || each == 0)
      throw perf::bad_option("--columns: " + std::to_string(each) + ": must be a multiple of 8");
  const perf::output_file to_json("--output", output);
  const perf::output_file to_table("--table", table_file);
  to_json.require_other(to_table);

  const pool memory{gigabytes * 1'000'000'000};
  std::vector<timed> all;
  const auto measure_type = [&](auto element, std::string const& type)
  {
    using value = decltype(element);
    memory.fill<value>();
    for (std::size_t r : rows)
    {
      for (std::size_t d : columns)
      {
        std::cerr << type << ", " << r << " x " << d << "\n";
        for (perf::view_case const& each : perf::view_cases<value>(type.c_str(), r, d))
          if (each.form.find(forms) != std::string::npos)
            all.push_back(measure(each, memory, rounds));
      }
    }
  };
  for (std::string const& type : types)
  {
    if (type == "float")
      measure_type(float(), type);
    else if (type == "half")
      measure_type(__half(), type);
    else
      measure_type(__nv_bfloat16(), type);
  }
  std::string text;
  for (char const* variant : {"copy", "plain"})
    text += summary(all, variant, std::size_t(8) << 20);
  text += summary(all, "plain", 0);
  std::cout << table(all) << text;
  const std::string device = perf::device_properties().name;
  to_json.write(json(all, device));
  to_table.write("# Views on an " + device + "\n\nCommit " NOZZLE_COMMIT ".\n\n" + text);
  return 0;
}

} // namespace

int main(int argc, char** argv)
{
  return perf::run_program("views", [&] { return run(argc, argv); });
}
