#!/usr/bin/env python3
"""Times PyTorch's eager functions, out of place, on one size: the median of calls after some that warm up. With
--library nozzle's too, through libnozzle, in turns with PyTorch's.

The data is uniform in [-6, 6). Before each call something else runs for longer than the host takes to enqueue the call,
and clears L2 of its data; so the time is the device's alone.
"""

import statistics
import time

from functions import TYPES, about, arguments, chosen, positive, print_head, print_row, torch, write_json
from library import binding, of_library

WARM_UP = 3
WIDTHS = [11, 5, 10, 6, 10]


class GpuTimer:
    """Microseconds of one call by CUDA events."""

    def __init__(self, device):
        self.cold = torch.zeros(1 << 28, device=device)  # long enough to hide what torch.compile does first
        self.total = torch.zeros((), device=device)
        self.start = torch.cuda.Event(enable_timing=True)
        self.stop = torch.cuda.Event(enable_timing=True)

    def __call__(self, call):
        torch.sum(self.cold, dim=0, out=self.total)
        self.start.record()
        call()
        self.stop.record()
        self.stop.synchronize()
        return self.start.elapsed_time(self.stop) * 1e3


def host_timer(call):
    """Microseconds of one call by the clock."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def measure(function, type_name, options, timer, library):
    dtype = TYPES[type_name]
    x = torch.empty(options.n * function.inputs, dtype=dtype, device=options.device)
    x.uniform_(-6, 6)
    calls = [function.call] + ([of_library(library, function.name)] if library else [])
    rounds = [[timer(lambda: call(x)) for call in calls] for _ in range(WARM_UP + options.repetitions)]
    microseconds, *nozzle = [statistics.median(times) for times in zip(*rounds[WARM_UP:])]
    bytes_moved = options.n * (function.inputs + 1) * x.element_size()
    return {
        "function": function.name,
        "type": type_name,
        "n": options.n,
        "microseconds": microseconds,
        "gigabytes_per_second": bytes_moved / microseconds * 1e-3,
        **({"nozzle_microseconds": nozzle[0]} if nozzle else {}),
    }


def main():
    parser = arguments(__doc__)
    parser.add_argument("-n", type=positive, default=1 << 28, help="elements; default: 2^28")
    parser.add_argument("--repetitions", type=positive, default=20, help="default: %(default)s")
    parser.add_argument("--library", metavar="FILE", help="libnozzle.so, to time it too")
    parser.add_argument("--threads", type=positive, help="of PyTorch on a host; OMP_NUM_THREADS are nozzle's")
    parser.set_defaults(types=["float"])
    options = parser.parse_args()
    if options.threads:
        torch.set_num_threads(options.threads)
    library = binding.Nozzle(options.library) if options.library else None

    timer = GpuTimer(options.device) if torch.device(options.device).type == "cuda" else host_timer
    facts = {**about(options), "repetitions": options.repetitions}
    print("\n".join(f"{key}: {value}" for key, value in facts.items()) + "\n")
    print_head(["function", "type", "us", "GB/s", "nozzle us"], WIDTHS)
    results = []
    with torch.no_grad():
        for function, type_name in chosen(options):
            try:
                r = measure(function, type_name, options, timer, library)
            except RuntimeError as error:
                if "not implemented for" not in str(error):
                    raise
                print_row([function.name, type_name, "-", "-", "-"], WIDTHS)
                continue
            results.append(r)
            nozzle = f"{r['nozzle_microseconds']:.1f}" if library else "-"
            rate = f"{r['gigabytes_per_second']:.0f}"
            print_row([r["function"], r["type"], f"{r['microseconds']:.1f}", rate, nozzle], WIDTHS)
    write_json(options, facts, results)


if __name__ == "__main__":
    main()
