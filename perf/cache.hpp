#pragma once

namespace perf
{

/// Where a call finds its data.
enum class cache
{
  cold, ///< in memory
  warm  ///< where the call before it left it: in the caches, as far as they hold it
};

inline constexpr char const* cache_names[] = {"cold", "warm"};

inline char const* name(cache c)
{
  return cache_names[static_cast<int>(c)];
}

} // namespace perf
