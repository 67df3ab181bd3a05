"""Whichever front end compiled a kernel, and from its CUDA twin, the same bytes come out.

With ``--full`` on every workload.
"""

from __future__ import annotations

import pytest

from kcc.frontend import FrontendName, needs_clang
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from tests.kernels.case import Case, label
from tests.kernels.harness import Array, load
from tests.kernels.test_kernels import CASES
from tests.tracegen import engine

TWINS = [c for c in CASES if load(c.name).source.with_suffix(".cu").exists()]


def is_plain(case: Case) -> bool:
    """Whether the built-in front end reads the twin."""
    source = read_source(str(load(case.name).source.with_suffix(".cu")))
    return not needs_clang(source, BuildOptions(), "auto")


def outputs(case: Case, frontend: FrontendName, suffix: str, level: OptLevel) -> dict[str, Array]:
    """What a launch leaves in its buffers."""
    launch = case.launch()
    unit = engine.compiled(launch.workload.name, level, frontend, suffix)
    found = engine.run_unit(unit, launch)[1]
    return dict(case.settle(launch.arguments, found))


def assert_same(case: Case, frontend: FrontendName, suffix: str, level: OptLevel) -> None:
    wanted = outputs(case, "builtin", ".cl", level)
    found = outputs(case, frontend, suffix, level)
    assert found.keys() == wanted.keys()
    assert not [name for name in wanted if found[name].tobytes() != wanted[name].tobytes()]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CASES[4::16], ids=label)
def test_clang(case: Case):
    assert_same(case, "clang", ".cl", OptLevel.O2)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", TWINS[2::10], ids=label)
def test_cuda_twin(case: Case):
    assert_same(case, "clang", ".cu", OptLevel.O2)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("case", [c for c in TWINS if c.name == "transpose"][:2], ids=label)
def test_cuda_twin_without_clang(case: Case):
    assert_same(case, "builtin", ".cu", OptLevel.O2)


@pytest.mark.full
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_every_kernel_with_clang(case: Case, level: OptLevel):
    assert_same(case, "clang", ".cl", level)


@pytest.mark.full
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize("case", TWINS, ids=label)
def test_every_twin(case: Case, level: OptLevel):
    assert_same(case, "clang", ".cu", level)
    if is_plain(case):
        assert_same(case, "builtin", ".cu", level)
