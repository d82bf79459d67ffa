#pragma once

#include <csignal>

/// SIGINT, which ends the measurements behind the one under way; a second one ends the program at once.
namespace perf::interruption
{

inline volatile std::sig_atomic_t has_come = 0;

inline void await()
{
  std::signal(SIGINT,
              [](int)
              {
                has_come = 1;
                std::signal(SIGINT, SIG_DFL);
              });
}

inline bool came()
{
  return has_come != 0;
}

/// What a shell says of a program that SIGINT ended.
inline constexpr int exit_status = 128 + SIGINT;

} // namespace perf::interruption
