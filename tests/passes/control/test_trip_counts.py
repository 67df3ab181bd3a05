"""Trip counts: one case per form, then kernels and random programs against their execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend.options import OptLevel
from kcc.passes.control.trip_counts import TripCounts, TripKind, TripStage
from kcc.passes.symbolic.ranges import Known
from kcc.passes.table import Setting, analyse
from kcc.tracegen.execute import NDRange
from tests.frontend.clang.sources import cuda
from tests.kernels.case import Case, label
from tests.kernels.test_kernels import CASES
from tests.passes.compiled_loops import launch, trips, unit_of
from tests.passes.counting import Comparison, compared, executed_run
from tests.passes.launch_variants import runs
from tests.passes.loop_programs import write_loops
from tests.tracegen import engine

SAMPLE = 6
MANY = 3000
BATCH = 25
STRIDE = 9

ONE = "a[get_global_id(0)] += 1;"

SYMBOLIC = [
    ("for (int i = 0; i < 10; i++)", TripKind.EXACT, TripStage.CONSTANT, "10"),
    ("for (int i = 3; i <= 17; i += 4)", TripKind.EXACT, TripStage.CONSTANT, "4"),
    ("for (int i = 0; i < n; i++)", TripKind.SYMBOLIC, TripStage.EVOLUTION, "max(n, 0)"),
    ("for (int i = n; i > 0; i -= 2)", TripKind.SYMBOLIC, TripStage.EVOLUTION, "(n + 1, 0) / 2"),
    ("for (uint i = 0; i < m; i++)", TripKind.SYMBOLIC, TripStage.EVOLUTION, "m"),
    ("for (int i = 5; i != n; i++)", TripKind.SYMBOLIC, TripStage.EVOLUTION, "n - 5"),
    ("for (uint i = 1; i < 1000u; i *= 2)", TripKind.EXACT, TripStage.SEARCH, "1 << k0 >= 1000"),
    ("for (uint i = m; i != 0; i >>= 1)", TripKind.SYMBOLIC, TripStage.SEARCH, "m >> k0"),
    ("for (uchar i = 250; i != 4; i++)", TripKind.EXACT, TripStage.CONSTANT, "10"),
    ("for (int i = get_local_id(0); i < n; i += get_local_size(0))", TripKind.SYMBOLIC,
     TripStage.EVOLUTION, "ceil((n - get_local_id(0)) / get_local_size(0))"),
    ("for (float y = f; y < 9.0f; y *= 2.0f)", TripKind.UNKNOWN, TripStage.NONE, ""),
    ("for (int i = 0; i < a[3]; i++)", TripKind.UNKNOWN, TripStage.NONE, "a[3]"),
]  # fmt: skip


@pytest.mark.parametrize(("head", "kind", "stage", "text"), SYMBOLIC, ids=[s[0] for s in SYMBOLIC])
def test_without_a_launch(head: str, kind: TripKind, stage: TripStage, text: str):
    (trip,) = trips(f"{head} {{ {ONE} }}")
    assert (trip.kind, trip.stage) == (kind, stage)
    assert text in trip.text


def test_a_loop_with_two_conditions_has_a_closed_form():
    """At -O2 they are one branch on both; the first that fails ends the loop."""
    head = "for (int i = 0, j = n; i < 100 && j < (int)m; i += 2, j += 3)"
    (trip,) = trips(f"{head} {{ {ONE} }}", level=OptLevel.O2)
    assert (trip.kind, trip.stage) == (TripKind.SYMBOLIC, TripStage.EVOLUTION)
    assert "min(" in trip.text
    (known,) = trips(f"{head} {{ {ONE} }}", launch(n=5, m=61), OptLevel.O2)
    assert (known.kind, known.least, known.greatest) == (TripKind.EXACT, 19, 19)


ALONG = "int i = get_local_id(0), s = 0; __global int *p = a + i, *end = a + n;\n"


@pytest.mark.parametrize("condition", ["p < end", "p <= end - 1", "end - p > 0"])
def test_pointers_that_go_along_an_array(condition: str):
    """Where the array begins says nothing of how far they are apart."""
    body = f"{ALONG} for (; {condition}; p += 2) s += *p; a[i + n] = s;"
    (trip,) = trips(body.replace("a + n", "a + (n + i % 2)"), launch(n=100))
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.EXACT, 35, 50)


def test_elements_before_an_aligned_address():
    """Arrays begin at aligned addresses: 0 to 3 bytes, then words, then what is left of 103."""
    body = """__kernel void k(__global const uchar *in, __global int *o, int n) {
      int t = get_global_id(0), s = 0;
      __global const uchar *p = in + t * n, *end = p + n;
      while (p < end && ((size_t)p & 3)) s += *p++;
      for (; end - p >= 4; p += 4) s += *(__global const int *)p;
      while (p < end) s += *p++;
      o[t] = s;
    }"""
    found = trips(body, Known((64,), (32,), {2: 103}), OptLevel.O2)
    before = [-t * 103 % 4 for t in range(64)]
    rest = [(103 - n) % 4 for n in before]
    assert [t.kind for t in found] == [TripKind.EXACT] * 3
    means = [np.mean(before), np.mean([(103 - n) // 4 for n in before]), np.mean(rest)]
    assert [t.total_mean for t in found] == pytest.approx(means)


def test_variables_in_memory_at_o0():
    """The text's third stage: the variable of the exit is a load."""
    (trip,) = trips(f"for (int i = 0; i < n; i++) {{ {ONE} }}", level=OptLevel.O0)
    assert trip.kind is TripKind.SYMBOLIC
    assert "n" in trip.text


