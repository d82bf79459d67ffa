#pragma once

#include <cstdio>
#include <cstdlib>

/// Ends a program that cannot test anything on this machine; ctest shows it as Skipped.
[[noreturn]] inline void skip(char const* why)
{
  constexpr int skip_return_code = 77;
  std::printf("skipped: %s\n", why);
  std::exit(skip_return_code);
}
