#pragma once

#include <functional>
#include <string>

namespace perf
{

/// Watches how much of the processors' time other programs take. Host threads that share a processor wait for each
/// other, and their times tell little. The function says what others took since its last call or since it was made, as
/// a sentence; nothing if it was little, or if the system does not tell.
std::function<std::string()> other_load();

} // namespace perf
