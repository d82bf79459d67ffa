"""The program: its options, its files, and how it asks for times."""

import io
import os
import pathlib
import random
import re
import stat
import subprocess
import sys
import tempfile
import unittest

from cases import KINDS
from measured import best, measured, VECTOR_256, VECTOR_512
from times import read, text_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TUNE = ROOT / "perf/tune/tune"

# In place of shape_timer: answers every setting with the same times, and ends early where it is told to.
TIMER = f"""#!{sys.executable}
import sys
print("gpu NVIDIA H200\\ncuda 13.0\\ndriver 580\\ncommit 0123abc")
print("capability 90\\nmultiprocessors 132\\nl2_bytes 62914560")
print("function type elements setting small_vector_512 vector_256 vector_512 multi_vector_128", flush=True)
with open(__file__ + ".asked", "w") as asked:
    print(*sys.argv[1:], file=asked)
    for line in sys.stdin:
        asked.write(line)
        cost, function, element_type, n, *settings = line.split()
        if function == "FAILS":
            sys.exit("no more")
        for setting in settings:
            print(setting, 1.2345678901234567, 0.99, 100.25, "-", flush=True)
"""


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.times = self.folder / "times.txt"
        self.times.write_text(text_of(measured(lambda case: best(VECTOR_256, 90), most=65536)))

    def tune(self, *arguments):
        return subprocess.run([sys.executable, TUNE, *arguments], cwd=self.folder, capture_output=True, text=True)

    def tune_loaded(self, *arguments):
        return self.tune("--load", self.times, *arguments)

    def timer(self, fails_at=""):
        path = self.folder / "timer"
        path.write_text(TIMER.replace("FAILS", fails_at))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def assert_refused(self, ran, why):
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (2, "", f"tune: {why} (--help lists the options)\n"))

    def read_saved(self, name):
        return read(io.StringIO((self.folder / name).read_text()))


class Options(Program):
    def test_functions_go_with_save_alone(self):
        why = "--functions needs --save, and excludes --output, --table and --load"
        for arguments in ([], ["--output", "a"], ["--save", "x", "--output", "a"], ["--save", "x", "--table", "a"],
                          ["--save", "x", "--load", str(self.times)]):
            self.assert_refused(self.tune("--functions", "silu", *arguments), why)

    def test_functions_that_are_not_tuned_are_refused(self):
        self.assertEqual(self.tune("--functions", "silu,selu", "--save", "x").returncode, 2)

    def test_numbers_out_of_range_are_refused(self):
        for option, values in (("--rounds", "1 1001 x"), ("--repetitions", "1 1001 2.5"), ("--largest", "15 32 -1")):
            for value in values.split():
                self.assertEqual(self.tune_loaded(f"{option}={value}").returncode, 2)
        for options in (["--rounds=2", "--repetitions=1000", "--largest=16"],
                        ["--rounds=1000", "--repetitions=2", "--largest=31"]):
            self.assertEqual(self.tune_loaded(*options).returncode, 0)

    def test_without_a_timer_there_has_to_be_something_to_load(self):
        self.assert_refused(self.tune(), "perf/run tune measures; without it there has to be --load")

    def test_random_options_are_taken_or_refused(self):
        words = ["--output", "--table", "--save", "--load", "--functions", "--largest=99", "--rounds=5", "a", "b", "",
                 "silu,gelu", "/dev/null", "/dev/null,/dev/null", str(self.times), "--", "-1", "--outp=a", "--help"]
        choice = random.Random(1)
        for _ in range(40):
            arguments = choice.choices(words, k=choice.randint(0, 6))
            ran = self.tune(*arguments)
            self.assertIn(ran.returncode, (0, 2), (arguments, ran.stderr))
            self.assertNotIn("Traceback", ran.stderr, arguments)


