#pragma once

#include "perf/report/output_file.hpp"

#include <CLI/CLI.hpp>

#include <iostream>
#include <stdexcept>

// What the programs of perf share: how they read their options, and how they end.

namespace perf
{

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

/// Parses a program's options and calls its body with them, which returns the exit status: 2 is for a bad option, 1 for
/// any other failure, each with a message.
template <class Parse, class Body>
int run_program(char const* name, int argc, char** argv, Parse parse_options, Body body)
{
  try
  {
    const auto options = parse_options(argc, argv);
    const int status = options ? body(*options) : 0;
    if (!std::cout.flush())
      throw std::runtime_error("the standard output cannot be written");
    return status;
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
