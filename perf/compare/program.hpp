#pragma once

#include <CLI/CLI.hpp>

#include <iostream>
#include <stdexcept>

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

} // namespace perf
