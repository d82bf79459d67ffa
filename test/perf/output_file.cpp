#include "perf/report/output_file.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

// Where perf's programs write their results.

namespace
{

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
  CHECK_THROWS_WITH_AS(output_file("--output", "no/such/folder"),
                       "--output: no/such/folder: cannot be written",
                       std::invalid_argument const&);
}

TEST_CASE("a new file is there once something is written")
{
  const output_file file("--output", path);
  CHECK(!std::filesystem::exists(path));
  file.write("first");
  CHECK(text() == "first");
  std::remove(path);
}

TEST_CASE("without a path nothing is written")
{
  const output_file none("--save", "");
  CHECK_NOTHROW(none.write("anything"));
}

TEST_CASE("a file is written under another name and renamed: readers of the old one keep the old text")
{
  std::ofstream(path) << "old";
  std::ifstream open(path);
  const output_file file("--output", path);
  file.write("new");
  std::string old;
  open >> old;
  CHECK(old == "old");
  CHECK(text() == "new");
  CHECK(!std::ifstream(std::string(path) + ".part"));
  std::remove(path);
}

#if defined(__linux__)
TEST_CASE("a link stays a link")
{
  std::ofstream(path) << "old";
  std::filesystem::create_symlink(path, "output_link.txt");
  output_file("--output", "output_link.txt").write("new");
  CHECK(std::filesystem::is_symlink("output_link.txt"));
  CHECK(text() == "new");
  std::remove("output_link.txt");
  std::remove(path);
}

TEST_CASE("a write that fails is an error")
{
  const output_file full("--output", "/dev/full");
  CHECK_THROWS_WITH_AS(full.write("a result"), "--output: /dev/full: cannot be written", std::runtime_error const&);
}
#endif
