"""Addresses that data of the kernel's own make: the miniature computes what the original does for
them, and draws one for all accesses that differ by a constant."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kcc.base.profile.model import AccessCount
from kcc.stages.synth import Settled, Study, behaviours, settle, study_script
from kcc.synth.assembly.control import hot_part
from kcc.synth.assembly.model import ParameterKind, ScalarValue
from kcc.synth.reduction.reductions import largest_factors
from tests.synth import making
from tests.synth.making import settings

PROGRAMS = Path(__file__).parents[2] / "benchmarks" / "programs"


def made(program: str, kernel: str) -> tuple[Study, Settled]:
    path = str(PROGRAMS / program / "workload.py")
    study = study_script(path, Study((kernel,)), settings(), size="tiny")
    return study, settle(study, largest_factors(study.kernels, study.launches, 1), settings())


def test_accesses_a_constant_apart_share_a_draw():
    study, settled = made("particles", "deposit")
    lines = settled.source.lines
    assert len([line for line in lines if "1664525u" in line]) == 1
    assert len([line for line in lines if "atomic_add" in line]) == 4
    one, two = behaviours(study, settled)
    more = two.warp_instructions - one.warp_instructions
    assert more == 12 * 32  # of 32 warps: where a draw starts, and one among 896 elements
    assert two.sectors == pytest.approx(one.sectors, rel=0.05)  # of draws by each lane it was 1.6


def test_half_of_the_draws_go_where_lines_are_met_again_soon():
    """By hand: of 512 lines that are all alike 255.5 lie between two touches of one in the mean,
    which a histogram by powers of two tells as 170.8; half of that is a part of 1/64."""

    def part(reuse: dict[int, int]) -> int:
        count = AccessCount(0, 100, 100, 3200, {32: 100}, {32: 100}, {}, {}, reuse, 512)
        launch = replace(making.studied("vecadd").launches[0].profile, accesses=(count,))
        return hot_part(launch, 0, 4, [512 * 32])

    alike = {1 << k: 1 << k for k in range(9)}
    assert part({k: 100 * n for k, n in alike.items()}) == 0
    assert part({k // 2: 100 * n for k, n in alike.items()}) == 6
    assert part(alike) == 0  # too few touches to tell


def test_loads_promise_what_the_original_promises():
    """Two floats of a float2 are one load: as loads of four bytes they were two."""
    _, settled = made("particles", "deposit")
    loads = [line for line in settled.source.lines if "->v;" in line]
    assert len(loads) == 1
    assert any("aligned(8)" in line for line in settled.source.lines)


def test_draws_of_neighbours_are_independent():
    """First draws of neighbours were 0.02 apart: lanes of mandelbrot left its loop together."""
    one, two = behaviours(making.studied("mandelbrot"), making.made("mandelbrot"))
    assert two.lanes == pytest.approx(one.lanes, abs=0.1)  # by draws alike it was 0.15


def test_addresses_are_drawn_among_as_many_elements_as_each_launch_has():
    """Each level of the solve reads what all before it found: of the 8 KB of the first, every
    launch had drawn, and hit L1 in 95 % where the original does in 81."""
    study, settled = made("levels", "solve")
    kernel = settled.miniature.kernels[0]
    places = [p.number for p in kernel.parameters if p.kind is ParameterKind.SPAN]
    assert any("r1 >>" in line and f"a{places[0]}" in line for line in settled.source.lines)
    for place in places:
        told = [x.values[place] for x in settled.miniature.launches]
        counts = [int(str(each.value)) for each in told if isinstance(each, ScalarValue)]
        assert len(counts) == len(study.launches) > 1
        assert counts == sorted(counts)
        assert counts[-1] > 2 * counts[1] > 2


def test_what_makes_an_address_is_computed():
    """Of the loop of comparisons only the sum goes into the address: without it the loop would do
    nothing, and half of the instructions were gone."""
    study, settled = made("radix", "scatter")
    one, two = behaviours(study, settled)
    assert two.warp_instructions == pytest.approx(one.warp_instructions, rel=0.12)
    assert any("==" in line for line in settled.source.lines)
