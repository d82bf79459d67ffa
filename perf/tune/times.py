"""The times that were measured, and the files that keep them."""

import dataclasses
import math
import re

from cases import Case, KINDS, MOST, SETTINGS, SHAPES, sizes_up_to

TITLE = "nozzle's times, in microseconds; graph and stream: in company"
COLUMNS = " ".join(["function type elements setting"] + [f"{kernel}_{threads}" for kernel, threads in SHAPES])
UNTIMED = math.inf
BENCHMARKS = {(function, element_type) for kind in KINDS for function in kind.functions for element_type in kind.types}


@dataclasses.dataclass
class Times:
    """Of each case, microseconds of a call in each shape; in company, what the call adds."""

    gpu: str
    cuda: str
    driver: str
    commit: str
    capability: int
    multiprocessors: int
    l2_bytes: int
    cases: dict = dataclasses.field(default_factory=dict)


class Reader:
    """Reads line by line."""

    def __init__(self, file):
        self.lines = iter(file)
        self.number = 0

    def line(self):
        line = next(self.lines, None)
        if line is None:
            raise ValueError("the file ends too early")
        self.number += 1
        return line.removesuffix("\n")

    def expect(self, wanted):
        line = self.line()
        if line != wanted:
            raise ValueError(f'"{line}" where "{wanted}" is expected')

    def value(self, key):
        """What follows the key. It becomes part of the table's text."""
        line = self.line()
        if not line.startswith(f"{key} ") or '"' in line or "\\" in line:
            raise ValueError(f'"{line}" where "{key} ..." is expected')
        return line.removeprefix(f"{key} ")


def number_in(text, least, most, number=int):
    digits = "[0-9]{1,20}" if number is int else r"[0-9]+(\.[0-9]+)?"
    if not re.fullmatch(digits, text) or not least <= number(text) <= most:
        raise ValueError(f'"{text}" is no number in range')
    return number(text)


def read_head(reader):
    facts = {name: reader.value(name) for name in ("gpu", "cuda", "driver", "commit")}
    for name, least, most in (("capability", 10, 1000), ("multiprocessors", 1, 10000), ("l2_bytes", 1, 2**40)):
        facts[name] = number_in(reader.value(name), least, most)
    reader.expect(COLUMNS)
    return Times(**facts)


def read_case(line, sizes):
    """A case and its times."""
    words = line.split()
    if len(words) != 4 + len(SHAPES):
        raise ValueError(f"{len(words)} columns instead of {4 + len(SHAPES)}")
    function, element_type, n, setting = words[:4]
    if (function, element_type) not in BENCHMARKS:
        raise ValueError(f"{function}/{element_type} is not tuned")
    if number_in(n, 1, MOST) not in sizes:
        raise ValueError(f"{n} is no size that is tuned")
    if setting not in SETTINGS:
        raise ValueError(f'"{setting}" is no setting')
    us = [UNTIMED if word == "-" else number_in(word, 0.001, 1e7, float) for word in words[4:]]
    if min(us) == UNTIMED:
        raise ValueError("no shape was timed")
    return Case(function, element_type, int(n), setting), us


def read(file):
    """Raises ValueError if this is not all that text_of() gave: it names the line and what is wrong."""
    reader = Reader(file)
    try:
        reader.expect(TITLE)
        times = read_head(reader)
        sizes = sizes_up_to(MOST, times.multiprocessors)
        while (line := reader.line()) != "end":
            case, us = read_case(line, sizes)
            if case in times.cases:
                raise ValueError(f"{case} has two lines")
            times.cases[case] = us
        if next(reader.lines, None) is not None:
            raise ValueError("text behind the end")
    except ValueError as error:
        raise ValueError(f"line {reader.number}: {error}") from None
    return times


def number_text(us):
    if us == UNTIMED:
        return "-"
    return f"{max(us, 0.001):.3f}" if us < 100 else f"{us:.1f}"


def text_of(times):
    """What read() reads, to the nanosecond."""
    facts = dataclasses.asdict(times)
    cases = facts.pop("cases")
    lines = [TITLE, *(f"{name} {value}" for name, value in facts.items()), COLUMNS]
    for case in sorted(cases, key=lambda case: case._replace(setting=SETTINGS.index(case.setting))):
        lines.append(" ".join([*map(str, case), *map(number_text, cases[case])]))
    return "\n".join(lines + ["end\n"])


def mean(values):
    """Added one by one: sum() rounds less from Python 3.12 on, and a table would depend on the version."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def average(runs):
    """The mean of each case's times over the runs that timed it. Raises ValueError if they were on different GPUs."""
    first = runs[0]
    together = dataclasses.replace(first, cases={})
    for run in runs:
        if (run.gpu, run.multiprocessors, run.l2_bytes) != (first.gpu, first.multiprocessors, first.l2_bytes):
            raise ValueError(f"times of an {first.gpu} and of an {run.gpu} do not go together")
        if run.commit not in together.commit:
            together.commit += f" and {run.commit}"
    for case in {case for run in runs for case in run.cases}:
        of_shapes = zip(*(run.cases[case] for run in runs if case in run.cases))
        together.cases[case] = [mean([us for us in of_shape if us != UNTIMED] or [UNTIMED]) for of_shape in of_shapes]
    return together
