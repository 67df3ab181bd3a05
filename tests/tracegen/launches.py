"""Compiles and runs small sources for tests, and gives what goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import Execution, ExecutionOptions, KernelArgument, NDRange, execute

SIZE = 16
BOTH = NDRange((2 * SIZE,), (SIZE,))
"""Two thread blocks of 16."""


DEFAULTS = ExecutionOptions()


def ints(count: int = SIZE) -> np.ndarray:
    return np.zeros(count, np.int32)


def run(
    source: str,
    arguments: list[KernelArgument],
    launch: NDRange = BOTH,
    options: ExecutionOptions = DEFAULTS,
    level: OptLevel = OptLevel.O2,
    name: str = "bad.cl",
) -> Execution:
    unit = compile_source(SourceText(name, source, "."), BuildOptions(opt_level=level))
    return execute(unit, unit.kernels[0], launch, arguments, options)


def failure(*given: object, **named: object) -> Diagnostic:
    """The one diagnostic of a run that fails."""
    with pytest.raises(DiagnosticError) as caught:
        run(*given, **named)  # type: ignore[arg-type]
    (diagnostic,) = caught.value.diagnostics
    return diagnostic
