#pragma once

#include <pthread.h>

namespace nozzle::lib
{

/// Whether the calling thread has run a parallel region, and whether it did so in a parent process.
struct thread_state
{
  bool has_threads = false;
  bool has_lost_threads = false;
};
inline thread_local thread_state this_thread;

/// Whether the calling thread may start a parallel region. In a child of fork() it may not if it had one in the parent:
/// OpenMP's threads are not in the child, and libgomp would wait for them.
inline bool may_use_threads() noexcept
{
  if (!this_thread.has_threads)
  {
    // In the child this runs in the thread that called fork(), the only one there is.
    const auto in_child = [] { this_thread.has_lost_threads = this_thread.has_threads; };
    static const bool is_told_of_forks = pthread_atfork(nullptr, nullptr, in_child) == 0;
    this_thread.has_threads = is_told_of_forks;
  }
  return this_thread.has_threads && !this_thread.has_lost_threads;
}

} // namespace nozzle::lib
