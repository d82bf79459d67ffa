#pragma once

namespace nozzle::lib
{

/// Keeps "<function>: <message>" for nozzle_last_error, in the calling thread. It allocates nothing; what is longer
/// than 511 characters is cut off.
void remember_error(char const* function, char const* message) noexcept;

} // namespace nozzle::lib
