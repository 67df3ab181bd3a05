"""How many classes of warps launches fall into, and that these say what a run does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kcc.base.trace.coordinates import Coordinates
from kcc.base.trace.launches import STATIC, TraceHeader
from kcc.base.trace.writer import TraceWriter
from kcc.tracegen.execute import KernelArgument, NDRange
from kcc.tracegen.static.classes import find_classes
from kcc.tracegen.static.geometry import digit_boxes, geometry_of
from kcc.tracegen.static.launch import BufferSize, StaticLaunch
from kcc.tracegen.static.program import prepare_static
from kcc.tracegen.static.write import write_classes
from tests.kcc.base.trace.test_format import compare
from tests.tracegen.static.comparing import both, difference
from tests.tracegen.static.test_rules import unit_of

BODIES = {
    "a row and a column": "a[i / 4096] = 1; a[i % 4096] = 2;",
    "columns that do not fit thread blocks": "a[i / 4000] = 1; a[i % 4000] = 2;",
    "three sides": "a[i % 64] = 1; a[i / 64 % 48] = 2; a[i / 3072] = 3;",
    "a bit in the middle": "if (i & 8192) a[i & 0x3f00] = i;",
    "a partner": "a[i ^ 8192] = i & 8192;",
    "the start of a partner": "a[(i - i % 4096) ^ 4096] = 1;",
    "bits that are counted down": "a[i ^ 0x3f00] = 1;",
    "bits that are set": "a[i | 8192] = 1; a[~8192 & i] = 2;",
    "lanes that grow differently": "a[i % 32 < 16 ? i : 7 * i] = 1;",
    "the row's border": "if (i % 4096 == 0 || i % 4096 == 4095) a[i] = 1; else a[i - 1] = 2;",
}
"""Kernels with as many classes for 2^24 work-items as for 2^20."""


def kernel(body: str) -> str:
    return f"kernel void k(global int *a) {{ int i = get_global_id(0); {body} }}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_classes_do_not_grow_with_the_launch(body: str):
    unit = unit_of(kernel(body))
    counts = list[int]()
    for power in (20, 24):
        launch = StaticLaunch(NDRange((1 << power,), (256,)), [BufferSize(4 << 27)])
        found = find_classes(prepare_static(unit, unit.kernels[0], launch))
        counts.append(len(found))
        assert sum(each.found.warps for each in found) == 1 << power - 5
    assert counts[0] == counts[1] <= 200


@pytest.mark.sampled(5)
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_classes_say_what_a_run_does(body: str):
    """With numbers that make digits of 60 thread blocks."""
    for large, small in (("4096", "64"), ("4095", "63"), ("4000", "40"), ("3072", "192"),
                         ("8192", "128"), ("0x3f00", "0x70")):  # fmt: skip
        body = body.replace(large, small)
    unit = unit_of(kernel(body))
    arguments: list[KernelArgument] = [np.zeros(8192, np.int32)]
    static, traced = both(unit, unit.kernels[0], NDRange((960,), (16,)), arguments)
    assert difference(static, traced) is None


def test_the_file_is_as_its_page_says(tmp_path: Path):
    """Digits and shifts by lane, read by a reader that was written from docs/reference/trace.md."""
    text = kernel("a[i / 64 + (i % 32 < 16 ? i : 7 * i)] = i; a[i % 64] = 1;")
    unit = unit_of(text)
    launch = StaticLaunch(NDRange((960,), (16,)), [BufferSize(1 << 20)])
    program = prepare_static(unit, unit.kernels[0], launch)
    assert any(program.geometry.places.radices)
    classes = find_classes(program)
    with TraceWriter(tmp_path / "x.kct", TraceHeader("0", STATIC, "k.cl")) as writer:
        write_classes(writer, program, launch, 0, classes)
    compare(tmp_path / "x.kct")
    unit = unit_of(kernel("a[i % 32 < 16 ? i : 7 * i] = 1;"))
    launch = StaticLaunch(NDRange((960,), (32,)), [BufferSize(1 << 20)])
    program = prepare_static(unit, unit.kernels[0], launch)
    classes = find_classes(program)
    assert any(each.found.shifts.ndim == 3 for each in classes)
    with TraceWriter(tmp_path / "y.kct", TraceHeader("0", STATIC, "k.cl")) as writer:
        write_classes(writer, program, launch, 0, classes)
    compare(tmp_path / "y.kct")


@pytest.mark.parametrize(
    "local",
    [
        (64, 1, 1), (40, 1, 1), (8, 4, 1), (64, 4, 1), (32, 4, 1), (16, 16, 1), (10, 5, 1),
        (24, 6, 1), (48, 3, 1), (4, 4, 4), (64, 2, 2), (32, 2, 2), (8, 8, 2), (12, 4, 3),
        (4, 4, 1), (2, 2, 16), (5, 3, 7),
    ],
)  # fmt: skip
def test_ids_grow_as_they_are_said_to(local: tuple[int, int, int]):
    """For all warps of a thread block and each digit but an uneven one."""
    shape = NDRange(tuple(2 * size for size in local), local)
    geometry = geometry_of(shape, 32)
    for group in geometry.groups():
        for box in group:
            start, _ = geometry.lanes(box.low)
            for place in range(geometry.count):
                if box.high[place] == box.low[place]:
                    continue
                at = (*box.low[:place], box.low[place] + 1, *box.low[place + 1 :])
                ids, exists = geometry.lanes(at)
                for key, growth in geometry.growth.items():
                    apart = np.broadcast_to(ids[key] - start[key], exists.shape)
                    assert (apart[exists] == growth[place]).all(), (local, key, place)


@pytest.mark.parametrize("size", [0, 1, 6, 7, 24, 25, 71, 72, 73, 100])
@pytest.mark.parametrize("radices", [(), (6,), (2, 3), (4, 6), (3, 2, 5)])
def test_boxes_in_digits_hold_every_number_once(size: int, radices: tuple[int, ...]):
    places = Coordinates((max(size, 1), 1, 1, 1), (radices, (), (), ()))
    found = list[tuple[int, ...]]()
    for box in digit_boxes(size, places.weights[0]):
        inside = [()]
        for low, high in box:
            inside = [(*each, digit) for each in inside for digit in range(low, high + 1)]
        found += inside
    assert sorted(found) == sorted(places.of((n, 0, 0, 0))[: len(radices) + 1] for n in range(size))
    assert all(places.numbers((*each, 0, 0, 0))[0] < size for each in found)
