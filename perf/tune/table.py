"""The table that plan_for reads, and what speaks for it, as Markdown."""

import itertools

from cases import KINDS, SHAPES
from fit import mean_of
from times import mean

TABLE = """\
// Fitted by perf/tune at commit {commit} to times of commit {times.commit}.
// On an {times.gpu}: {times.multiprocessors} multiprocessors, {l2_mib} MiB of L2, CUDA {times.cuda}.
// The shapes for each kind of work, each up to a number of elements per multiprocessor.
{{{times.capability},
 "sm_{times.capability}, measured on an {times.gpu}",
 {{
{rows} }}}},
"""

REPORT = """\
# The shapes that perf/tune chose

Fitted at commit {commit} to times of commit {times.commit}, on an {times.gpu}, {software}.
For each number of elements: the chosen shape; then in company (what a call adds between foreign kernels) and in
chains of its own kind, the best shape and its µs where it is another one, the chosen one's µs, and by how many percent
it is behind each case's best (mean, worst). Times are means over functions, types and settings.

Shapes: {shapes}.
"""

KIND = """
## {kind}

{summary}

|n|chosen|company: best|µs|chosen µs|behind %|own: best|µs|chosen µs|behind %|
|--:|--|--|--:|--:|--:|--|--:|--:|--:|
"""


def steps_of(fitted):
    """The steps as an initializer. Each size nearly fills a number of blocks on every multiprocessor, and more elements
    take more blocks, so a shape ends where these are full."""
    steps = []
    for shape, sizes in itertools.groupby(fitted, key=lambda at: at.chosen):
        *_, last = sizes
        limit = "step::no_limit" if last is fitted[-1] else last.limit
        kernel, threads = SHAPES[shape]
        steps.append(f"{{{limit}, {{kernel::{kernel}, {threads}}}}}")
    return "{{" + ", ".join(steps) + "}}"


def table_of(fitted, times, commit):
    rows = ""
    for cost, kinds in itertools.groupby(zip(KINDS, fitted), key=lambda kind: kind[0].cost):
        rows += f"  // {cost}: elements of 1, 2, 4 and 8 bytes, each with one input and several\n"
        rows += "".join(f"  {steps_of(of_kind)},\n" for _, of_kind in kinds)
    return TABLE.format(commit=commit, times=times, l2_mib=times.l2_bytes >> 20, rows=rows)


def short_name(shape):
    """Such as s512."""
    kernel, threads = SHAPES[shape]
    return f"{kernel[0]}{threads}"


def microseconds(us):
    """To three or four digits, as perf/report/markdown.cpp has them."""
    return f"{us:.{3 if us < 10 else 2 if us < 100 else 1 if us < 1000 else 0}f}"


def excess(cases, chosen):
    """How much longer the chosen shape takes than each case's best: the mean and the worst, in percent."""
    behind = [100 * (us[chosen] / min(us) - 1) for us in cases]
    return mean(behind), max(behind)


def columns(cases, chosen):
    """Four columns: the best shape and its time, where it is another one; the chosen one's time, and what it costs."""
    if not cases:
        return "||||"
    us = mean_of(cases)
    best = min([chosen, *range(len(SHAPES))], key=us.__getitem__)
    better = "||" if best == chosen else f"{short_name(best)}|{microseconds(us[best])}|"
    average, worst = excess(cases, chosen)
    return f"{better}{microseconds(us[chosen])}|{average:.1f}, {worst:.1f}|"


def summary_of(fitted):
    """How much longer the chosen shapes take than the best, over all sizes: in company of all cases together, in own
    chains of each."""
    company = [excess([mean_of(at.company)], at.chosen) for at in fitted if at.company]
    own = [excess(at.own, at.chosen) for at in fitted]
    texts = []
    for where, sizes in (("company", company), ("own", own)):
        means, worsts = zip(*sizes)
        texts.append(f"{where} worst +{max(worsts):.1f}%, mean +{mean(means):.1f}%")
    return "; ".join(texts)


def report_of(fitted, times, commit):
    """At each size the best and the chosen shape, in company and in chains of their own, their times, and what the
    choice costs."""
    shapes = (f"{short_name(i)} is {kernel} x {threads}" for i, (kernel, threads) in enumerate(SHAPES))
    software = f"CUDA {times.cuda}, driver {times.driver}"
    text = REPORT.format(commit=commit, times=times, software=software, shapes=", ".join(shapes))
    for kind, of_kind in zip(KINDS, fitted):
        text += KIND.format(kind=kind, summary=summary_of(of_kind))
        for at in of_kind:
            text += f"|{at.n}|{short_name(at.chosen)}|{columns(at.company, at.chosen)}{columns(at.own, at.chosen)}\n"
    return text
