#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <iostream>
#include <stdexcept>
#include <string>

namespace perf
{

/// Parses a program's options, then calls its body. The exit status is the body's; a failure has a message and a
/// nonzero status.
template <class Body>
int run_program(CLI::App& app, int argc, char** argv, Body body)
{
  try
  {
    app.parse(argc, argv);
    const int status = body();
    if (!std::cout.flush())
      throw std::runtime_error("the standard output cannot be written");
    return status;
  }
  catch (CLI::Error const& e) // asking for help is one too
  {
    return app.exit(e);
  }
  catch (std::exception const& e)
  {
    std::cerr << app.get_name() << ": " << e.what() << "\n";
    return 1;
  }
}

/// Says on the error stream what is being measured.
class progress
{
public:
  explicit progress(std::size_t total)
    : steps(total)
  {
  }

  void next(std::string const& name)
  {
    ++done;
    std::cerr << '[' << done << '/' << steps << "] " << name << std::endl;
  }

private:
  std::size_t steps;
  std::size_t done = 0;
};

} // namespace perf
