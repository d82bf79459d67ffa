#include "../perf/output_file.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

// Where perf's programs write their results.

namespace
{

using perf::bad_option;
using perf::output_file;

constexpr char path[] = "output_file.txt";

std::string text()
{
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

} // namespace

TEST_CASE("what is in a file stays until there is something to write, which replaces it")
{
  std::ofstream(path) << "a longer result of an earlier run";
  const output_file file("--output", path);
  CHECK(text() == "a longer result of an earlier run");
  file.write("first");
  CHECK(text() == "first");
  file.write("second");
  CHECK(text() == "second");
  std::remove(path);
}

TEST_CASE("a file that cannot be written is a bad option, before anything is measured")
{
  CHECK_THROWS_WITH_AS(
    output_file("--table", "no/such/folder"), "--table: no/such/folder: cannot be written", bad_option const&);
}

TEST_CASE("without a path nothing is written")
{
  const output_file none("--save", "");
  CHECK_NOTHROW(none.write("anything"));
}

#if defined(__linux__)
TEST_CASE("a write that fails is an error")
{
  const output_file full("--output", "/dev/full");
  CHECK_THROWS_WITH_AS(full.write("a result"), "--output: /dev/full: cannot be written", std::runtime_error const&);
}
#endif
