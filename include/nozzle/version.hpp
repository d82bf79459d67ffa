#pragma once

/** The version, as 10000 * major + 100 * minor + patch. CMakeLists.txt reads it from here, and C reads it too. */
#define NOZZLE_VERSION 100

#define NOZZLE_VERSION_MAJOR (NOZZLE_VERSION / 10000)
#define NOZZLE_VERSION_MINOR (NOZZLE_VERSION / 100 % 100)
#define NOZZLE_VERSION_PATCH (NOZZLE_VERSION % 100)