def test_reason_names_the_load_and_its_line():
    (trip,) = trips(f"\nfor (int i = 0; i < a[n]; i++) {{ {ONE} }}", launch())
    assert trip.reason == "depends on a[n], read in line 3" or "a[100]" in trip.reason
    assert "line 3" in trip.reason


def test_float_loops_need_the_launch():
    body = f"for (float y = f; y < 9.0f; y *= 2.0f) {{ {ONE} }}"
    (trip,) = trips(body)
    assert "floating-point" in trip.reason
    (trip,) = trips(body, launch(f=1.5))
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.EXACT, 3, 3)


@pytest.mark.slow
def test_a_hailstone_sequence_is_simulated_for_every_work_item():
    body = f"""uint v = get_global_id(0) + 1;
      while (v != 1) {{ v = v & 1 ? 3 * v + 1 : v >> 1; {ONE} }}"""
    (trip,) = trips(body, launch(items=64))
    steps = [_hailstone(v) for v in range(1, 65)]
    assert trip.kind is TripKind.EXACT
    assert trip.stage is TripStage.SIMULATION
    assert (trip.least, trip.greatest) == (min(steps), max(steps))
    assert trip.total_mean == pytest.approx(np.mean(steps))


def _hailstone(value: int) -> int:
    steps = 0
    while value != 1:
        value, steps = (3 * value + 1 if value & 1 else value // 2), steps + 1
    return steps


def test_triangular_nest():
    body = f"for (int i = 0; i < n; i++) for (int j = i; j < n; j++) {{ {ONE} }}"
    outer, inner = trips(body, launch(n=10))
    assert (outer.least, outer.greatest, outer.every_total) == (10, 10, 10)
    assert (inner.least, inner.greatest, inner.every_total) == (1, 10, 55)
    _, inner = trips(body)
    assert inner.kind is TripKind.SYMBOLIC
    assert "i" in inner.text


def test_an_exit_on_data_leaves_a_bound():
    body = f"for (int i = 0; i < n; i++) {{ if (a[i] == 7) break; {ONE} }}"
    (trip,) = trips(body, launch(n=30))
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.BOUND, 0, 30)
    assert "a[i], read in line 2" in trip.reason


def test_several_exits_that_can_be_decided():
    body = f"for (int i = 0; i < n; i++) {{ if (i * i > 50) break; {ONE} }}"
    (trip,) = trips(body, launch(n=30))
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.EXACT, 9, 9)


def test_a_loop_after_data_is_exact_per_entry():
    body = f"if (a[0]) for (int i = 0; i < n; i++) {{ {ONE} }}"
    (trip,) = trips(body, launch(n=30))
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.EXACT, 30, 30)
    assert (trip.total_least, trip.total_greatest) == (0, 30)
    assert "a[0]" in trip.reason


