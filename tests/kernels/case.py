"""One kernel, its arguments and what must be in its buffers afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tests.kernels import pocl
from tests.kernels.harness import Array, Image, Launch, launch_of

Expected = Callable[[Mapping[str, Any]], Mapping[str, Array]]
Runner = Callable[[Launch], dict[str, Array]]
Inputs = Callable[[Mapping[str, Any], np.random.Generator], Mapping[str, Any]]


def no_inputs(_args: Mapping[str, Any], _rng: np.random.Generator) -> Mapping[str, Any]:
    """Everything stays as kernel.toml says."""
    return {}


def as_found(_args: Mapping[str, Any], after: Mapping[str, Array]) -> Mapping[str, Array]:
    """The order of everything is settled."""
    return after


Settle = Callable[[Mapping[str, Any], Mapping[str, Array]], Mapping[str, Array]]


@dataclass(frozen=True, slots=True)
class Case:
    """A launch of kernel.toml, at its tiny size, checked against a reference.

    `inputs` replaces arguments, `expected` maps the arguments before to the buffers after. A buffer
    that `expected` does not name must not change. `settle` brings what a kernel leaves open, the
    order within a bin say, into the order of the reference.
    """

    name: str
    kernel: str
    expected: Expected
    inputs: Inputs = no_inputs
    names: Mapping[str, float] = field(default_factory=dict[str, float])
    global_size: tuple[int, ...] | None = None
    rtol: float = 1e-5
    atol: float = 1e-6
    settle: Settle = as_found
    levels: int = 0  # by how much integers may differ: rounding of 8-bit channels

    def launch(self) -> Launch:
        """The launch to run."""
        launch = launch_of(self.name, self.kernel, names=self.names)
        rng = np.random.default_rng(7)
        if self.global_size is not None:
            launch = replace(launch, global_size=self.global_size)
        return launch.given(**self.inputs(launch.arguments, rng))

    def check(self, run: Runner = pocl.run) -> None:
        """Runs the kernel, on PoCL by default, and compares every buffer."""
        launch = self.launch()
        after = self.settle(launch.arguments, run(launch))
        expected = self.expected(launch.arguments)
        assert set(expected) <= set(after)
        for name, found in after.items():
            before = launch.arguments[name]
            if isinstance(before, Image):
                before = before.pixels
            if name in expected:
                self._compare(name, found, expected[name])
            else:
                np.testing.assert_array_equal(found, before, f"{name} must not change")

    def _compare(self, name: str, found: Array, wanted: Array) -> None:
        assert found.shape == wanted.shape, name
        if np.issubdtype(found.dtype, np.integer):
            apart = np.abs(found.astype(np.int64) - wanted.astype(np.int64))
            assert apart.max() <= self.levels, name
        else:
            np.testing.assert_allclose(found, wanted, self.rtol, self.atol, err_msg=name)


def label(case: Case) -> str:
    """The case's name among the test ids."""
    return f"{case.name}-{case.kernel}"
