#include "perf/tune/tuning_table.hpp"

#include "perf/measure/shapes.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace
{

using perf::setting;
using perf::shape_times;
using perf::times;

constexpr std::size_t small_vector = 0;
constexpr std::size_t vector_256 = 1;
constexpr std::size_t vector_512 = 2;
constexpr std::size_t company_most = std::size_t(1) << 24;

/// All cases up to a size, each with the times that `make` makes for it.
times measured(std::size_t most, std::function<shape_times(perf::tuning_case const&)> const& make)
{
  times all{"NVIDIA H200", "13.0", "580", "0123abc", 90, 132, 60 << 20, {}};
  for (perf::work_kind const& c : perf::table_kinds())
  {
    for (perf::tuning_size const& size : perf::tuning_sizes(all.multiprocessors, most))
    {
      for (perf::tuning_case const& each : perf::cases_of(c, size.n, all.l2_bytes))
        all.cases[each] = make(each);
    }
  }
  return all;
}

/// 100 us in every shape but one.
shape_times best(std::size_t shape, double us)
{
  shape_times all = {100, 100, 100, 0};
  all[shape] = us;
  return all;
}

/// The choice for the first kind at a size.
std::size_t chosen_at(std::size_t n, times const& all)
{
  const perf::kind_fit fitted = perf::fit_kind(perf::table_kinds().front(), all);
  const auto at =
    std::find_if(fitted.begin(), fitted.end(), [n](perf::size_fit const& each) { return each.size.n == n; });
  REQUIRE(at != fitted.end());
  return at->chosen;
}

std::string table_of(times const& all)
{
  std::ostringstream out;
  write_table(out, perf::fit_kinds(all), all, "4567def");
  return out.str();
}

} // namespace

TEST_CASE("sizes are whole rows of company, and those of users on an H200")
{
  const std::vector<perf::tuning_size> all = perf::tuning_sizes(132, std::size_t(1) << 31);
  CHECK(all.front().n == 4096);
  CHECK(all.back().n == std::size_t(4096) * 393216);
  for (perf::tuning_size const& each : all)
  {
    CHECK(each.n % 4096 == 0);
    CHECK(each.n <= std::size_t(each.limit) * 132);
  }
  for (std::size_t n = 4096; n <= company_most / 2; n *= 2)
    CHECK(std::count_if(all.begin(), all.end(), [n](perf::tuning_size const& each) { return each.n == n; }) == 1);
  CHECK(perf::tuning_sizes(132, company_most).back().n == company_most);
  for (int multiprocessors : {1, 20, 114, 144})
  {
    for (perf::tuning_size const& each : perf::tuning_sizes(multiprocessors, company_most))
    {
      CHECK(each.n >= 4096);
      CHECK(each.n <= std::size_t(each.limit) * static_cast<std::size_t>(multiprocessors));
    }
  }
}

TEST_CASE("company is measured up to 2^24 elements, warm data up to twice L2")
{
  const perf::work_kind c = {nozzle::cost::clamp, 4, false, {"relu"}, {"float"}};
  CHECK(perf::cases_of(c, 4096, 60 << 20).size() == 4);
  CHECK(perf::cases_of(c, company_most, 60 << 20).size() == 3);
  CHECK(perf::cases_of(c, company_most, 64 << 20).size() == 4);
  CHECK(perf::cases_of(c, company_most + 4096, 60 << 20).size() == 1);
}

TEST_CASE("company decides against own chains that lose as much")
{
  for (double own : {97., 95.})
  {
    const times all = measured(company_most,
                               [own](perf::tuning_case const& c)
                               { return is_company(c.setting) ? best(vector_256, 95) : best(vector_512, own); });
    CHECK(chosen_at(4096, all) == vector_256);
    CHECK(chosen_at(company_most, all) == vector_256);
  }
}

TEST_CASE("own chains decide where company does not")
{
  const times all = measured(std::size_t(1) << 28,
                             [](perf::tuning_case const& c)
                             {
                               if (is_company(c.setting))
                                 return best(vector_256, 100);
                               return best(c.n > company_most ? vector_256 : vector_512, 97);
                             });
  CHECK(chosen_at(4096, all) == vector_512);
  CHECK(chosen_at(std::size_t(1) << 28, all) == vector_256);
}

TEST_CASE("of own chains the worst case counts, not the mean alone; of company all cases together")
{
  // The mean speaks for one shape, one function's loss for the other.
  const auto chosen = [](bool own)
  {
    const times all = measured(company_most,
                               [own](perf::tuning_case const& c)
                               {
                                 if (is_company(c.setting) == own)
                                   return best(vector_256, 100);
                                 if (c.function == "relu")
                                   return best(vector_512, c.setting == setting::cold || !own ? 95 : 100);
                                 return best(vector_256, own ? 97 : 94);
                               });
    return chosen_at(4096, all);
  };
  CHECK(chosen(true) == vector_512);
  CHECK(chosen(false) == vector_256);
}