class Files(Program):
    def test_a_table_is_printed_or_written(self):
        printed = self.tune_loaded()
        self.assertEqual((printed.returncode, printed.stderr), (0, ""))
        written = self.tune_loaded("--output", "a", "--table", "b", "--save", "c")
        self.assertEqual((written.returncode, written.stdout), (0, ""))
        self.assertEqual((self.folder / "a").read_text(), printed.stdout)
        self.assertTrue((self.folder / "b").read_text(encoding="utf-8").startswith("# The shapes"))
        self.assertEqual((self.folder / "c").read_text(), self.times.read_text())

    def test_the_table_names_the_commit(self):
        self.assertRegex(self.tune_loaded().stdout, r"^// Fitted by perf/tune at commit ([0-9a-f]+(-dirty)?|unknown) ")

    def test_several_files_are_averaged(self):
        other = self.folder / "other.txt"
        other.write_text(text_of(measured(lambda case: best(VECTOR_512, 45), most=65536)))
        saved = []
        for arguments in ([f"{self.times},{other}"], [self.times, other], [self.times, "--load", other]):
            self.assertEqual(self.tune("--load", *arguments, "--save", "saved").returncode, 0)
            saved.append((self.folder / "saved").read_text())
        self.assertEqual(len(set(saved)), 1)
        self.assertNotIn(saved[0], (self.times.read_text(), other.read_text()))

    def test_a_mistake_in_a_loaded_file_names_it(self):
        (self.folder / "bad").write_text("x")
        self.assert_refused(self.tune("--load", "bad"), '--load: bad: line 1: "x" where "nozzle\'s times, in '
                            'microseconds; graph and stream: in company" is expected')
        self.assertEqual(self.tune("--load", "none").returncode, 2)

    def test_a_loaded_file_without_all_times_is_named(self):
        lines = self.times.read_text().splitlines(keepends=True)
        (self.folder / "short").write_text("".join(lines[:-2] + lines[-1:]))
        ran = self.tune("--load", "short")
        self.assertEqual(ran.returncode, 2)
        self.assertRegex(ran.stderr, "^tune: --load: short: no times of ")

    def test_a_file_that_cannot_be_written_is_refused_before_anything_is_measured(self):
        ran = self.tune("--timer", self.timer(), "--table", "no/such/folder")
        self.assert_refused(ran, "--table: no/such/folder: cannot be written")
        self.assertFalse((self.folder / "timer.asked").exists())

    def test_two_options_that_name_one_file_are_refused_by_whatever_name(self):
        self.assert_refused(self.tune_loaded("--output", "a", "--table", "./a"), "--table: ./a: is --output's file too")

    def test_what_is_in_a_file_stays_until_there_is_something_to_write(self):
        (self.folder / "a").write_text("old")
        self.assertEqual(self.tune("--load", "/dev/null", "--output", "a").returncode, 2)
        self.assertEqual((self.folder / "a").read_text(), "old")
        with open(self.folder / "a") as old:
            self.assertEqual(self.tune_loaded("--output", "a").returncode, 0)
            self.assertEqual(old.read(), "old")
        self.assertNotEqual((self.folder / "a").read_text(), "old")
        self.assertFalse((self.folder / "a.part").exists())

    def test_a_link_stays_a_link(self):
        os.symlink("a", self.folder / "link")
        self.assertEqual(self.tune_loaded("--output", "link").returncode, 0)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertTrue((self.folder / "a").read_text().startswith("// Fitted"))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no /dev/full")
    def test_a_write_that_fails_is_an_error(self):
        self.assertEqual(self.tune_loaded("--save", "/dev/full").returncode, 1)


class Measuring(Program):
    def test_every_case_is_asked_for_and_kept(self):
        ran = self.tune("--timer", self.timer(), "--rounds=3", "--repetitions=4", "--largest=16", "--save", "saved",
                        "--output", "table")
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))
        asked = (self.folder / "timer.asked").read_text().splitlines()
        self.assertEqual(asked[:2], ["3 4", "clamp hardtanh e4m3 4096 cold warm graph stream"])
        times = self.read_saved("saved")
        self.assertEqual(set(times.cases), set(self.read_saved("times.txt").cases))
        self.assertEqual(next(iter(times.cases.values()))[:3], [1.235, 0.99, 100.2])
        self.assertEqual(self.tune("--load", "saved").stdout, (self.folder / "table").read_text())
        progress = re.findall(r"^\[(\d+)/(\d+)\] ", ran.stderr, re.MULTILINE)
        self.assertEqual(progress[-1], (str(len(asked) - 1),) * 2)

    def test_large_sizes_are_timed_in_memory_alone(self):
        self.tune("--timer", self.timer(), "--functions", "relu", "--save", "saved", "--largest=28")
        self.assertIn("clamp relu float 268435456 cold\n", (self.folder / "timer.asked").read_text())

    def test_some_functions_alone_are_saved_without_a_table(self):
        ran = self.tune("--timer", self.timer(), "--functions", "silu,gelu", "--save", "saved", "--largest=16")
        self.assertEqual((ran.returncode, ran.stdout), (0, ""))
        self.assertEqual({case.function for case in self.read_saved("saved").cases}, {"silu", "gelu"})

    def test_a_timer_that_fails_leaves_the_times_of_earlier_kinds(self):
        ran = self.tune("--timer", self.timer(fails_at="hardsigmoid"), "--save", "saved", "--output", "a")
        self.assertEqual((ran.returncode, ran.stdout), (1, ""))
        self.assertIn("no more", ran.stderr)
        self.assertIn("tune: shape_timer failed", ran.stderr)
        clamp = {function for kind in KINDS if kind.cost == "clamp" for function in kind.functions}
        self.assertEqual({case.function for case in self.read_saved("saved").cases}, clamp)
        self.assertEqual((self.folder / "a").read_text(), "")


if __name__ == "__main__":
    unittest.main()
