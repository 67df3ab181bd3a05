"""Addresses that data of the kernel's own make: the miniature computes what the original does for
them, and draws one for all accesses that differ by a constant."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.stages.synth import Settled, Study, behaviours, settle, study_script
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
