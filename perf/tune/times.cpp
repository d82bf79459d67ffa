#include "perf/tune/times.hpp"

#include "perf/report/markdown.hpp"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace perf
{

namespace
{

constexpr char title[] = "nozzle's times, in microseconds; graph and stream: in company";
constexpr std::size_t largest = std::size_t(1) << 31;

std::string columns()
{
  std::string text = "function type elements setting";
  for (nozzle::shape s : shapes)
    text.append(1, ' ').append(variant_name(s));
  return text;
}

template <class Number>
Number number_in(std::string const& text, Number least, Number most)
{
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most))
    throw std::runtime_error("\"" + text + "\" is no number in range");
  return value;
}

/// Reads line by line.
struct reader
{
  std::istream& in;
  int number = 0;

  std::string line()
  {
    std::string text;
    if (!std::getline(in, text))
      throw std::runtime_error("the file ends too early");
    ++number;
    return text;
  }

  void expect(std::string const& wanted)
  {
    if (const std::string text = line(); text != wanted)
      throw std::runtime_error("\"" + text + "\" where \"" + wanted + "\" is expected");
  }

  /// What follows the key. It becomes part of the table's text.
  std::string value(std::string const& key)
  {
    const std::string text = line();
    if (text.rfind(key + " ", 0) != 0 || text.find_first_of("\"\\") != std::string::npos)
      throw std::runtime_error("\"" + text + "\" where \"" + key + " ...\" is expected");
    return text.substr(key.size() + 1);
  }

  void expect_end()
  {
    if (std::string text; std::getline(in, text))
      throw std::runtime_error("text behind the end");
  }
};

/// What can stand in a line of times.
struct known
{
  explicit known(int multiprocessors)
  {
    for (work_kind const& c : table_kinds())
    {
      for (tuning_case const& each : cases_of(c, 0, 0))
        benchmarks.insert(each.function + "/" + each.type);
    }
    for (tuning_size const& each : tuning_sizes(multiprocessors, largest))
      sizes.insert(each.n);
  }

  std::set<std::string> benchmarks;
  std::set<std::size_t> sizes;
};

tuning_case case_of(std::vector<std::string> const& words, known const& of)
{
  const std::string benchmark = words[0] + "/" + words[1];
  if (of.benchmarks.count(benchmark) == 0)
    throw std::runtime_error(benchmark + " is not tuned");
  const auto n = number_in<std::size_t>(words[2], 1, largest);
  if (of.sizes.count(n) == 0)
    throw std::runtime_error(words[2] + " is no size that is tuned");
  const auto at = std::find(std::begin(setting_names), std::end(setting_names), words[3]);
  if (at == std::end(setting_names))
    throw std::runtime_error("\"" + words[3] + "\" is no setting");
  return {words[0], words[1], n, static_cast<setting>(at - std::begin(setting_names))};
}

shape_times times_of(std::vector<std::string> const& words)
{
  shape_times us{};
  for (std::size_t shape = 0; shape < us.size(); ++shape)
  {
    if (words[4 + shape] != "-")
      us[shape] = number_in(words[4 + shape], 0.001, 1e7);
  }
  if (us == shape_times{})
    throw std::runtime_error("no shape was timed");
  return us;
}

/// A line of times. False if it is the last line instead.
bool read_case(std::string const& line, times& all, known const& of)
{
  if (line == "end")
    return false;
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; in >> word;)
    words.push_back(word);
  if (words.size() != 4 + std::size(shapes))
    throw std::runtime_error(std::to_string(words.size()) + " columns instead of "
                             + std::to_string(4 + std::size(shapes)));
  const tuning_case c = case_of(words, of);
  if (!all.cases.emplace(c, times_of(words)).second)
    throw std::runtime_error(name(c) + " is there twice");
  return true;
}

times read(reader& from)
{
  times all;
  from.expect(title);
  all.gpu = from.value("gpu");
  all.cuda = from.value("cuda");
  all.driver = from.value("driver");
  all.commit = from.value("commit");
  all.capability = number_in(from.value("capability"), 10, 1000);
  all.multiprocessors = number_in(from.value("multiprocessors"), 1, 10000);
  all.l2_bytes = number_in<std::size_t>(from.value("l2_bytes"), 1, std::size_t(1) << 40);
  from.expect(columns());
  const known of(all.multiprocessors);
  while (read_case(from.line(), all, of))
  {
  }
  from.expect_end();
  return all;
}

} // namespace

void write(std::ostream& out, times const& all)
{
  out << title << "\ngpu " << all.gpu << "\ncuda " << all.cuda << "\ndriver " << all.driver << "\ncommit " << all.commit
      << "\ncapability " << all.capability << "\nmultiprocessors " << all.multiprocessors << "\nl2_bytes "
      << all.l2_bytes << "\n"
      << columns() << "\n";
  for (auto const& [c, us] : all.cases)
  {
    out << c.function << ' ' << c.type << ' ' << c.n << ' ' << setting_names[static_cast<int>(c.setting)];
    for (double each : us)
      out << ' ' << (each > 0 ? number(each < 100 ? "%.3f" : "%.1f", std::max(each, 0.001)) : "-");
    out << '\n';
  }
  out << "end\n";
}

times read_times(std::istream& in)
{
  reader from{in};
  try
  {
    return read(from);
  }
  catch (std::runtime_error const& e)
  {
    throw std::runtime_error("line " + std::to_string(from.number) + ": " + e.what());
  }
}

times average(std::vector<times> const& runs)
{
  times all = runs.front();
  all.cases.clear();
  std::map<tuning_case, shape_times> counts;
  for (times const& run : runs)
  {
    if (run.gpu != all.gpu || run.multiprocessors != all.multiprocessors || run.l2_bytes != all.l2_bytes)
      throw std::runtime_error("times of an " + all.gpu + " and of an " + run.gpu + " do not go together");
    if (all.commit.find(run.commit) == std::string::npos)
      all.commit += " and " + run.commit;
    for (auto const& [c, us] : run.cases)
    {
      for (std::size_t shape = 0; shape < us.size(); ++shape)
      {
        all.cases[c][shape] += us[shape];
        counts[c][shape] += us[shape] > 0 ? 1 : 0;
      }
    }
  }
  for (auto& [c, us] : all.cases)
  {
    for (std::size_t shape = 0; shape < us.size(); ++shape)
      us[shape] /= std::max(counts[c][shape], 1.);
  }
  return all;
}

} // namespace perf
