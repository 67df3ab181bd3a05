"""What built-in functions cost a warp, by unit: the bodies of NVIDIA's library, executed.

Made by ``python -m benchmarks.function_costs``: NVRTC 12.9 (libdevice's code), run on arguments on
each function's usual path. AMD's library is taken to be as long.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.sim.machine.costs import Unit


@dataclass(frozen=True, slots=True)
class FunctionCost:
    """Warp instructions by unit, and how many latencies of the main unit (the first of fp64 and fma
    that has any) the result is there after."""

    fma: float
    alu: float
    sfu: float
    fp64: float
    control: float
    steps: float

    @property
    def main(self) -> Unit:
        """The unit that computes."""
        return Unit.FP64 if self.fp64 else Unit.FMA

    @property
    def slots(self) -> dict[Unit, float]:
        """Warp instructions of each unit that has any, the main one last."""
        found = {
            Unit.CONTROL: self.control, Unit.ALU: self.alu, Unit.SFU: self.sfu,
            Unit.FMA: self.fma, Unit.FP64: self.fp64,
        }  # fmt: skip
        found[self.main] = found.pop(self.main)
        return {unit: count for unit, count in found.items() if count}


SINGLE: dict[str, FunctionCost] = {
    # One instruction of the special functions and what scales its argument (ptxas 12.9, sm_86).
    "native_sin": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_cos": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_tan": FunctionCost(2, 0, 3, 0, 0, 11),
    "native_exp": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_exp10": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_log": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_log10": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_powr": FunctionCost(1, 0, 2, 0, 0, 10),
    "native_divide": FunctionCost(1, 0, 1, 0, 0, 5.5),
    "native_sqrt": FunctionCost(1, 0, 1, 0, 0, 5.5),
    # The same, and numbers below the normal ones: a test and two products.
    "exp2": FunctionCost(2, 1, 1, 0, 0, 6.5),
    "rsqrt": FunctionCost(2, 1, 1, 0, 0, 6.5),
    # One instruction of PTX (ptxas 12.9): MUFU.RSQ, Newton steps, the test of its range.
    "sqrt": FunctionCost(3, 3, 1, 0, 3, 10),
    "round": FunctionCost(2, 1, 1, 0, 0, 6.5),
    # Made by benchmarks.function_costs.
    "sin": FunctionCost(12, 10, 3, 0, 1, 25.5),
    "cos": FunctionCost(12, 11, 3, 0, 1, 25.5),
    "tan": FunctionCost(15, 6, 4, 0, 1, 32),
    "exp": FunctionCost(7, 4, 1, 0, 0, 15.5),
    "exp10": FunctionCost(7, 4, 1, 0, 0, 15.5),
    "expm1": FunctionCost(13, 10, 2, 0, 0, 21.5),
    "log": FunctionCost(14, 11, 1, 0, 0, 19),
    "log2": FunctionCost(16, 11, 1, 0, 0, 21),
    "log10": FunctionCost(15, 11, 1, 0, 0, 20),
    "log1p": FunctionCost(15, 13, 1, 0, 0, 20),
    "tanh": FunctionCost(8, 7, 2, 0, 0, 16),
    "erf": FunctionCost(10, 11, 0, 0, 1, 10),
    "erfc": FunctionCost(33, 11, 4, 0, 0, 30.5),
    "atan": FunctionCost(10, 8, 1, 0, 0, 21.5),
    "asin": FunctionCost(13, 11, 1, 0, 0, 25.5),
    "acos": FunctionCost(14, 11, 1, 0, 0, 28.5),
    "sinh": FunctionCost(10, 8, 3, 0, 2, 26.5),
    "cosh": FunctionCost(9, 6, 3, 0, 0, 24.5),
    "cbrt": FunctionCost(5, 3, 3, 0, 0, 21.5),
    "lgamma": FunctionCost(37, 14, 1, 0, 6, 29),
    "tgamma": FunctionCost(12, 8, 2, 0, 2, 20),
    "asinh": FunctionCost(29, 15, 3, 0, 2, 44),
    "acosh": FunctionCost(21, 11, 2, 0, 2, 29.5),
    "atanh": FunctionCost(21, 16, 2, 0, 0, 32.5),
    "sinpi": FunctionCost(12, 8, 3, 0, 2, 17.5),
    "cospi": FunctionCost(13, 9, 2, 0, 2, 19.5),
    "rcbrt": FunctionCost(6, 4, 3, 0, 0, 18),
    "pow": FunctionCost(48, 25, 5, 0, 6, 38),
    "atan2": FunctionCost(34, 14, 0, 0, 3, 31),
    "fmod": FunctionCost(6, 7, 2, 0, 4, 13),
    "hypot": FunctionCost(9, 11, 1, 0, 6, 14.5),
    "remainder": FunctionCost(9, 12, 3, 0, 7, 15),
}
"""In single precision."""

DOUBLE: dict[str, FunctionCost] = {
    # One instruction of PTX each (ptxas 12.9): MUFU, DFMA, the test of the range.
    "sqrt": FunctionCost(3, 3, 1, 8, 3, 12),
    "rsqrt": FunctionCost(3, 2, 1, 5, 3, 9),
    "divide": FunctionCost(4, 2, 1, 8, 3, 12),
    # Made by benchmarks.function_costs.
    "sin": FunctionCost(0, 17, 3, 16, 2, 22.5),
    "cos": FunctionCost(0, 18, 3, 16, 2, 22.5),
    "tan": FunctionCost(0, 7, 3, 46, 4, 48.5),
    "exp": FunctionCost(1, 3, 0, 15, 1, 15.5),
    "exp10": FunctionCost(1, 3, 0, 17, 1, 17.5),
    "expm1": FunctionCost(0, 14, 0, 19, 2, 19.5),
    "log": FunctionCost(0, 13, 0, 43, 3, 33.5),
    "log2": FunctionCost(0, 13, 0, 45, 3, 35.5),
    "log10": FunctionCost(0, 13, 0, 45, 3, 35.5),
    "log1p": FunctionCost(0, 16, 0, 71, 5, 34.5),
    "tanh": FunctionCost(1, 6, 5, 49, 3, 43.5),
    "erf": FunctionCost(5, 3, 2, 45, 0, 50),
    "erfc": FunctionCost(0, 14, 0, 91, 2, 51.5),
    "atan": FunctionCost(0, 5, 0, 23, 1, 24),
    "asin": FunctionCost(1, 8, 1, 44, 3, 18.5),
    "acos": FunctionCost(0, 10, 1, 45, 6, 20),
    "sinh": FunctionCost(0, 12, 0, 34, 2, 35),
    "cosh": FunctionCost(0, 5, 0, 33, 2, 33),
    "cbrt": FunctionCost(3, 14, 7, 22, 3, 41.5),
    "lgamma": FunctionCost(0, 18, 0, 83, 9, 24),
    "tgamma": FunctionCost(0, 14, 0, 36, 3, 34.5),
    "asinh": FunctionCost(0, 21, 1, 96, 6, 52),
    "acosh": FunctionCost(0, 20, 1, 78.1, 6.8, 49.5),
    "atanh": FunctionCost(0, 18, 0, 87, 5, 50),
    "sinpi": FunctionCost(5, 15, 0, 21, 0, 17.5),
    "cospi": FunctionCost(5, 19, 0, 19, 0, 18.5),
    "rcbrt": FunctionCost(3, 13, 7, 14, 3, 30),
    "pow": FunctionCost(1, 53, 1, 100, 4, 78.5),
    "atan2": FunctionCost(0, 14, 0, 40, 3, 39),
    "fmod": FunctionCost(0, 129, 0, 3, 18, 25.5),
    "hypot": FunctionCost(11, 22, 1, 18, 3, 17.5),
    "remainder": FunctionCost(0, 137, 0, 5, 21, 27.5),
}
"""In double precision."""


def function_cost(name: str, *, is_double: bool) -> FunctionCost | None:
    """Of a function by its OpenCL name; None where its class says what it costs."""
    return (DOUBLE if is_double else SINGLE).get(name)
