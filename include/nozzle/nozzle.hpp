#pragma once

// All of nozzle. A file that uses one function can include its header and transform.hpp alone.

#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/plan.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/version.hpp>
