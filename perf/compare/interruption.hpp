#pragma once

#include <csignal>

namespace perf
{

/// SIGINT, which ends the measurements behind the one under way; a second one ends the program at once.
class interruption
{
public:
  static void await()
  {
    std::signal(SIGINT,
                [](int)
                {
                  has_come = 1;
                  std::signal(SIGINT, SIG_DFL);
                });
  }

  static bool came()
  {
    return has_come != 0;
  }

  /// What a shell says of a program that SIGINT ended.
  static constexpr int exit_status = 128 + SIGINT;

private:
  static inline volatile std::sig_atomic_t has_come = 0;
};

} // namespace perf
