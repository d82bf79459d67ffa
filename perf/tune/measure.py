"""Measures: asks shape_timer for the times of one case after the other."""

import itertools
import subprocess
import sys

from cases import settings_of, sizes_up_to
from times import read_case, read_head, Reader


def say(text):
    """On a terminal in one line that is rewritten."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
    elif text:
        print(text, file=sys.stderr)


def ask(timer, kinds, most, keep):
    reader = Reader(timer.stdout)
    times = read_head(reader)
    sizes = sizes_up_to(most, times.multiprocessors)
    steps = sum(len(kind.functions) * len(kind.types) * len(sizes) for kind in kinds)
    step = itertools.count(1)
    for kind in kinds:
        for function, element_type, n in itertools.product(kind.functions, kind.types, sizes):
            say(f"[{next(step)}/{steps}] {function}/{element_type}/{n}")
            settings = settings_of(kind, n, times.l2_bytes)
            print(kind.cost, function, element_type, n, *settings, file=timer.stdin, flush=True)
            answers = dict(read_case(f"{function} {element_type} {n} {reader.line()}", sizes) for _ in settings)
            if {case.setting for case in answers} != set(settings):
                raise ValueError(f"{', '.join(settings)} were asked for, not {', '.join(map(str, answers))}")
            times.cases.update(answers)
        keep(times)
    say("")
    return times


def measure(command, kinds, most, keep):
    """The times of every shape, by the shape_timer that the command starts. `keep` is called after each kind, with all
    times so far."""
    timer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8")
    try:
        with timer:
            times = ask(timer, kinds, most, keep)
    except (BrokenPipeError, ValueError) as error:
        if timer.returncode == 0:
            raise RuntimeError(f"shape_timer's answers: {error}") from None
    if timer.returncode != 0:
        raise RuntimeError("shape_timer failed")  # and has said why
    return times
