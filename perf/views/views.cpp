// Times nozzle::transform over views beside plain kernels and a copy of the same bytes.

#include "perf/compare/program.hpp"
#include "perf/cuda/cuda_handle.hpp"
#include "perf/cuda/cuda_timer.hpp"
#include "perf/cuda/device_work.hpp"
#include "perf/measure/row.hpp"
#include "perf/report/markdown.hpp"
#include "perf/report/output_file.hpp"
#include "perf/views/view_case.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>
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

constexpr std::size_t rotated_bytes = 400'000'000;

/// Memory for the operands of all calls. They rotate through sets of 400 MB in all, several times what L2 holds, or
/// through two larger ones. A measurement has at most 32 calls: those of less than about 1.5 MB find their operands in
/// L2.
struct pool
{
  std::size_t size;
  perf::device_memory memory = perf::make_device_memory(size);

  std::byte* set(std::size_t set_bytes, std::size_t i) const
  {
    const auto sets = std::max<std::size_t>(rotated_bytes / set_bytes, 2);
    return memory.get() + i % sets * set_bytes;
  }

  /// Makes normal values of the first `bytes`, 2 MiB and more: the same in every MiB.
  void fill(std::string const& type, std::size_t bytes) const
  {
    constexpr std::size_t block = std::size_t(1) << 20;
    const std::size_t element_bytes = type == "float" ? 4 : 2;
    perf::fill(type.c_str(), memory.get(), block / element_bytes, perf::distribution::normal, 1);
    perf::repeat_pattern(memory.get(), block, memory.get() + block, bytes - block);
  }
};

/// The first set after a variant's call on a copy of the second set, as a call in place changes its own, with poisoned
/// outputs.
std::vector<char> outcome(perf::view_case const& of, perf::view_variant const& v, pool const& memory)
{
  std::byte* const set = memory.set(of.set_bytes, 0);
  copy(set, memory.set(of.set_bytes, 1), of.set_bytes, "copying operands");
  perf::check(cudaMemsetAsync(set + of.input_bytes, 0xa5, of.output_bytes, perf::the_stream()), "poisoning outputs");
  v.run(set);
  perf::check(cudaStreamSynchronize(perf::the_stream()), v.name);
  std::vector<char> bytes(of.set_bytes);
  copy(bytes.data(), set, bytes.size(), "copying results");
  return bytes;
}

struct timed
{
  perf::view_case of;
  std::vector<perf::result> results;
};

/// "halves/swiglu/float/512x2880"
std::string name(perf::view_case const& c)
{
  return c.form + "/" + c.function + "/" + c.type + "/" + std::to_string(c.rows) + "x" + std::to_string(c.columns);
}

timed measure(perf::view_case const& of, pool const& memory, int rounds)
{
  memory.fill(of.type, memory.size); // or the data would be what the cases before made of it
  if (of.variants[1].name == "plain" && of.moved_bytes < std::size_t(64) << 20
      && outcome(of, of.variants[0], memory) != outcome(of, of.variants[1], memory))
    throw std::runtime_error(name(of) + ": nozzle's result is not the plain kernel's");

  const int calls = static_cast<int>(std::clamp<std::size_t>((std::size_t(256) << 20) / of.moved_bytes, 4, 32));
  const std::size_t used =
    std::clamp(static_cast<std::size_t>(calls) * of.set_bytes, std::size_t(2) << 20, memory.size);
  const auto prepare = [&of, &memory, used]
  {
    if (of.form == "in_place") // the calls before have changed their operands
      memory.fill(of.type, used);
    perf::spin(100e-6);
  };
  std::vector<perf::timer> timers;
  for (perf::view_variant const& v : of.variants)
  {
    const auto run = [&of, &v, &memory](int call) { v.run(memory.set(of.set_bytes, static_cast<std::size_t>(call))); };
    timers.push_back(perf::graph_timer({calls, prepare, run}));
  }
  const auto samples = perf::measure_rounds(timers, rounds);
  timed t{of, {}};
  for (std::size_t i = 0; i < samples.size(); ++i)
    t.results.push_back({of.variants[i].name, perf::outcome::timed, "", "", perf::quartiles_of(samples[i])});
  return t;
}

