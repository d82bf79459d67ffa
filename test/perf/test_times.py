"""What perf/tune keeps of its measurements."""

import io
import random
import unittest

from cases import Case, SHAPES
from fit import fit_kinds
from measured import h200, measured
from table import report_of, table_of
from times import average, read, text_of, UNTIMED

SMALL = Case("silu", "half", 4096, "warm")
LARGE = Case("relu", "e4m3", 8192, "stream")


def example():
    return h200({SMALL: [0.61, 0.625, 1234.5, UNTIMED], LARGE: [1, 2, 3, UNTIMED]})


def read_text(text):
    return read(io.StringIO(text, newline="\n"))


class Files(unittest.TestCase):
    def assert_refused(self, text, why):
        with self.assertRaises(ValueError) as refused:
            read_text(text)
        self.assertEqual(str(refused.exception), why)

    def example_with(self, old, new):
        """The example's text, changed in one place."""
        text = text_of(example())
        self.assertIn(old, text)
        return text.replace(old, new, 1)

    def test_times_are_read_as_they_were_written(self):
        self.assertEqual(read_text(text_of(example())), example())

    def test_a_line_for_each_case_to_the_nanosecond_and_what_was_not_timed_is_a_dash(self):
        self.assertIn("\nsilu half 4096 warm 0.610 0.625 1234.5 -\n", text_of(example()))
        times = example()
        times.cases[SMALL][0] = 0.0001
        self.assertIn("warm 0.001 0.625", text_of(times))

    def test_lines_are_in_order_of_function_type_size_and_setting(self):
        settings = ["graph", "stream", "cold", "warm"]
        cases = [Case("relu", "half", n, setting) for n in (8192, 12288) for setting in settings]
        text = text_of(h200({case: [1, 1, 1, 1] for case in reversed(cases)}))
        self.assertEqual(list(read_text(text).cases), cases)

    def test_a_file_that_was_cut_anywhere_is_refused(self):
        text = text_of(example())
        for length in range(len(text) - 1):
            with self.assertRaises(ValueError):
                read_text(text[:length])
        end = text.index("end\n")
        self.assert_refused(text[:end - 2], "line 11: 7 columns instead of 8")
        self.assert_refused(text[:end], "line 11: the file ends too early")

    def test_text_behind_the_end_is_refused(self):
        self.assert_refused(text_of(example()) + "more", "line 12: text behind the end")
        self.assert_refused(text_of(example()) + "\n", "line 12: text behind the end")

    def test_a_line_that_is_no_case_is_refused_by_its_number(self):
        for old, new, why in (
            ("warm", "chained", '"chained" is no setting'),
            ("silu half", "selu half", "selu/half is not tuned"),
            ("silu half", "silu e5m2", "silu/e5m2 is not tuned"),
            ("4096", "4095", "4095 is no size that is tuned"),
            ("0.610 0.625 1234.5 -", "- - - -", "no shape was timed"),
            ("0.610 ", "", "7 columns instead of 8"),
        ):
            self.assert_refused(self.example_with(old, new), f"line 11: {why}")
        self.assert_refused(self.example_with("end", "silu half 4096 warm 1 1 1 -\nend"),
                            "line 12: silu/half/4096, warm has two lines")

    def test_a_number_out_of_range_is_refused(self):
        for us in ("0", "-1", "nan", "inf", "1e9", "0.61x", "x", "1_0", "\u0661"):
            self.assert_refused(self.example_with("0.610", us), f'line 11: "{us}" is no number in range')
        for old, new, line in (
            ("4096", "99999999999999999999", 11),
            ("4096", "9" * 5000, 11),
            ("multiprocessors 132", "multiprocessors 0", 7),
            ("l2_bytes 62914560", "l2_bytes -1", 8),
        ):
            number = new.split()[-1]
            self.assert_refused(self.example_with(old, new), f'line {line}: "{number}" is no number in range')

    def test_times_of_other_shapes_or_something_else_are_refused(self):
        last = "{}_{}".format(*SHAPES[3])
        with self.assertRaises(ValueError):
            read_text(self.example_with(last, "scalar_64"))
        self.assert_refused(
            "x", 'line 1: "x" where "nozzle\'s times, in microseconds; graph and stream: in company" is expected')
        self.assert_refused(self.example_with("driver 580", "chauffeur 580"),
                            'line 4: "chauffeur 580 (CUDA 13.0)" where "driver ..." is expected')
        with self.assertRaises(ValueError):
            read_text(self.example_with("NVIDIA H200", '"H200"'))

    def test_a_damaged_file_is_refused_or_read_as_it_is_written_again(self):
        whole = text_of(measured(lambda case: [1, 1.5, UNTIMED, 2], most=12288))
        damage = random.Random(1)
        fitted = 0
        for _ in range(300):
            text = whole
            for _ in range(damage.randint(1, 3)):
                at = damage.randrange(len(text))
                put = damage.choice(["", "-", " ", "\n", "0", "9.5", "relu", "\x00", text[:at], text[at:at + 40]])
                text = text[:at] + put + text[at + damage.choice([0, 1, len(put)]):]
            try:
                times = read_text(text)
                again = text_of(average([times, read_text(text_of(times))]))
                self.assertEqual(text_of(read_text(again)), again)
                kinds = fit_kinds(times)
            except ValueError:
                continue
            fitted += 1
            self.assertNotIn("multi_vector, 512", table_of(kinds, times, "commit"))
            self.assertNotIn("{kernel::vector, 512}", table_of(kinds, times, "commit"))  # was not timed
            self.assertNotRegex(report_of(kinds, times, "commit"), r"\b(inf|nan)\b")
        self.assertGreater(fitted, 10)
        self.assertLess(fitted, 290)


class Averages(unittest.TestCase):
    def test_several_runs_times_are_averaged_over_the_runs_that_have_them(self):
        run = example()
        run.commit = "4567def"
        run.cases = {SMALL: [0.63, UNTIMED, 1234.5, 2], Case("mish", "float", 4096, "cold"): [1, 1, 1, 1]}
        times = average([example(), run, example()])
        self.assertEqual(times.commit, "0123abc and 4567def")
        self.assertEqual(len(times.cases), 3)
        us = times.cases[SMALL]
        self.assertAlmostEqual(us[0], (0.61 + 0.63 + 0.61) / 3)
        self.assertAlmostEqual(us[1], 0.625)
        self.assertAlmostEqual(us[2], 1234.5)
        self.assertEqual(us[3], 2)
        self.assertEqual(times.cases[LARGE], example().cases[LARGE])

    def test_runs_on_different_gpus_do_not_go_together(self):
        elsewhere = example()
        elsewhere.gpu = "NVIDIA H100"
        with self.assertRaisesRegex(ValueError, "^times of an NVIDIA H200 and of an NVIDIA H100 do not go together$"):
            average([example(), elsewhere])
        elsewhere = example()
        elsewhere.multiprocessors = 114
        with self.assertRaises(ValueError):
            average([example(), elsewhere])


if __name__ == "__main__":
    unittest.main()
