"""The results that perf/plot and catalogue_table read: perf/README.md lists them."""

import csv
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
N = 2**28 # elements of a call that is timed


def read_json(name):
    path = ROOT / "perf/results/h200" / name
    try:
        return json.loads(path.read_text())
    except ValueError as error:
        raise SystemExit(f"{path}: {error}") from None


def benchmarks(name):
    """(function, type, size, variant, label, microseconds) of each that was timed."""
    for run in read_json(name)["benchmarks"]:
        function, kind, size, variant = run["name"].split("/")
        yield function, kind, int(size), variant, run["label"], run["real_time"]


def nozzle_errors():
    """{(function, direction, type): ULP}"""
    with open(ROOT / "test/accuracy/sm90.csv") as rows:
        return {(row["function"], row["direction"], row["type"]): float(row["error"]) for row in csv.DictReader(rows)}


def nozzle_times():
    """{function: {variant: microseconds}}, on N floats"""
    times = {}
    for function, kind, size, variant, _, us in benchmarks("functions.json"):
        if (kind, size) == ("float", N):
            of_function = times.setdefault(function, {})
            if variant in of_function:
                raise ValueError(f"functions.json: {function}/{kind}/{size}/{variant} is there twice: "
                                 "measured in several caches?")
            of_function[variant] = us
    return times


def torch_errors():
    """{(function, type): ULP}"""
    return _torch_results("torch_accuracy.json", "largest_error_ulp")


def torch_times():
    """{(function, type): microseconds}"""
    return _torch_results("torch_speed.json", "microseconds")


def _torch_results(name, value):
    return {(r["function"], r["type"]): r[value] for r in read_json(name)["results"]}
