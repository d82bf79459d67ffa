#pragma once

namespace perf
{

/// Where a call finds its data.
enum class cache
{
  cold,   ///< in memory
  warm,   ///< where the call before it left it: in the caches, as far as they hold it
  chained ///< the same, and the call before it has just written it: the first input is that one's result
};

inline constexpr char const* cache_names[] = {"cold", "warm", "chained"};

inline char const* name(cache c)
{
  return cache_names[static_cast<int>(c)];
}

} // namespace perf
