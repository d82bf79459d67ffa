#include <nozzle/detail/host/chunk_queues.hpp>

#include <cstddef>

// Is compiled with _GLIBCXX_DEBUG.

std::size_t size_of_queues_in_debug_mode()
{
  return sizeof(nozzle::detail::chunk_queues);
}
