"""The rules of Wang et al., section III-B, by examples, and what differs from warp to warp."""

from __future__ import annotations

import numpy as np
import pytest

from kcc.base.assumptions import Assumptions
from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import KernelArgument, NDRange
from kcc.tracegen.static import classes, record
from kcc.tracegen.static.launch import BufferSize
from tests.tracegen.static.comparing import Static, both, difference, not_in_run, static_trace


def unit_of(text: str, level: OptLevel = OptLevel.O1) -> CompiledUnit:
    return compile_source(SourceText("k.cl", text, ""), BuildOptions(opt_level=level))


def compared(
    text: str, arguments: list[KernelArgument], items: int = 128, group: int = 64,
    assumptions: Assumptions | None = None,
) -> tuple[Static, int]:  # fmt: skip
    """The static trace, and how many of its events a run has not."""
    unit = unit_of(text)
    shape = NDRange((items,), (group,))
    static, traced = both(unit, unit.kernels[0], shape, arguments, assumptions=assumptions)
    if not static.summary.assumed_events:
        assert difference(static, traced) is None
    return static, not_in_run(static, traced)


def masks(static: Static, warp: tuple[int, int] = (0, 0)) -> list[int]:
    return [mask for _, mask, _ in static.warps[warp]]


ALL = 0xFFFFFFFF


def test_a_branch_that_memory_decides_is_taken():
    """Case 3 of section III-B.1: always hit."""
    text = """__kernel void k(__global int *a) {
        int i = get_global_id(0);
        if (a[i] > 0)
            a[i] = 1;
    }"""
    static, missing = compared(text, [np.zeros(128, np.int32)])
    assert masks(static) == [ALL] * 3
    assert static.summary.assumed_events == 4
    assert static.summary.notes == ((3, "taken by all lanes"),)
    assert missing == 4
    _, missing = compared(text, [np.ones(128, np.int32)])
    assert missing == 0


def test_a_uniform_branch_that_memory_decides_is_taken_on_whichever_side_code_stands():
    for test in ("n[0] > 3", "!(n[0] > 3)"):
        static, _ = compared(
            f"""__kernel void k(__global int *a, __global int *n) {{
                if ({test}) return;
                a[get_global_id(0)] = 1;
            }}""",
            [np.zeros(128, np.int32), np.zeros(1, np.int32)],
        )
        assert [len(accesses) for _, _, accesses in static.warps[0, 0]] == [1, 1, 0]
        assert static.summary.notes == ((2, "taken by all lanes"),)


def test_exact_values_of_math_functions_bound_loops():
    """What is the same on all devices is known; a run agrees in every event (``compared``)."""
    static, _ = compared(
        """__kernel void k(__global int *a, float n) {
            for (int i = 1; i <= native_log2(n); i++)
                a[get_global_id(0)] += (int)native_powr(2.0f, (float)i) + (int)exp2((float)i);
        }""",
        [np.zeros(128, np.int32), np.float32(16)],
    )
    assert static.summary.assumed_events == 0
    assert static.summary.notes == ()
    assert sum(len(accesses) for _, _, accesses in static.warps[0, 0]) == 2 * 4


def test_values_of_math_functions_that_devices_round_are_not_known():
    static, _ = compared(
        """__kernel void k(__global int *a, float n) {
            if (native_log2(n) < 4.0f)
                a[get_global_id(0)] = 1;
        }""",
        [np.zeros(128, np.int32), np.float32(15)],
    )
    assert static.summary.notes == ((2, "taken by all lanes"),)


def test_both_sides_of_a_branch_that_memory_decides_are_taken():
    static, _ = compared(
        """__kernel void k(__global int *a) {
            int i = get_global_id(0);
            if (a[i] > 0) a[i + 1] = 1; else { a[2 * i] = 2; a[i + 2] = 4; }
            a[i] = 3;
        }""",
        [np.zeros(512, np.int32)],
    )
    assert masks(static) == [ALL, 0x55555555, 0xAAAAAAAA, ALL]
    assert static.summary.assumed_events == 2 * 4


def test_warps_that_miss_a_branch():
    """Case 2 of section III-B.1: branchMissWarpID."""
    static, _ = compared(
        """__kernel void k(__global int *a) {
            int i = get_global_id(0);
            if (i < 40)
                a[i] = 1;
        }""",
        [np.zeros(128, np.int32)],
    )
    rows = [masks(static, warp) for warp in ((0, 0), (0, 1), (1, 0), (1, 1))]
    assert rows == [[ALL] * 3, [ALL, 0xFF, ALL], [ALL] * 2, [ALL] * 2]
    assert static.summary.classes == 3


def test_iterations_that_miss_a_branch():
    """Case 2 of section III-B.1, a loop's variable: branchMissLoopConfig."""
    static, _ = compared(
        """__kernel void k(__global int *a, int n) {
            int i = get_global_id(0);
            for (int j = 0; j < n; j++)
                if (j % 3 == 1)
                    a[i] += j;
        }""",
        [np.zeros(128, np.int32), np.int32(7)],
    )
    assert sum(len(accesses) > 0 for _, _, accesses in static.warps[0, 0]) == 2
    assert static.summary.classes == 1


def test_a_loop_that_memory_bounds_runs_once_or_as_assumed():
    text = """__kernel void k(__global int *a, __global int *b) {
        int i = get_global_id(0);
        for (int j = 0; j < a[i]; j++)
            b[j] = i;
    }"""
    arguments: list[KernelArgument] = [np.full(128, 5, np.int32), np.zeros(64, np.int32)]
    once, _ = compared(text, arguments)
    five, missing = compared(text, arguments, assumptions=Assumptions(loops={3: 5}))
    assert missing == 0
    assert len(five.warps[0, 0]) > len(once.warps[0, 0])


