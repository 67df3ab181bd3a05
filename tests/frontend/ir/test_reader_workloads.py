"""Sources of kernels/ at every level: the reader against LLVM's own object model."""

from __future__ import annotations

import pytest

from kcc.frontend.options import OptLevel
from tests.frontend.ir.llvm_oracle import check_module, printed
from tests.passes.workloads import NAMES, compiled, sampled


@pytest.mark.sampled(5)
@pytest.mark.parametrize("level", list(OptLevel))
@pytest.mark.parametrize("name", sampled(NAMES))
def test_workload(name: str, level: OptLevel):
    unit = compiled(name, level)
    module = check_module(printed(unit.ir))
    assert list(module.functions) == list(unit.module.functions)
    assert module.kernels
