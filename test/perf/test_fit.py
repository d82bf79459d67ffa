import math
import unittest

from fit import choose


class Choose(unittest.TestCase):
    def test_the_cheapest_candidate_at_each_size_where_a_change_costs_nothing(self):
        self.assertEqual(choose([[1, 2, 3], [3, 1, 2], [2, 3, 1], [0, 1, 1]], 0, 3), [0, 1, 2, 0])

    def test_no_change_that_saves_less_than_it_costs(self):
        sizes = [[0, 1], [0, 1], [0.4, 0], [0, 1], [0, 1]]
        self.assertEqual(choose(sizes, 0.1, 4), [0, 0, 1, 0, 0])
        self.assertEqual(choose(sizes, 0.3, 4), [0, 0, 0, 0, 0])

    def test_no_more_changes_than_are_allowed(self):
        sizes = [[0, 5], [5, 0], [0, 1], [5, 0]]
        self.assertEqual(choose(sizes, 0, 3), [0, 1, 0, 1])
        self.assertEqual(choose(sizes, 0, 1), [0, 1, 1, 1])
        self.assertEqual(choose(sizes, 0, 0), [1, 1, 1, 1])

    def test_a_candidate_that_cannot_be_taken_is_not(self):
        self.assertEqual(choose([[0, 9], [math.inf, 9], [math.inf, 9]], 100, 2), [1, 1, 1])
        self.assertEqual(choose([[0, 9]], 1, 4), [0])

    def test_nothing_where_no_candidate_can_be_taken_or_not_with_so_few_changes(self):
        self.assertEqual(choose([[0, 9], [math.inf, math.inf]], 0, 1), [])
        self.assertEqual(choose([[0, math.inf], [math.inf, 0]], 0, 0), [])
        self.assertEqual(choose([[0, math.inf], [math.inf, 0]], 0, 1), [0, 1])

    def test_the_first_of_equals(self):
        self.assertEqual(choose([[1, 1, 1], [1, 1, 1]], 0, 1), [0, 0])
        self.assertEqual(choose([[0, 0, 9], [9, 9, 0]], 0, 1), [0, 2])
        self.assertEqual(choose([[0, 0], [0, 9], [9, 0]], 0, 1), [0, 0, 1])


if __name__ == "__main__":
    unittest.main()