def test_a_share_of_lanes_is_as_assumed():
    text = """__kernel void k(__global int *a) {
        int i = get_global_id(0);
        if (a[i] > 0)
            a[i] = 1;
    }"""
    static, _ = compared(
        text, [np.zeros(128, np.int32)], assumptions=Assumptions(branches={3: 0.25})
    )
    assert [mask.bit_count() for mask in masks(static)] == [32, 8, 32]


def test_a_loop_with_a_known_way_out_is_left_there_alone():
    static, _ = compared(
        """__kernel void k(__global int *a, int n) {
            int i = get_global_id(0);
            for (int j = 0; j < n; j++) {
                if (a[j] == i) break;
                a[i + j] = j;
            }
        }""",
        [np.full(256, -1, np.int32), np.int32(6)],
    )
    assert sum(len(accesses) > 0 for _, _, accesses in static.warps[0, 0]) >= 6
    assert ("the loop is not left here") in {what for _, what in static.summary.notes}


def test_what_follows_a_branch_that_is_assumed_is_sure_again():
    static, missing = compared(
        """__kernel void k(__global int *a) {
            int i = get_global_id(0);
            if (a[i] > 0)
                a[i] = 1;
            if (i % 2)
                a[i] = 2;
        }""",
        [np.zeros(128, np.int32)],
    )
    assert masks(static) == [ALL, ALL, ALL, 0xAAAAAAAA, ALL]
    assert missing == static.summary.assumed_events == 4


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "body",
    [
        "for (int j = 0; j < n; j++) for (int l = j; l < n; l++) a[j * n + l] = i;",
        "for (int j = i % 32; j < n; j += 3) { if (j == 9) continue; if (j > 12) break; a[j] = 1; }",  # noqa: E501
        "switch (i % 5) { case 0: a[i] = 1; break; case 3: a[i + 1] = 2; case 4: a[i] = 3; break; }",  # noqa: E501
        "if (i % 7 > 3) return; for (int j = n; j; j >>= 1) { a[i] = j; if (j < i % 4) return; }",
        "int x = 1; while (x < n * 10) { x = x * 3 + i % 4; a[x % 128] = x; }",
        "int r = i / n, c = i % n; if (r > 0 && c < n - 1) a[(r - 1) * n + c + 1] = r;",
        "if (get_group_id(0) & 1) a[i] = 1; switch ((n + i) % 3) { case 1: a[i] = 2; }",
        "a[min(max(i - 5, 0), 100)] = a[i ^ 1] + a[i & ~3] + a[i | 2];",
        "do { a[i] += 1; if (i & 1) { i++; continue; } i += 4; } while (i < 100);",
    ],
)
def test_known_control_flow_is_that_of_a_run(body: str):
    text = f"__kernel void k(__global int *a, int n) {{ int i = get_global_id(0); {body} }}"
    static, missing = compared(text, [np.zeros(1024, np.int32), np.int32(13)], 384, 96)
    assert static.summary.assumed_events == missing == 0


def test_a_warp_that_never_ends_is_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(record, "MAX_SEGMENTS", 10_000)
    unit = unit_of("__kernel void k(__global int *a, int n) { for (int j = 0; j != n;) a[j] = 1; }")
    with pytest.raises(DiagnosticError) as error:
        static_trace(unit, unit.kernels[0], NDRange((32,), (32,)), [BufferSize(4), 5])
    assert error.value.diagnostics[0].code == "K851"


def test_a_warp_in_which_memory_decides_has_a_budget_too(monkeypatch: pytest.MonkeyPatch):
    """Its blocks cost more: fewer of them are followed, and the message says how many."""
    monkeypatch.setattr(record, "MAX_SEGMENTS", 10_000)
    text = (
        "__kernel void k(__global int *a, int n) { int x = get_local_id(0);"
        "for (int j = 0; j != n; j += 2) { x = a[(x * 7 + j) & 255]; a[x & 255] = j; } }"
    )
    unit = unit_of(text)
    with pytest.raises(DiagnosticError) as error:
        static_trace(unit, unit.kernels[0], NDRange((32,), (32,)), [BufferSize(1024), 5])
    (found,) = error.value.diagnostics
    assert found.code == "K851"
    assert "memory decides" in found.message
    assert int(found.message.split("more than ")[1].split(" ")[0].replace(",", "")) < 5_000


def test_warps_that_all_differ_are_an_error(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(classes, "MAX_CLASSES", 100)
    text = "__kernel void k(__global int *a) { int i = get_global_id(0); a[i * i] = 1; }"
    unit = unit_of(text)
    with pytest.raises(DiagnosticError) as error:
        static_trace(unit, unit.kernels[0], NDRange((1 << 30,), (256,)), [BufferSize(4)])
    assert error.value.diagnostics[0].code == "K852"


def test_a_share_is_that_of_the_condition_as_written():
    """Optimisation makes a branch of it that leaves where the condition does not hold."""
    text = """__kernel void k(__global int *a) {
        int i = get_global_id(0);
        if (a[i])
            a[i + a[i]] = 1;
    }"""
    unit = unit_of(text, OptLevel.O2)
    static = static_trace(
        unit, unit.kernels[0], NDRange((32,), (32,)), [BufferSize(1024)],
        assumptions=Assumptions(branches={3: 0.25}),
    )  # fmt: skip
    assert [mask.bit_count() for mask in masks(static)] == [32, 8, 32]
