#include "perf/compare/options.hpp"

#include "perf/measure/function.hpp"
#include "perf/measure/type.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <regex>

namespace perf
{

namespace
{

template <class List>
std::vector<std::string> names(List const& list)
{
  return std::apply([](auto const&... each) { return std::vector<std::string>{each.name...}; }, list);
}

/// Replaces "1024", "4096x393216" or "2^20" by its number of elements.
CLI::Validator size()
{
  const auto to_elements = [](std::string& text) -> std::string
  {
    static const std::regex form("([0-9]{1,15})(?:([x^])([0-9]{1,15}))?");
    std::smatch part;
    double n = 0;
    if (std::regex_match(text, part, form))
      n = std::stod(part[1]);
    if (part[2] == "x")
      n *= std::stod(part[3]);
    else if (part[2] == "^")
      n = std::pow(n, std::stod(part[3]));
    if (!(n >= 1 && n <= 0x1p48))
      return "\"" + text + "\" is no size from 1 to 2^48 such as 1024, 2^20 or 4096x393216";
    text = std::to_string(static_cast<std::size_t>(n));
    return "";
  };
  return {to_elements, "SIZE"};
}

template <class T>
CLI::Option* add_list(CLI::App& app, std::string const& name, std::vector<T>& list)
{
  return app.add_option(name, list)->delimiter(',')->allow_extra_args(false)->type_name("LIST");
}

/// Replaces a name in `list` by its place there, which CLI reads as the enumeration's value.
template <std::size_t N>
CLI::Validator one_of(char const* const (&list)[N])
{
  const std::string names = "{" + CLI::detail::join(list) + "}";
  const auto to_place = [&list, names](std::string& text) -> std::string
  {
    const auto at = std::find(std::begin(list), std::end(list), text);
    if (at == std::end(list))
      return text + " not in " + names;
    text = std::to_string(at - std::begin(list));
    return "";
  };
  return {to_place, names};
}

std::vector<company> companies_of(std::vector<std::string> const& wanted)
{
  const auto has = [&](char const* name) { return std::find(wanted.begin(), wanted.end(), name) != wanted.end(); };
  std::vector<company> all;
  if (has("gemm"))
    all.push_back(company::gemm);
  if (has("stream"))
    all.insert(all.end(), {company::stream_in_l2, company::stream_evicted});
  return all;
}

/// CLI::Range lets NaN pass.
std::string complaint_about_percent(std::string const& text)
{
  double percent = 0;
  const bool good = CLI::detail::lexical_cast(text, percent) && percent >= 0 && percent <= 1000;
  return good ? "" : "\"" + text + "\" is no number from 0 to 1000";
}

void add_options(CLI::App& app, options& o)
{
  add_list(app, "--functions", o.functions)
    ->description("Functions to compare")
    ->check(CLI::IsMember(names(functions)))
    ->default_str(CLI::detail::join(o.functions));
  add_list(app, "--types", o.types)
    ->description("On which element types; by default those of float, half and bf16, with --quick fewer, that a "
                  "function has")
    ->check(CLI::IsMember(names(types)));
  add_list(app, "--sizes", o.sizes)
    ->description("Numbers of elements, such as 1024, 2^20 or 4096x393216; by default from 1024 to 4096x393216, on a "
                  "host from 64 to 2^24, with --quick fewer")
    ->transform(size());
  add_list(app, "--distributions", o.distributions)
    ->description("Data: unit (uniform in [0, 1)), normal, or wide (uniform in [-6, 6))")
    ->transform(one_of(distribution_names))
    ->default_str("wide");
  add_list(app, "--caches", o.caches)
    ->description("Where a call finds its data: cold (in memory), warm (where the last call left it) or chained (just "
                  "written by the last call); on a GPU warm and chained data is at most twice L2, a host has warm "
                  "alone")
    ->transform(one_of(cache_names))
    ->default_str("cold, on a host warm");
  const auto set_companies = [&o](std::vector<std::string> const& names) { o.companies = companies_of(names); };
  app.add_option_function<std::vector<std::string>>("--company", set_companies)
    ->delimiter(',')
    ->allow_extra_args(false)
    ->type_name("LIST")
    ->description("Time calls inside a chain of other kernels: gemm (between two matrix products) or stream (behind a "
                  "kernel that has written the input, once left in L2 and once evicted). The time is what a call adds "
                  "to the chain")
    ->check(CLI::IsMember({"gemm", "stream"}))
    ->excludes("--sizes")
    ->excludes("--distributions")
    ->excludes("--caches");
  add_list(app, "--rows", o.rows)
    ->description("Rows of 4096 elements of a call in company; by default 1,8,64,128,256,512,1024,2048,4096")
    ->check(CLI::Range(std::size_t(1), std::size_t(1) << 16))
    ->needs("--company");
  app.add_option("--system", o.system, "Where: by default CUDA if there is a GPU, otherwise OpenMP")
    ->check(CLI::IsMember({"cuda", "openmp", "tbb"}));
  app.add_option("--output", o.output, "Write Google Benchmark's JSON into this file")->take_last();
  app.add_flag("--quick", o.quick, "Fewer types, sizes and repetitions: done within a minute");
  app.add_option("--repetitions", o.repetitions)
    ->description("Measurements that each median is taken of; by default 9, on a host 15, in company 31, with --quick "
                  "fewer; a third of them for calls above 400 us that are not in company")
    ->check(CLI::Range(2, 1000));
  app.add_option("--first-call", o.first_call)
    ->description("Elements in each function's first call; a small number makes CCCL 3.0 slow for the rest of the "
                  "process")
    ->transform(size());
  app.add_option("--regret", o.regret)
    ->description("On CUDA time other shapes of nozzle's kernel too, and say how far nozzle's choice is from the best; "
                  "more than PERCENT anywhere is a failure")
    ->type_name("PERCENT")
    ->check(complaint_about_percent)
    ->excludes("--company");
}

} // namespace

void describe(CLI::App& app, options& o)
{
  app.name("compare");
  app.description(
    "Checks that each way to compute a function is right, then times them side by side: nozzle, Thrust, CUB\n"
    "and plain kernels, or on a host plain loops. LISTs are separated by commas.");
  app.footer("perf/run compiles the functions and types that its arguments name.");
  add_options(app, o);
}

} // namespace perf
