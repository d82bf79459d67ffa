#pragma once

#include "test/reference/catalogue.hpp"

/// The catalogue's rows that the library under test has, in the order of their numbers.
#if defined(NOZZLE_ALL_FUNCTIONS)
inline constexpr auto const& built_rows = catalogue::rows;
#else
inline constexpr auto const& built_rows = catalogue::library_rows;
#endif
