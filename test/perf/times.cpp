#include "perf/tune/times.hpp"

#include "perf/measure/shapes.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>
#include <string>

// What perf/tune keeps of its measurements.

namespace
{

using perf::setting;
using perf::shape_times;
using perf::times;

const perf::tuning_case small = {"silu", "half", 4096, setting::warm};
const perf::tuning_case large = {"relu", "e4m3", 8192, setting::company_stream};

times example()
{
  times all{"NVIDIA H200", "13.0", "580 (CUDA 13.0)", "0123abc", 90, 132, 62914560, {}};
  all.cases[small] = {0.61, 0.625, 1234.5, 0};
  all.cases[large] = {1, 2, 3, 0};
  return all;
}

std::string text_of(times const& all)
{
  std::ostringstream out;
  write(out, all);
  return out.str();
}

times read(std::string const& text)
{
  std::istringstream in(text);
  return perf::read_times(in);
}

/// The example's text, changed in one place.
std::string with(std::string const& old, std::string const& fresh)
{
  std::string text = text_of(example());
  const std::size_t at = text.find(old);
  REQUIRE(at != std::string::npos);
  return text.replace(at, old.size(), fresh);
}

} // namespace

TEST_CASE("times are read as they were written")
{
  const times before = example();
  const times after = read(text_of(before));
  CHECK(after.gpu == before.gpu);
  CHECK(after.cuda == before.cuda);
  CHECK(after.driver == before.driver);
  CHECK(after.commit == before.commit);
  CHECK(after.capability == 90);
  CHECK(after.multiprocessors == 132);
  CHECK(after.l2_bytes == 62914560);
  REQUIRE(after.cases.size() == 2);
  CHECK(after.cases.at(small) == before.cases.at(small));
  CHECK(after.cases.at(large) == before.cases.at(large));
}

TEST_CASE("a line for each case: to the nanosecond, and what was not timed is a dash")
{
  CHECK(text_of(example()).find("\nsilu half 4096 warm 0.610 0.625 1234.5 -\n") != std::string::npos);
  times all = example();
  all.cases[small][0] = 0.0001;
  CHECK(text_of(all).find("warm 0.001 0.625") != std::string::npos);
}

TEST_CASE("a file that was cut anywhere is refused")
{
  const std::string text = text_of(example());
  for (std::size_t length = 0; length < text.size() - 1; ++length)
    CHECK_THROWS_AS(read(text.substr(0, length)), std::runtime_error);
  CHECK_THROWS_WITH(read(text.substr(0, text.find("end\n") - 2)), "line 11: 7 columns instead of 8");
  CHECK_THROWS_WITH(read(text.substr(0, text.find("end\n"))), "line 11: the file ends too early");
}

TEST_CASE("text behind the end is refused")
{
  CHECK_THROWS_WITH(read(text_of(example()) + "more"), "line 12: text behind the end");
  CHECK_THROWS_WITH(read(text_of(example()) + "\n"), "line 12: text behind the end");
}

TEST_CASE("a line that is no case is refused, by its number")
{
  CHECK_THROWS_WITH(read(with("warm", "chained")), "line 11: \"chained\" is no setting");
  CHECK_THROWS_WITH(read(with("silu half", "selu half")), "line 11: selu/half is not tuned");
  CHECK_THROWS_WITH(read(with("silu half", "silu e5m2")), "line 11: silu/e5m2 is not tuned");
  CHECK_THROWS_WITH(read(with("4096", "4095")), "line 11: 4095 is no size that is tuned");
  CHECK_THROWS_WITH(read(with("0.610 0.625 1234.5 -", "- - - -")), "line 11: no shape was timed");
  CHECK_THROWS_WITH(read(with("0.610 ", "")), "line 11: 7 columns instead of 8");
  CHECK_THROWS_WITH(read(with("end", "silu half 4096 warm 1 1 1 -\nend")),
                    "line 12: silu/half/4096, warm is there twice");
}

TEST_CASE("a number out of range is refused")
{
  for (std::string const us : {"0", "-1", "nan", "inf", "1e9", "0.61x", "x"})
    CHECK_THROWS_WITH(read(with("0.610", us)), ("line 11: \"" + us + "\" is no number in range").c_str());
  CHECK_THROWS_WITH(read(with("4096", "99999999999999999999")),
                    "line 11: \"99999999999999999999\" is no number in range");
  CHECK_THROWS_WITH(read(with("multiprocessors 132", "multiprocessors 0")), "line 7: \"0\" is no number in range");
  CHECK_THROWS_WITH(read(with("l2_bytes 62914560", "l2_bytes -1")), "line 8: \"-1\" is no number in range");
}

TEST_CASE("times of other shapes, or something else, are refused")
{
  const std::string last = perf::variant_name(perf::shapes[3]);
  CHECK_THROWS_AS(read(with(last, "scalar_64")), std::runtime_error);
  CHECK_THROWS_WITH(
    read("x"), "line 1: \"x\" where \"nozzle's times, in microseconds; graph and stream: in company\" is expected");
  CHECK_THROWS_WITH(read(with("driver 580", "chauffeur 580")),
                    "line 4: \"chauffeur 580 (CUDA 13.0)\" where \"driver ...\" is expected");
  CHECK_THROWS_AS(read(with("NVIDIA H200", "\"H200\"")), std::runtime_error);
}

TEST_CASE("several runs' times are averaged, over the runs that have them")
{
  times run = example();
  run.commit = "4567def";
  run.cases[small] = {0.63, 0, 1234.5, 2};
  run.cases.erase(large);
  run.cases[{"mish", "float", 4096, setting::cold}] = {1, 1, 1, 1};
  const times all = perf::average({example(), run, example()});
  CHECK(all.commit == "0123abc and 4567def");
  REQUIRE(all.cases.size() == 3);
  shape_times const& us = all.cases.at(small);
  CHECK(us[0] == doctest::Approx((0.61 + 0.63 + 0.61) / 3));
  CHECK(us[1] == doctest::Approx(0.625));
  CHECK(us[2] == doctest::Approx(1234.5));
  CHECK(us[3] == 2);
  CHECK(all.cases.at(large) == example().cases.at(large));
}

TEST_CASE("runs on different GPUs do not go together")
{
  times elsewhere = example();
  elsewhere.gpu = "NVIDIA H100";
  CHECK_THROWS_WITH(perf::average({example(), elsewhere}),
                    "times of an NVIDIA H200 and of an NVIDIA H100 do not go together");
  elsewhere = example();
  elsewhere.multiprocessors = 114;
  CHECK_THROWS_AS(perf::average({example(), elsewhere}), std::runtime_error);
}
