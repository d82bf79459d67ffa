"""Chooses shapes for kinds of work: first for company, then for chains of the kind's own calls."""

import math
import typing

from cases import cases_of, COMPANY, KINDS, SHAPES, sizes_up_to
from times import mean

MOST_STEPS = 3  # as include/nozzle/detail/tuning/tuning.hpp has them
POWER_OF_TWO = 3  # the weight of what users have most
CHANGE = POWER_OF_TWO  # a table has to be simple: another step has to save a whole unit at one power of two


class SizeFit(typing.NamedTuple):
    """A kind's times at one size, of each function and type, and the shape that was chosen for them."""

    n: int
    limit: int
    company: list  # empty at large sizes
    own: list  # in chains of its own kind
    chosen: int = -1  # of SHAPES


def mean_of(cases):
    """Each shape's mean over the cases; infinite if it was not timed in one."""
    return [mean(us) for us in zip(*cases)]


def granted_us(best, bound):
    """How much longer than the best a choice may take (perf/compare/regret.hpp)."""
    return max(bound * best, 0.05 if best < 5 else 0)


def own_cost(cases, shape):
    """How much longer a shape takes than the best, in units of 3%: on average, and the worst of these."""
    behind = [(us[shape] - min(us)) / granted_us(min(us), 0.03) for us in cases]
    return mean(behind) + max(behind)


def company_cost(cases, shape):
    """The same of what calls add to a chain. That is a small difference of long times, so its mean over all cases is
    compared, in units of 5% or 0.1 us."""
    us = mean_of(cases)
    if us[shape] == math.inf:
        return math.inf
    return (us[shape] - min(us)) / max(0.05 * min(us), 0.1)


def cost_of(at, shape):
    """Company counts; chains of the call's own kind count less beside it."""
    if not at.company:
        return own_cost(at.own, shape)
    return company_cost(at.company, shape) + 0.25 * own_cost(at.own, shape)


def weight_of(n, is_largest):
    """The largest size speaks for all beyond. Differences are measured to a tenth of a percent there, and matter."""
    if is_largest:
        return 20
    return POWER_OF_TWO if n & (n - 1) == 0 else 1


def choose(sizes, change, most_changes):
    """The candidate to take at each size: the choice whose costs, added up, are least, where every change from one
    candidate to another costs as much as `change`, and there are at most `most_changes` of them. `sizes` has what each
    candidate costs at each size, infinite where it cannot be taken. Empty if there is no such choice."""
    # The cheapest path so far to each candidate with so many changes; the first of equals.
    paths = {(candidate, 0): (cost, [candidate]) for candidate, cost in enumerate(sizes[0]) if cost < math.inf}
    for here in sizes[1:]:
        longer = {}
        for (last, changes), (cost, chosen) in sorted(paths.items()):
            for candidate, more in enumerate(here):
                end = candidate, changes + (candidate != last)
                total = cost + more + (change if candidate != last else 0)
                if end[1] <= most_changes and total < longer.get(end, (math.inf,))[0]:
                    longer[end] = total, chosen + [candidate]
        paths = longer
    ends = [(cost, changes, last, chosen) for (last, changes), (cost, chosen) in paths.items()]
    return min(ends)[-1] if ends else []


def times_at(n, limit, kind, times):
    at = SizeFit(n, limit, company=[], own=[])
    for case in cases_of(kind, n, times.l2_bytes):
        if case not in times.cases:
            raise ValueError(f"no times of {case}: load a file that has them too")
        (at.company if case.setting in COMPANY else at.own).append(times.cases[case])
    return at


def fit_kind(kind, times):
    """The kind's fit at each size. Raises ValueError if times are missing."""
    most = max((case.n for case in times.cases), default=0)
    sizes = [times_at(n, limit, kind, times) for n, limit in sizes_up_to(most, times.multiprocessors).items()]
    if not sizes:
        raise ValueError("no times")
    costs = [[weight_of(at.n, at.n == most) * cost_of(at, shape) for shape in range(len(SHAPES))] for at in sizes]
    chosen = choose(costs, CHANGE, MOST_STEPS - 1)
    if not chosen:
        raise ValueError(f"{kind}: no shape was timed in every case of a size")
    return [at._replace(chosen=shape) for at, shape in zip(sizes, chosen)]


def fit_kinds(times):
    return [fit_kind(kind, times) for kind in KINDS]
