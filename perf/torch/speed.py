#!/usr/bin/env python3
"""Times PyTorch's eager functions, out of place, on one size: the median of calls after some that warm up. With
--nozzle nozzle's too, through the package, in turns with PyTorch's.

The data is uniform in [-6, 6). Before each call something else runs for longer than the host takes to enqueue the call,
and clears L2 of its data; so the time is the device's alone.
"""

import random
import statistics
import time

from functions import TYPES, about, arguments, measure_all, positive, torch

WARM_UP = 3

# nozzle's operators take the parameters that functions.py gives to PyTorch's.
PARAMETERS = {"prelu": [0.25], "threshold": [0.125, -2.0]}


def device_us(call):
    """Microseconds of what a call enqueues, by CUDA events."""
    start, stop = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    call()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3


class GpuTimer:
    """Microseconds of one call, whose data is not in L2 and whose host part is hidden."""

    def __init__(self, device):
        self.cold = torch.zeros(1 << 28, device=device)  # long enough to hide what torch.compile does first
        self.total = torch.zeros((), device=device)

    def __call__(self, call):
        torch.sum(self.cold, dim=0, out=self.total)
        return device_us(call)


def host_timer(call):
    """Microseconds of one call by the clock."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def samples_in_turns(ways, measure, rounds):
    """Each way's measurements without the first WARM_UP, in another order each round: no way always follows the same
    one."""
    times = {way: [] for way in ways}
    for turn in range(WARM_UP + rounds):
        for way in random.Random(turn).sample(list(ways), len(ways)):
            times[way].append(measure(ways[way]))
    return {way: of[WARM_UP:] for way, of in times.items()}


def in_turns(ways, measure, rounds):
    """The median of each way's measurements."""
    return {way: statistics.median(of) for way, of in samples_in_turns(ways, measure, rounds).items()}


def ratio(ours, theirs):
    """The median of what two ways took in the same round: a host's pace, which changes meanwhile, is the same in it."""
    return statistics.median(a / b for a, b in zip(ours, theirs))


def of_nozzle(function):
    """The operator of the package; two inputs are halves of one tensor."""
    import nozzle  # noqa: F401  (registers the operators)
    operator = getattr(torch.ops.nozzle, function.name + ("_halves" if function.inputs == 2 else ""))
    return lambda x: operator(x, *PARAMETERS.get(function.name, []))


def measure(function, type_name, options, timer):
    dtype = TYPES[type_name]
    x = torch.empty(options.n * function.inputs, dtype=dtype, device=options.device)
    x.uniform_(-6, 6)
    calls = {"microseconds": function.call}
    if options.nozzle:
        calls["nozzle_microseconds"] = of_nozzle(function)
    times = in_turns(calls, lambda call: timer(lambda: call(x)), options.repetitions)
    bytes_moved = options.n * (function.inputs + 1) * x.element_size()
    return {
        "function": function.name,
        "type": type_name,
        "n": options.n,
        **times,
        "gigabytes_per_second": bytes_moved / times["microseconds"] * 1e-3,
    }


def main():
    parser = arguments(__doc__)
    parser.add_argument("-n", type=positive, default=1 << 28, help="elements; default: 2^28")
    parser.add_argument("--repetitions", type=positive, default=20, help="default: %(default)s")
    parser.add_argument("--nozzle", action="store_true", help="time the package too")
    parser.add_argument("--threads", type=positive, help="of PyTorch on a host; of nozzle too if they share libgomp")
    parser.set_defaults(types=["float"])
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    timer = GpuTimer(options.device) if torch.device(options.device).type == "cuda" else host_timer
    facts = {**about(options), "threads": torch.get_num_threads(), "repetitions": options.repetitions}
    cells = lambda r: (r["microseconds"], round(r["gigabytes_per_second"]), r.get("nozzle_microseconds", "-"))
    measure_all(options, facts, ("us", "GB/s", "nozzle us"), lambda f, t: measure(f, t, options, timer), cells)


if __name__ == "__main__":
    main()
