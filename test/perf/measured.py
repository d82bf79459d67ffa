"""Times that were never measured, for the tests."""

from cases import cases_of, COMPANY_MOST, KINDS, sizes_up_to
from times import Times, UNTIMED

SMALL_VECTOR, VECTOR_256, VECTOR_512 = range(3)


def h200(cases):
    return Times("NVIDIA H200", "13.0", "580 (CUDA 13.0)", "0123abc", 90, 132, 60 << 20, cases)


def measured(make, most=COMPANY_MOST):
    """All cases up to a size, each with the times that `make` makes for it."""
    times = h200({})
    for kind in KINDS:
        for n in sizes_up_to(most, times.multiprocessors):
            times.cases.update((case, make(case)) for case in cases_of(kind, n, times.l2_bytes))
    return times


def best(shape, us):
    """100 us in every shape but one."""
    times = [100, 100, 100, UNTIMED]
    times[shape] = us
    return times
