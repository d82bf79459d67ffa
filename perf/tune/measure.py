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
            for _ in settings:
                case, us = read_case(f"{function} {element_type} {n} {reader.line()}", sizes)
                times.cases[case] = us
        keep(times)
    say("")
    return times


def measure(command, kinds, most, keep):
    """The times of every shape, by the shape_timer that the command starts. `keep` is called after each kind, with all
    times so far."""
    try:
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as timer:
            return ask(timer, kinds, most, keep)
    except (BrokenPipeError, ValueError) as error:
        raise RuntimeError(f"shape_timer's answers: {error}") from None
