#include "options.hpp"

#include "function.hpp"
#include "type.hpp"

#include <CLI/CLI.hpp>

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

/// "hardtanh,relu"
template <class List>
std::string joined(List const& list)
{
  std::string text;
  for (auto const& each : list)
    text += (text.empty() ? "" : ",") + std::string(each);
  return text;
}

/// Elements in "1024", "4096x393216" or "2^20"; 0 if it is none of these, or out of range.
std::size_t elements(std::string const& text)
{
  static const std::regex form("([0-9]{1,15})(?:([x^])([0-9]{1,15}))?");
  std::smatch part;
  if (!std::regex_match(text, part, form))
    return 0;
  double size = std::stod(part[1]);
  if (part[2] == "x")
    size *= std::stod(part[3]);
  else if (part[2] == "^")
    size = std::pow(size, std::stod(part[3]));
  return size <= 0x1p48 ? static_cast<std::size_t>(size) : 0;
}

/// Replaces a size by its number of elements.
CLI::Validator size()
{
  const auto to_elements = [](std::string& text) -> std::string
  {
    const std::size_t n = elements(text);
    if (n == 0)
      return "\"" + text + "\" is no size from 1 to 2^48 such as 1024, 2^20 or 4096x393216";
    text = std::to_string(n);
    return "";
  };
  return {to_elements, "SIZE"};
}

template <class T>
CLI::Option* add_list(CLI::App& app, std::string const& name, std::vector<T>& list, std::string const& help)
{
  return app.add_option(name, list, help)->delimiter(',')->allow_extra_args(false)->type_name("LIST");
}

distribution distribution_named(std::string const& wanted)
{
  const auto found = std::find(std::begin(distribution_names), std::end(distribution_names), wanted);
  return static_cast<distribution>(found - std::begin(distribution_names));
}

void add_options(CLI::App& app, options& o, std::vector<std::string>& distributions)
{
  add_list(app, "--functions", o.functions, "What is computed")
    ->check(CLI::IsMember(names(functions)))
    ->default_str(joined(o.functions));
  add_list(app,
           "--types",
           o.types,
           "On which element types; by default those of float, half and bf16, with --quick fewer, that a function has")
    ->check(CLI::IsMember(names(types)));
  add_list(app, "--sizes", o.sizes, "Numbers of elements, such as 1024, 2^20 or 4096x393216")->transform(size());
  add_list(app, "--distributions", distributions, "Data: uniform in [0, 1), normal, uniform in [-6, 6)")
    ->check(CLI::IsMember(std::vector<std::string>(std::begin(distribution_names), std::end(distribution_names))))
    ->default_str("wide");
  app.add_option("--system", o.system, "Where: by default CUDA if there is a GPU, otherwise OpenMP")
    ->check(CLI::IsMember({"cuda", "openmp", "tbb"}));
  app.add_option("--output", o.output, "Write Google Benchmark's JSON into this file")->take_last();
  app.add_option("--table", o.table, "Write the tables into this file too")->take_last();
  app.add_flag("--quick", o.quick, "Fewer types, sizes and repetitions: done within a minute");
  app.add_option("--repetitions", o.repetitions, "Measurements that each median is taken of")
    ->check(CLI::Range(2, 1000));
  app
    .add_option("--first-call", o.first_call, "Elements in each function's first call; few slow CCCL 3.0 down for good")
    ->transform(size());
  app.add_option("--seed", o.seed, "Of the random data")->check(CLI::NonNegativeNumber)->capture_default_str();
}

} // namespace

std::optional<options> parse_options(int argc, char** argv)
{
  options o;
  std::vector<std::string> distributions = {"wide"};
  CLI::App app(
    "Checks that each way to compute a function is right, then times them side by side: nozzle, Thrust, CUB\n"
    "and plain kernels, or on a host plain loops. LISTs are separated by commas.",
    "compare");
  app.footer("These functions are compiled for every type, the others for float: " + joined(on_every_type) + "\n");
  add_options(app, o, distributions);
  try
  {
    app.parse(argc, argv);
  }
  catch (CLI::CallForHelp const& help)
  {
    app.exit(help);
    return std::nullopt;
  }
  catch (CLI::ParseError const& e)
  {
    throw bad_option(e.what());
  }
  std::transform(distributions.begin(), distributions.end(), std::back_inserter(o.distributions), distribution_named);
  return o;
}

} // namespace perf
