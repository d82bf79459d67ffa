#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace perf
{

/// The file that an option names. What is in it stays until something else is written, all of it; without a path
/// there is no file.
class output_file
{
public:
  /// Throws std::invalid_argument if the file cannot be written.
  output_file(char const* of, std::string to)
    : option(of)
    , path(std::move(to))
  {
    if (path.empty())
      return;
    std::error_code ignored;
    const bool is_new = !std::filesystem::exists(path, ignored);
    if (!std::ofstream(path, std::ios::app))
      throw std::invalid_argument(complaint());
    // A file is written beside, then renamed; what is none, such as a pipe, is written directly.
    if (!std::filesystem::is_regular_file(path))
      return;
    path = std::filesystem::canonical(path).string();
    beside = path + ".part";
    const bool writes = static_cast<bool>(std::ofstream(beside));
    std::remove(beside.c_str());
    if (is_new) // until there is something to write
      std::remove(path.c_str());
    if (!writes)
      throw std::invalid_argument(complaint());
  }

  /// Makes this its text. Throws std::runtime_error if not all of it could be written.
  void write(std::string const& text) const
  {
    if (path.empty())
      return;
    std::string const& to = beside.empty() ? path : beside;
    std::ofstream file(to);
    file << text;
    file.close();
    if (file && (beside.empty() || std::rename(beside.c_str(), path.c_str()) == 0))
      return;
    if (!beside.empty())
      std::remove(beside.c_str());
    throw std::runtime_error(complaint());
  }

private:
  std::string complaint() const { return std::string(option) + ": " + path + ": cannot be written"; }

  char const* option;
  std::string path;
  std::string beside; ///< empty where the path is written directly
};

} // namespace perf
