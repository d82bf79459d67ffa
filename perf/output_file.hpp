#pragma once

#include "bad_option.hpp"

#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace perf
{

/// The file that an option names. What is in it stays until there is something to write; without a path there is no file.
class output_file
{
public:
  /// Throws bad_option if the file cannot be written.
  output_file(char const* of, std::string to)
    : option(of)
    , path(std::move(to))
  {
    if (!path.empty() && !std::ofstream(path, std::ios::app))
      throw bad_option(complaint());
  }

  /// Makes this its text. Throws std::runtime_error if not all of it could be written.
  void write(std::string const& text) const
  {
    if (path.empty())
      return;
    std::ofstream file(path);
    file << text << std::flush;
    if (!file)
      throw std::runtime_error(complaint());
  }

private:
  std::string complaint() const
  {
    return std::string(option) + ": " + path + ": cannot be written";
  }

  char const* option;
  std::string path;
};

} // namespace perf
