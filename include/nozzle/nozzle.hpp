#pragma once

// All of nozzle. A file that uses one function can include its header and transform.hpp alone.

#include <nozzle/activation/clip.hpp>
#include <nozzle/activation/elu.hpp>
#include <nozzle/activation/gated.hpp>
#include <nozzle/activation/gelu.hpp>
#include <nozzle/activation/general_relu.hpp>
#include <nozzle/activation/hard_mish.hpp>
#include <nozzle/activation/hardsigmoid.hpp>
#include <nozzle/activation/hardswish.hpp>
#include <nozzle/activation/hardtanh.hpp>
#include <nozzle/activation/leaky_relu.hpp>
#include <nozzle/activation/limited_gate.hpp>
#include <nozzle/activation/linear.hpp>
#include <nozzle/activation/mish.hpp>
#include <nozzle/activation/prelu.hpp>
#include <nozzle/activation/relu.hpp>
#include <nozzle/activation/rrelu.hpp>
#include <nozzle/activation/shrink.hpp>
#include <nozzle/activation/sigmoid.hpp>
#include <nozzle/activation/silu.hpp>
#include <nozzle/activation/situglu.hpp>
#include <nozzle/activation/softplus.hpp>
#include <nozzle/activation/softsign.hpp>
#include <nozzle/activation/sparse.hpp>
#include <nozzle/activation/star_relu.hpp>
#include <nozzle/activation/tanh.hpp>
#include <nozzle/activation/threshold.hpp>
#include <nozzle/compose.hpp>
#include <nozzle/fan_out.hpp>
#include <nozzle/gradient.hpp>
#include <nozzle/gradient_from_result.hpp>
#include <nozzle/plan.hpp>
#include <nozzle/transform.hpp>
#include <nozzle/version.hpp>
#include <nozzle/view.hpp>
