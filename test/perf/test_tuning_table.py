"""What is timed, what is chosen of it, and the texts that say so."""

import pathlib
import re
import unittest

from cases import Case, cases_of, COMPANY, COMPANY_MOST, FUNCTIONS, Kind, KINDS, ROW, SHAPES, sizes_up_to
from fit import fit_kind, fit_kinds, MOST_STEPS
from measured import best, measured, SMALL_VECTOR, VECTOR_256, VECTOR_512
from table import report_of, table_of
from times import UNTIMED

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def chosen_at(n, times):
    """The choice for the first kind at a size."""
    return next(at.chosen for at in fit_kind(KINDS[0], times) if at.n == n)


def is_company(case):
    return case.setting in COMPANY


class Cases(unittest.TestCase):
    def test_sizes_are_whole_rows_of_company_and_those_of_users_on_an_h200(self):
        sizes = sizes_up_to(2**31, 132)
        self.assertEqual(min(sizes), 4096)
        self.assertEqual(max(sizes), 4096 * 393216)
        for n, limit in sizes.items():
            self.assertEqual(n % 4096, 0)
            self.assertLessEqual(n, limit * 132)
        for exponent in range(12, 24):
            self.assertIn(2**exponent, sizes)
        self.assertEqual(max(sizes_up_to(COMPANY_MOST, 132)), COMPANY_MOST)
        for multiprocessors in (1, 20, 114, 132, 144, 10000):
            sizes = sizes_up_to(COMPANY_MOST, multiprocessors)
            self.assertEqual(list(sizes), sorted(sizes))
            self.assertEqual(list(sizes.values()), sorted(sizes.values()))
            for n, limit in sizes.items():
                self.assertGreaterEqual(n, 4096)
                self.assertLessEqual(n, limit * multiprocessors)

    def test_company_is_timed_up_to_2_24_elements_and_warm_data_up_to_twice_l2(self):
        kind = Kind("clamp", 4, "one input", ["relu"], ["float"])
        self.assertEqual(len(cases_of(kind, 4096, 60 << 20)), 4)
        self.assertEqual(len(cases_of(kind, COMPANY_MOST, 60 << 20)), 3)
        self.assertEqual(len(cases_of(kind, COMPANY_MOST, 64 << 20)), 4)
        self.assertEqual(len(cases_of(kind, COMPANY_MOST + 4096, 60 << 20)), 1)

    def test_what_the_headers_have_too_is_the_same(self):
        def header(path):
            return (ROOT / path).read_text()

        shapes = re.search(r"shapes\[\] = (.*?);", header("perf/measure/shapes.hpp"), re.DOTALL)[1]
        self.assertEqual(re.findall(r"kernel::(\w+), (\d+)", shapes), [(kernel, str(n)) for kernel, n in SHAPES])
        tuning = header("include/nozzle/detail/tuning/tuning.hpp")
        self.assertEqual(int(re.search(r"int most = (\d+);", tuning)[1]), MOST_STEPS)
        costs = re.search(r"enum class cost\n{(.*?)}", header("include/nozzle/work.hpp"), re.DOTALL)[1]
        self.assertEqual(re.findall(r"^\s*(\w+)", costs, re.MULTILINE), list(FUNCTIONS))
        self.assertEqual(int(re.search(r"row_elements = (\d+);", header("perf/company/chain.hpp"))[1]), ROW)


