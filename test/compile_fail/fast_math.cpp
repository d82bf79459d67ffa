#include <nozzle/activation/sigmoid.hpp>