def test_large_loops_and_launches_cost_nothing():
    body = f"for (long i = get_global_id(0); i < 1000000000000L; i += 3) {{ {ONE} }}"
    (trip,) = trips(body, Known((2**30,), (256,), {2: 1, 3: 1, 4: 0.0}))
    assert trip.kind is TripKind.EXACT
    assert "sample" in trip.reason
    assert trip.greatest == -(-(10**12) // 3)
    assert trip.least == -(-(10**12 - 2**30 + 1) // 3)


def test_what_a_sample_cannot_show_is_a_bound():
    body = f"for (int i = 0; i < ((int)get_global_id(0) == 77777); i++) {{ {ONE} }}"
    (trip,) = trips(body, Known((2**22,), (256,), {2: 1, 3: 1, 4: 0.0}))
    assert (trip.kind, trip.least) == (TripKind.BOUND, 0)
    assert trip.greatest is None or trip.greatest >= 1
    assert "too large" in trip.reason


def test_a_number_of_each_entry_is_no_sample_s():
    body = f"if ((int)get_global_id(0) == 77777) for (int i = 0; i < n; i++) {{ {ONE} }}"
    (trip,) = trips(body, Known((2**22,), (256,), {2: 3, 3: 1, 4: 0.0}))
    assert (trip.kind, trip.greatest) == (TripKind.BOUND, 3)


def test_assumed():
    body = f"for (int i = 0; i < a[0]; i++) {{ {ONE} }}\nfor (int i = 0; i < 4; i++) {{ {ONE} }}"
    first, second = trips(body, launch(), assumed_trips={2: 8, 3: 9})
    assert (first.kind, first.least, first.every_total) == (TripKind.ASSUMED, 8, 8)
    assert (second.kind, second.least) == (TripKind.EXACT, 4)


def test_constant_tables_are_known():
    source = f"""__constant int lens[4] = {{3, 1, 4, 1}};
      __kernel void k(__global int *a, __global const float *x, int n, uint m, float f) {{
        for (int i = 0; i < lens[get_local_id(0) & 3]; i++) {{ {ONE} }} }}"""
    (trip,) = trips(source, launch())
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.EXACT, 1, 4)


FROM_DATA = [
    ("for (int i = b; i < b + 96; i++)", 96, 96),
    ("for (int i = b + 3; i <= b + n; i += 4)", 25, 25),
    ("for (int i = b + (int)get_local_id(0); i < b + 96; i += 32)", 3, 3),
    ("for (int i = b + (int)get_local_id(0); i < b + 80; i += 32)", 2, 3),
    ("for (int i = b + 40; i > b; i -= 3)", 14, 14),
    ("for (int i = b + 5; i < b; i++)", 0, 0),
]


@pytest.mark.parametrize(("head", "least", "greatest"), FROM_DATA, ids=[f[0] for f in FROM_DATA])
def test_both_ends_count_from_one_number_in_memory(head: str, least: int, greatest: int):
    (trip,) = trips(f"int b = a[n]; {head} {{ {ONE} }}", launch())
    assert (trip.kind, trip.least, trip.greatest) == (TripKind.EXACT, least, greatest)


def test_two_numbers_in_memory_are_not_one():
    (trip,) = trips(f"int b = a[n], c = a[n + 1]; for (int i = b; i < c + 9; i++) {{ {ONE} }}")
    assert trip.kind is TripKind.UNKNOWN


@pytest.mark.parametrize(
    "table", ["__constant__ int lens[2];", "__constant__ int lens[2] = {5, 5};"]
)
def test_what_a_host_may_fill_is_not_zero(table: str):
    """`cudaMemcpyToSymbol` writes what the source has no values for."""
    unit = cuda(
        f"{table} __global__ void k(int *a) {{ for (int i = 0; i < lens[1]; i++) a[i]++; }}"
    )
    known = Known((64,), (32,), {})
    (trip,) = analyse(unit.kernels[0], unit.module, setting=Setting(known))[TripCounts].trips
    if "5" in table:
        assert (trip.kind, trip.least) == (TripKind.EXACT, 5)
    else:
        assert trip.kind is TripKind.UNKNOWN
        assert "lens[1]" in trip.reason


def test_an_endless_loop_is_said_to_be_one():
    (trip,) = trips(f"for (uint i = 0; i >= 0u; i++) {{ {ONE} }}", launch())
    assert trip.kind is TripKind.UNKNOWN
    assert "does not end" in trip.reason


# against execution


NAMED = ("read", "image")
NAMED_WITHOUT_LAUNCH = (*NAMED, "floating-point", "no closed form")


def check(result: Comparison, words: tuple[str, ...] = NAMED) -> None:
    assert not result.wrong
    for trip in result.trips:
        if trip.kind is TripKind.UNKNOWN:
            assert any(word in trip.reason for word in words), f"{trip.text}: {trip.reason}"


def check_launches(case: Case, level: OptLevel, count: int) -> None:
    """Launches of a kernel against what is found with the launch known and without."""
    unit = engine.compiled(case.name, level)
    done = list(runs(case, unit, count))
    assert len(done) == count
    for run in done:
        check(compared(unit, run, run.known))
        check(compared(unit, run, Known()), NAMED_WITHOUT_LAUNCH)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("case", CASES[::STRIDE], ids=label)
def test_two_launches(case: Case):
    check_launches(case, OptLevel.O1, 2)


@pytest.mark.full
@pytest.mark.parametrize("level", [OptLevel.O1, OptLevel.O2], ids=lambda level: level.value)
@pytest.mark.parametrize("case", CASES, ids=label)
def test_five_launches_of_every_kernel(case: Case, level: OptLevel):
    check_launches(case, level, 5)


LEVELS = (OptLevel.O1, OptLevel.O2, OptLevel.O1, OptLevel.O0)
SHAPES = (((80,), (40,)), ((64,), (64,)), ((96,), (32,)), ((40,), (8,)))


def check_random(seed: int, level: OptLevel, *, data: bool) -> None:
    """A random program, with its launch known and without."""
    rng = np.random.default_rng(seed)
    arguments: list[Any] = [
        np.zeros(128, np.int32), rng.integers(-40, 300, 128).astype(np.int32),
        np.int32(rng.integers(-50, 50)), np.uint32(rng.integers(0, 99)),
        np.int16(rng.integers(-9, 99)), np.float32(rng.integers(0, 40) / 8),
    ]  # fmt: skip
    unit = unit_of(write_loops(seed, data=data), level)
    done = executed_run(unit, unit.kernels[0], NDRange(*SHAPES[seed % len(SHAPES)]), arguments)
    check(compared(unit, done, done.known))
    check(compared(unit, done, Known()), NAMED_WITHOUT_LAUNCH)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(SAMPLE))