class Choices(unittest.TestCase):
    def test_company_decides_against_own_chains_that_lose_as_much(self):
        for own in (97, 95):
            times = measured(lambda case: best(VECTOR_256, 95) if is_company(case) else best(VECTOR_512, own))
            self.assertEqual(chosen_at(4096, times), VECTOR_256)
            self.assertEqual(chosen_at(COMPANY_MOST, times), VECTOR_256)

    def test_own_chains_decide_where_company_does_not(self):
        def make(case):
            if is_company(case):
                return best(VECTOR_256, 100)
            return best(VECTOR_256 if case.n > COMPANY_MOST else VECTOR_512, 97)

        times = measured(make, most=2**28)
        self.assertEqual(chosen_at(4096, times), VECTOR_512)
        self.assertEqual(chosen_at(2**28, times), VECTOR_256)

    def test_of_own_chains_the_worst_case_counts_not_the_mean_alone_and_of_company_all_cases_together(self):
        """The mean speaks for one shape, one function's loss for the other."""

        def chosen(own):
            def make(case):
                if is_company(case) == own:
                    return best(VECTOR_256, 100)
                if case.function == "relu":
                    return best(VECTOR_512, 95 if case.setting == "cold" or not own else 100)
                return best(VECTOR_256, 97 if own else 94)

            return chosen_at(4096, measured(make))

        self.assertEqual(chosen(True), VECTOR_512)
        self.assertEqual(chosen(False), VECTOR_256)

    def test_short_calls_are_granted_0_05_us(self):
        times = measured(lambda case: [1.04, 1, 1.04, UNTIMED] if case.n > 4096 else [1.005, 1.005, 1, UNTIMED])
        self.assertEqual(chosen_at(4096, times), VECTOR_256)

        def chosen(us):
            """Where 512 threads are 7% better in own chains, and 256 at all other sizes."""

            def make(case):
                own = [1.2, 1, 1.2] if case.n > 4096 else [1.07, 1.07, 1]
                return [us, us, us, UNTIMED] if is_company(case) else [us * each for each in own] + [UNTIMED]

            return chosen_at(4096, measured(make))

        self.assertEqual(chosen(1), VECTOR_256)
        self.assertEqual(chosen(5), VECTOR_512)

    def test_powers_of_two_are_worth_steps_that_other_sizes_are_not_and_the_largest_size_even_more(self):
        def chosen(n, us):
            return chosen_at(n, measured(lambda case: best(VECTOR_512, us) if case.n == n else best(VECTOR_256, 90)))

        self.assertEqual(chosen(16384, 90), VECTOR_512)
        self.assertEqual(chosen(12288, 90), VECTOR_256)
        self.assertEqual(chosen(16384, 98), VECTOR_256)
        self.assertEqual(chosen(COMPANY_MOST, 98), VECTOR_512)

    def test_a_shape_that_some_case_of_a_size_lacks_is_not_chosen_there(self):
        times = measured(lambda case: best(SMALL_VECTOR, 50))
        times.cases[Case("relu", "e4m3", 8192, "cold")][SMALL_VECTOR] = UNTIMED
        self.assertEqual(chosen_at(4096, times), SMALL_VECTOR)
        self.assertNotEqual(chosen_at(8192, times), SMALL_VECTOR)

    def test_missing_times_are_an_error(self):
        times = measured(lambda case: best(VECTOR_256, 90))
        del times.cases[Case("silu", "float", 8192, "stream")]
        with self.assertRaisesRegex(
                ValueError, "^no times of silu/float/8192, stream: load a file that has them too$"):
            fit_kinds(times)
        times.cases.clear()
        with self.assertRaisesRegex(ValueError, "^no times$"):
            fit_kinds(times)

    def test_a_size_without_a_shape_that_every_case_has_is_an_error(self):
        times = measured(lambda case: [UNTIMED, 1, UNTIMED, UNTIMED] if case.setting == "cold" else
                         [UNTIMED, UNTIMED, 1, UNTIMED])
        with self.assertRaisesRegex(
                ValueError, "^clamp, elements of 1 byte, one input: no shape was timed in every case of a size$"):
            fit_kinds(times)


class Texts(unittest.TestCase):
    def test_a_table_has_its_kinds_steps_a_line_each(self):
        def make(case):
            if is_company(case):
                return best(SMALL_VECTOR if case.n < 32768 else VECTOR_256, 80)
            return best(VECTOR_256 if case.setting == "cold" else VECTOR_512, 98)

        times = measured(make)
        text = table_of(fit_kinds(times), times, "4567def")
        self.assertIn("// On an NVIDIA H200: 132 multiprocessors, 60 MiB of L2, CUDA 13.0.\n", text)
        self.assertIn("commit 4567def to times of commit 0123abc", text)
        self.assertIn('{90,\n "sm_90, measured on an NVIDIA H200",\n {\n', text)
        self.assertIn("  // heavy: elements of 1, 2, 4 and 8 bytes, each with one input and several\n", text)
        steps = "  {{{192, {kernel::small_vector, 512}}, {step::no_limit, {kernel::vector, 256}}}},\n"
        self.assertEqual(text.count(steps), len(KINDS))
        self.assertTrue(text.endswith(" }},\n"))
        self.assertLessEqual(text.count("\n"), 45)

    def test_a_report_has_a_line_for_each_size_with_the_choice_what_is_better_and_what_it_costs(self):
        times = measured(lambda case: best(VECTOR_256, 80) if is_company(case) else best(VECTOR_512, 80))
        text = report_of(fit_kinds(times), times, "4567def")
        self.assertIn("\n## heavy, elements of 8 bytes, several inputs\n\n"
                      "company worst +0.0%, mean +0.0%; own worst +25.0%, mean +25.0%\n", text)
        self.assertIn("\n|4096|v256|||80.00|0.0, 0.0|v512|80.00|100.0|25.0, 25.0|\n", text)


if __name__ == "__main__":
    unittest.main()
