#include "perf/company/chain.hpp"
#include "perf/company/company_measure.hpp"
#include "perf/compare/program.hpp"
#include "perf/measure/measure.hpp"
#include "perf/measure/system.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

// Times every shape of nozzle's kernel on this GPU. perf/tune/tune starts it: shape_timer ROUNDS REPETITIONS. A median
// in company has ROUNDS measurements, another one has REPETITIONS. The program prints a description of the GPU. Then it
// reads requests, one a line: "exp silu half 4096 cold warm graph stream" names a cost class, a function, a type, a
// size and settings. For each setting it prints a line with the time of every shape: "cold 0.61 0.625 0.7 -".

namespace perf
{

namespace
{

constexpr std::uint64_t seed = 1;

void print_head(system const& on)
{
  std::map<std::string, std::string> fact(on.facts.begin(), on.facts.end());
  std::cout << "gpu " << fact["gpu"] << "\ncuda " << fact["cuda"] << "\ndriver " << fact["driver"] << "\ncommit "
            << NOZZLE_COMMIT << "\ncapability " << on.machine.capability << "\nmultiprocessors "
            << on.machine.multiprocessors << "\nl2_bytes " << on.machine.l2_bytes << "\nfunction type elements setting";
  for (variant const& shape : on.variants)
    std::cout << ' ' << shape.name;
  std::cout << std::endl;
}

benchmark const& find(system const& on, std::string const& cost, std::string const& function, std::string const& type)
{
  constexpr char const* costs[] = {"clamp", "arithmetic", "exp", "heavy"};
  benchmark const* const s = on.find(function, type);
  if (!s || costs[static_cast<int>(s->cost_class)] != cost)
    throw std::logic_error(function + "/" + type + " is not compiled, or of another cost than " + cost);
  return *s;
}

/// At least a nanosecond each; a dash where a shape was not timed. Throws if none was.
template <class Row>
void print_times(std::string const& setting, Row const& r)
{
  std::ostringstream times;
  times << std::setprecision(17); // all of a double
  bool is_timed = false;
  std::string why;
  for (result const& each : r.results)
  {
    if (each.outcome == outcome::timed)
    {
      times << ' ' << std::max(each.us.median, 0.001);
      is_timed = true;
      continue;
    }
    times << " -";
    if (why.empty() || each.outcome == outcome::wrong)
      why = each.variant + " is " + each.message;
    if (each.outcome == outcome::wrong)
      std::cerr << '\n' << name(r.point) << ": " << why << '\n';
  }
  if (!is_timed)
    throw std::runtime_error(name(r.point) + ": no shape can be timed: " + why);
  std::cout << setting << times.str() << std::endl;
}

void answer(std::string const& line, system const& on, int rounds, int repetitions)
{
  std::istringstream words(line);
  std::string cost, function, type, setting;
  std::size_t n = 0;
  words >> cost >> function >> type >> n;
  benchmark const& s = find(on, cost, function, type);
  while (words >> setting)
  {
    if (setting == name(form::graph)) // and in a stream
    {
      const company around = is_gemm_type(s.type) ? company::gemm : company::stream_in_l2;
      const company_case in_company = {around, n / row_elements, rounds, seed, variant_set::shapes_alone};
      for (row const& r : measure_in_company(on, s, in_company))
        print_times(name(r.point.form), r);
    }
    else if (setting != name(form::stream))
    {
      const cache data = setting == name(cache::cold) ? cache::cold : cache::warm;
      const workload work = {n, distribution::wide, seed, data, variant_set::shapes_alone};
      print_times(setting, measure(on, s, work, repetitions));
    }
  }
}

int time_shapes(int argc, char** argv)
{
  if (argc != 3)
    throw bad_option("it takes two numbers: perf/run tune starts it");
  for (std::string const& obstacle : {why_no_cuda(), why_no_gemm()})
  {
    if (!obstacle.empty())
      throw std::runtime_error(obstacle);
  }
  initialize_measurements();
  const system on = cuda_system(variant_set::shapes_alone);
  print_head(on);
  for (std::string line; std::getline(std::cin, line);)
    answer(line, on, std::stoi(argv[1]), std::stoi(argv[2]));
  return 0;
}

} // namespace

} // namespace perf

int main(int argc, char** argv)
{
  return perf::run_program("shape_timer", [=] { return perf::time_shapes(argc, argv); });
}