TEST_CASE("short calls are granted 0.05 us")
{
  const times all = measured(company_most,
                             [](perf::tuning_case const& c)
                             {
                               shape_times us = {1.005, 1.005, 1, 0};
                               if (c.n > 4096)
                                 us = {1.04, 1, 1.04, 0};
                               return us;
                             });
  CHECK(chosen_at(4096, all) == vector_256);
}

TEST_CASE("powers of two are worth steps that other sizes are not, and the largest size even more")
{
  const auto chosen = [](std::size_t n, double us)
  {
    const times all = measured(
      company_most, [=](perf::tuning_case const& c) { return c.n == n ? best(vector_512, us) : best(vector_256, 90); });
    return chosen_at(n, all);
  };
  CHECK(chosen(16384, 90) == vector_512);
  CHECK(chosen(12288, 90) == vector_256);
  CHECK(chosen(16384, 98) == vector_256);
  CHECK(chosen(company_most, 98) == vector_512);
}

TEST_CASE("a shape that some case of a size lacks is not chosen there")
{
  const times all = measured(company_most,
                             [](perf::tuning_case const& c)
                             {
                               shape_times us = best(small_vector, 50);
                               if (c.n == 8192 && c.function == "relu" && c.setting == setting::cold)
                                 us[small_vector] = 0;
                               return us;
                             });
  CHECK(chosen_at(4096, all) == small_vector);
  CHECK(chosen_at(8192, all) != small_vector);
}

TEST_CASE("missing times are an error")
{
  times all = measured(company_most, [](perf::tuning_case const&) { return best(vector_256, 90); });
  times without = all;
  without.cases.erase({"silu", "float", 8192, setting::company_stream});
  CHECK_THROWS_WITH(perf::fit_kinds(without), "no times of silu/float/8192, stream: load a file that has them too");
  all.cases.clear();
  CHECK_THROWS_WITH(perf::fit_kinds(all), "no times");
}

TEST_CASE("a size without a shape that every case has is an error")
{
  const times all = measured(company_most,
                             [](perf::tuning_case const& c) -> shape_times
                             {
                               if (c.setting == setting::cold)
                                 return {0, 1, 0, 0};
                               return {0, 0, 1, 0};
                             });
  CHECK_THROWS_WITH(perf::fit_kinds(all),
                    "clamp, elements of 1 byte, one input: no shape was timed in every case of a size");
}

TEST_CASE("a table has its kinds' steps, a line each")
{
  const times all = measured(company_most,
                             [](perf::tuning_case const& c)
                             {
                               if (is_company(c.setting))
                                 return best(c.n < 32768 ? small_vector : vector_256, 80);
                               return best(c.setting == setting::cold ? vector_256 : vector_512, 98);
                             });
  const std::string text = table_of(all);
  CHECK(text.find("// On an NVIDIA H200: 132 multiprocessors, 60 MiB of L2, CUDA 13.0.\n") != std::string::npos);
  CHECK(text.find("commit 4567def to times of commit 0123abc") != std::string::npos);
  CHECK(text.find("{90,\n \"sm_90, measured on an NVIDIA H200\",\n {\n") != std::string::npos);
  CHECK(text.find("  // heavy: elements of 1, 2, 4 and 8 bytes, each with one input and several\n")
        != std::string::npos);
  const std::string steps = "  {{{192, {kernel::small_vector, 512}}, {step::no_limit, {kernel::vector, 256}}}},\n";
  std::size_t found = 0;
  for (std::size_t at = text.find(steps); at != std::string::npos; at = text.find(steps, at + 1))
    ++found;
  CHECK(found == perf::table_kinds().size());
  CHECK(text.substr(text.size() - 5) == " }},\n");
  CHECK(std::count(text.begin(), text.end(), '\n') <= 45);
}

TEST_CASE("a report has a line for each size: the choice, what is better, and what it costs")
{
  const times all = measured(company_most,
                             [](perf::tuning_case const& c)
                             { return is_company(c.setting) ? best(vector_256, 80) : best(vector_512, 80); });
  std::ostringstream out;
  write_report(out, perf::fit_kinds(all), all, "4567def");
  CHECK(out.str().find("\n## heavy, elements of 8 bytes, several inputs\n\ncompany worst +0.0%, mean +0.0%; own worst "
                       "+25.0%, mean +25.0%\n")
        != std::string::npos);
  CHECK(out.str().find("\n|4096|v256|||80.00|0.0, 0.0|v512|80.00|100.0|25.0, 25.0|\n") != std::string::npos);
}
