#pragma once

#include <string>

namespace perf
{

/// Watches how much of the processors' time other programs take. Host threads that share a processor wait for each
/// other, and their times tell little.
class other_load
{
public:
  other_load();

  /// What others took since the last call or the construction, as a sentence; empty if it was little, or if the system
  /// does not tell.
  std::string operator()();

private:
  struct reading
  {
    double wall = 0;
    double busy = 0; ///< the processors' time, of all programs
    double own = 0;
  };

  static reading read();

  reading last;
};

} // namespace perf
