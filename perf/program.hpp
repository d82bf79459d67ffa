#pragma once

#include <CLI/CLI.hpp>

#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

// What the programs of perf share: options that cannot be served, files that are written, and how a program ends.

namespace perf
{

/// An option that cannot be served, by its name and value.
struct bad_option : std::runtime_error
{
  using std::runtime_error::runtime_error;
};

/// False if the user asked for help, which is then printed. Throws bad_option.
inline bool parse(CLI::App& app, int argc, char** argv)
{
  try
  {
    app.parse(argc, argv);
    return true;
  }
  catch (CLI::CallForHelp const& help)
  {
    app.exit(help);
    return false;
  }
  catch (CLI::ParseError const& e)
  {
    throw bad_option(e.what());
  }
}

/// The file that an option names; a stream without a file where it names none. Throws bad_option.
inline std::ofstream open(char const* option, std::string const& path)
{
  if (path.empty())
    return {};
  std::ofstream file(path);
  if (!file)
    throw bad_option(std::string(option) + ": " + path + ": cannot be written");
  return file;
}

/// The exit status of a program whose body returns it: 2 for a bad option, 1 for any other failure, each with a message.
template <class Body>
int run_program(char const* name, Body body)
{
  try
  {
    return body();
  }
  catch (bad_option const& e)
  {
    std::cerr << name << ": " << e.what() << " (--help lists the options)\n";
    return 2;
  }
  catch (std::exception const& e)
  {
    std::cerr << "\n" << name << ": " << e.what() << "\n";
    return 1;
  }
}

} // namespace perf