def test_random_loops(seed: int):
    check_random(seed, LEVELS[seed % len(LEVELS)], data=False)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(SAMPLE // 2))
def test_random_loops_on_data(seed: int):
    check_random(seed, LEVELS[seed % len(LEVELS)], data=True)


@pytest.mark.full
@pytest.mark.parametrize("first", range(SAMPLE, MANY, BATCH))
def test_many_random_loops(first: int):
    endless = 0
    for seed in range(first, first + BATCH):
        try:
            check_random(seed, LEVELS[seed % len(LEVELS)], data=seed % 3 == 0)
        except DiagnosticError as error:
            if [d.code for d in error.diagnostics] != ["K717"]:
                raise
            endless += 1  # few programs do not end
    assert endless <= 1


REGRESSIONS = [
    pytest.param(100135, OptLevel.O2, id="endless-for-work-items-that-do-not-come"),
    pytest.param(100129, OptLevel.O2, id="unset-before-an-unrolled-loop"),
    pytest.param(100334, OptLevel.O1, id="without-launch-a-variable-of-constants"),
    pytest.param(100363, OptLevel.O2, id="loops-whose-ends-need-each-other"),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("seed", "level"), REGRESSIONS)
def test_regression(seed: int, level: OptLevel):
    check_random(seed, level, data=seed % 3 == 0)


def test_equal_seeds_give_equal_programs():
    assert write_loops(3) == write_loops(3) != write_loops(4)