std::string json(std::vector<timed> const& all, std::string const& device)
{
  std::ostringstream out;
  out << "{\"context\": {\"device\": \"" << device << "\", \"commit\": \"" NOZZLE_COMMIT
      << "\", \"time_unit\": \"us\"},\n \"benchmarks\": [";
  char const* between = "\n";
  for (timed const& t : all)
  {
    for (perf::result const& each : t.results)
    {
      out << between << "  {\"name\": \"" << name(t.of) << '/' << each.variant
          << "\", \"real_time\": " << each.us.median << ", \"lower\": " << each.us.lower
          << ", \"upper\": " << each.us.upper << "}";
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
  std::map<perf::cells, std::vector<perf::row>> kinds;
  for (timed const& t : all)
  {
    if (t.of.moved_bytes >= least && perf::find_timed(t.results, variant))
      kinds[{t.of.form, t.of.function, t.of.type}].push_back({{}, t.of.moved_bytes, t.results});
  }
  std::vector<perf::cells> lines;
  for (auto const& [kind, rows] : kinds)
  {
    const perf::lead lead = perf::lead_over(variant, rows);
    lines.push_back(kind);
    for (double each : {1 / lead.mean, 1 / lead.least})
      lines.back().push_back(perf::number("%.3f", each));
    lines.back().push_back(std::to_string(lead.points));
  }
  return "\n## nozzle to " + variant + ", calls that move " + std::to_string(least >> 20) + " MiB and more\n\n"
         + perf::markdown({"form", "function", "type", "mean", "largest", "points"}, lines);
}

const std::map<std::string, decltype(&perf::view_cases<float>)> cases_of = {
  {"float", perf::view_cases<float>}, {"half", perf::view_cases<__half>}, {"bf16", perf::view_cases<__nv_bfloat16>}};

struct options
{
  std::vector<std::size_t> rows = {1, 16, 64, 512, 4096, 8192};
  std::vector<std::size_t> columns = {1408, 2880, 4096, 11008, 14336};
  std::vector<std::string> types = {"float", "half", "bf16"};
  std::string forms;
  int rounds = 11;
  std::string output;
};

std::string complaint_about_columns(std::string const& text)
{
  std::size_t columns = 0;
  const bool good = CLI::detail::lexical_cast(text, columns) && columns % 8 == 0;
  return good ? "" : text + " is no multiple of 8";
}

void add_options(CLI::App& app, options& o)
{
  app.option_defaults()->always_capture_default();
  app.add_option("--rows", o.rows, "Rows of the result")
    ->delimiter(',')
    ->check(CLI::Range(std::size_t(1), std::size_t(1) << 24));
  app.add_option("--columns", o.columns, "Columns of the result: multiples of 8")
    ->delimiter(',')
    ->check(CLI::Range(std::size_t(8), std::size_t(1) << 24))
    ->check(complaint_about_columns);
  app.add_option("--types", o.types, "float, half, bf16")
    ->delimiter(',')
    ->check(CLI::IsMember({"float", "half", "bf16"}));
  app.add_option("--forms", o.forms, "Time only the forms whose name contains this");
  app.add_option("--repetitions", o.rounds, "Rounds of measurements")->check(CLI::Range(1, 1000));
  app.add_option("--output", o.output, "Write the times as JSON into this file");
}

/// The cases of all types and sizes whose forms are wanted, in order. Throws std::invalid_argument if there are none.
std::vector<perf::view_case> choose_cases(options const& o)
{
  std::vector<perf::view_case> chosen;
  const auto is_wanted = [&o](perf::view_case const& c) { return c.form.find(o.forms) != std::string::npos; };
  for (std::string const& type : o.types)
  {
    for (std::size_t r : o.rows)
    {
      for (std::size_t d : o.columns)
      {
        const std::vector<perf::view_case> all = cases_of.at(type)(r, d);
        std::copy_if(all.begin(), all.end(), std::back_inserter(chosen), is_wanted);
      }
    }
  }
  if (chosen.empty())
    throw std::invalid_argument("--forms: " + o.forms + ": no form's name contains it");
  return chosen;
}

/// Appends each case's times, so that they are there if a later one fails.
void measure_all(std::vector<perf::view_case> const& cases, options const& o, std::vector<timed>& all)
{
  std::size_t bytes = rotated_bytes;
  for (perf::view_case const& each : cases)
    bytes = std::max(bytes, 2 * each.set_bytes);
  const pool memory{bytes};
  perf::progress steps(cases.size());
  for (perf::view_case const& each : cases)
  {
    steps.next(name(each));
    all.push_back(measure(each, memory, o.rounds));
  }
}

int compare(options const& o)
{
  const std::vector<perf::view_case> cases = choose_cases(o);
  const perf::output_file to_json("--output", o.output);
  const std::string device = perf::device_properties().name;
  std::vector<timed> all;
  try
  {
    measure_all(cases, o, all);
  }
  catch (std::exception const&)
  {
    if (!all.empty())
      to_json.write(json(all, device));
    throw;
  }
  std::cout << "# Views on an " << device << "\n\nCommit " NOZZLE_COMMIT ".\n\n";
  for (char const* variant : {"copy", "plain"})
    std::cout << summary(all, variant, std::size_t(8) << 20);
  std::cout << summary(all, "plain", 0);
  to_json.write(json(all, device));
  return 0;
}

} // namespace

int main(int argc, char** argv)
{
  options o;
  CLI::App app("Times nozzle::transform over views on a GPU, in microseconds.", "views");
  add_options(app, o);
  return perf::run_program(app, argc, argv, [&] { return compare(o); });
}
