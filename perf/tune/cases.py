"""What is timed: the shapes, and kinds of work, with the functions, types and sizes that stand for them."""

import typing

# In the order of perf/measure/shapes.hpp: the simplest of equals is taken.
SHAPES = [("small_vector", 512), ("vector", 256), ("vector", 512), ("multi_vector", 128)]

# Functions of one input and of several, in the order of nozzle::cost.
FUNCTIONS = {
    "clamp": (["hardtanh", "relu"], ["hardtanh_gradient"]),
    "arithmetic": (["hardsigmoid"], ["hardsigmoid_gradient"]),
    "exp": (["sigmoid", "silu", "mish"], ["swiglu"]),
    "heavy": (["gelu"], ["gelu_gradient"]),
}
TYPES = {1: ["e4m3"], 2: ["half", "bf16"], 4: ["float"], 8: ["double"]}  # by bytes

# In company a call stands among foreign kernels, else in a chain of its own kind, its data in memory or where the call
# before left it.
COMPANY = ("graph", "stream")
SETTINGS = COMPANY + ("cold", "warm")

# The elements for each multiprocessor up to which a size speaks for others: powers of two and, where kernels of
# different shapes change places, one between every two; at last what makes 4096 x 393216 on an H200.
LIMITS = [limit for exponent in range(5, 16) for limit in (2**exponent, 3 * 2**(exponent - 1))]
LIMITS += [2**16, 2**17, 2**19, 2**21, 2**23, 3 * 2**22]

ROW = 4096  # elements of a row in company (perf/company/chain.hpp)
COMPANY_MOST = 2**24
MOST = 2**31


class Kind(typing.NamedTuple):
    """A row of the table."""

    cost: str
    element_bytes: int
    inputs: str
    functions: list
    types: list

    def __str__(self):
        unit = "byte" if self.element_bytes == 1 else "bytes"
        return f"{self.cost}, elements of {self.element_bytes} {unit}, {self.inputs}"


class Case(typing.NamedTuple):
    function: str
    type: str
    n: int
    setting: str

    def __str__(self):
        return f"{self.function}/{self.type}/{self.n}, {self.setting}"


KINDS = [
    Kind(cost, element_bytes, inputs, functions, types)
    for cost, of_inputs in FUNCTIONS.items()
    for element_bytes, types in TYPES.items()
    for inputs, functions in zip(("one input", "several inputs"), of_inputs)
]


def size_for(limit, multiprocessors):
    """As users' sizes it has few binary digits, and does not fill the last warp of every multiprocessor. 0 if no row
    fits."""
    full = limit * multiprocessors
    n = full // 32 * 31
    last_digit = ROW
    while n // last_digit >= 64:
        last_digit *= 2
    rounded = (n + last_digit - 1) // last_digit * last_digit
    return rounded if rounded <= full else rounded - last_digit


def sizes_up_to(most, multiprocessors):
    """Their limits by size: whole rows of company, each about 1.5 times the one before."""
    sizes = {}
    for limit in LIMITS:
        n = size_for(limit, multiprocessors)
        if 0 < n <= most:
            sizes.setdefault(n, limit)
    return sizes


def settings_of(kind, n, l2_bytes):
    """Those in which the kind's functions are timed at this size."""
    bytes_per_element = kind.element_bytes * (2 if kind.inputs == "one input" else 3)
    settings = ["cold"]
    if n * bytes_per_element <= 2 * l2_bytes:
        settings.append("warm")
    if n <= COMPANY_MOST:
        settings.extend(COMPANY)
    return settings


def cases_of(kind, n, l2_bytes):
    return [
        Case(function, element_type, n, setting)
        for function in kind.functions
        for element_type in kind.types
        for setting in settings_of(kind, n, l2_bytes)
    ]
