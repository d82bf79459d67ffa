#pragma once

#include <nozzle/detail/config.hpp>

#include <cstdint>

namespace nozzle::detail
{

/// 128 random bits.
struct philox_block
{
  std::uint32_t words[4];
};

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; SC 2011): a function of
/// counter and key whose values pass every statistical test, the same on every machine and in any order.
NOZZLE_HOST_DEVICE inline philox_block philox(philox_block counter, std::uint64_t key)
{
  philox_block x = counter;
  auto key_low = static_cast<std::uint32_t>(key);
  auto key_high = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round)
  {
    const std::uint64_t first = std::uint64_t(0xd2511f53u) * x.words[0];
    const std::uint64_t second = std::uint64_t(0xcd9e8d57u) * x.words[2];
    x = {{static_cast<std::uint32_t>(second >> 32) ^ x.words[1] ^ key_low,
          static_cast<std::uint32_t>(second),
          static_cast<std::uint32_t>(first >> 32) ^ x.words[3] ^ key_high,
          static_cast<std::uint32_t>(first)}};
    key_low += 0x9e3779b9u;
    key_high += 0xbb67ae85u;
  }
  return x;
}

/// Block number i of the sequence that belongs to the key.
NOZZLE_HOST_DEVICE inline philox_block philox(std::uint64_t i, std::uint64_t key)
{
  return philox(philox_block{{static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i >> 32), 0, 0}}, key);
}

} // namespace nozzle::detail
