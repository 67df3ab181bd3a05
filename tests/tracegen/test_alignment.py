"""Every alignment that generated code promises LLVM holds.

A broken promise shows only where LLVM makes use of it: on a processor with 64-byte vectors two
stores of 32 bytes become one that must be aligned. So each promise is looked at by itself, on any
processor: the text gets a check before every load and store, which ends in a fault at the address
that is the number of the line in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

from kcc.base.diagnostics import InternalError
from kcc.frontend.options import OptLevel
from kcc.tracegen import execute as engine
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.program import ProgramOptions, write_program
from tests.tracegen.random_launches import PER_BUILD, compiled, on_engine, setting_of, sources

ACCESS = re.compile(r"^  (?:%\S+ = load|store) .*, ptr (%[\w.]+), align (\d+)$")
ATOMIC = re.compile(r"^  %\S+ = (?:atomicrmw \w+|cmpxchg) ptr (%[\w.]+), .*, align (\d+)$")
CHECK = """
define internal void @kcc.test.aligned(ptr %place, i64 %low, i64 %line) noinline nounwind {
  %number = ptrtoint ptr %place to i64
  %wrong = and i64 %number, %low
  %bad = icmp ne i64 %wrong, 0
  br i1 %bad, label %broken, label %fine
broken:
  %far = inttoptr i64 %line to ptr
  store volatile i8 0, ptr %far
  unreachable
fine:
  ret void
}
"""

NARROW_VECTORS = """
kernel void k(global uchar *out, global const uchar *in, int n) {
  int g = get_global_id(0);
  uchar3 v = vload3(g, in);
  char w = in[g + 7];
  short s = in[g + 9];
  for (int i = 0; i < (g & 3); i++) {
    v = v.yzx + (uchar3)w; w -= s; s ^= v.x;
    if (v.x == n) break;
  }
  out[g] = v.x ^ v.y ^ v.z ^ w ^ s;
}
"""


def checked(text: str) -> str:
    """The text with a check before every load and store."""
    lines = list[str]()
    for number, line in enumerate(text.split("\n"), 1):
        found = ACCESS.match(line) or ATOMIC.match(line)
        if found and int(found[2]) > 1:
            place, low = found[1], int(found[2]) - 1
            lines.append(f"  call void @kcc.test.aligned(ptr {place}, i64 {low}, i64 {number})")
        lines.append(line)
    return "\n".join(lines) + CHECK


@pytest.fixture
def rewritten(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[str], str]], None]:
    """Programs are compiled from a text that a function gives."""

    def use(change: Callable[[str], str]) -> None:
        def write(plan: Plan, options: ProgramOptions) -> str:
            text = change(write_program(plan, options))
            assert "kcc.test.aligned(ptr %v" in text
            return text

        monkeypatch.setattr(engine, "write_program", write)
        engine.forget_programs()

    return use


def narrow(width: int) -> None:
    unit = compiled(NARROW_VECTORS, OptLevel.O2)
    launch, options = engine.NDRange((128,), (128,)), engine.ExecutionOptions(width=width)
    values = [np.zeros(256, np.uint8), np.arange(512).astype(np.uint8), 5]
    engine.execute(unit, unit.kernels[0], launch, values, options)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("width", [32, 64])
def test_slots_of_narrow_vectors(rewritten: Callable[..., None], width: int) -> None:
    rewritten(checked)
    narrow(width)


def test_the_check_finds_a_slot_that_is_aligned_less(rewritten: Callable[..., None]) -> None:
    def promise(text: str) -> str:
        pattern = r"((?:load|store) <32 x i8>.*, ptr %v\d+), align 32$"
        return checked(re.sub(pattern, r"\1, align 64", text, flags=re.MULTILINE))

    rewritten(promise)
    with pytest.raises(InternalError, match="SIGSEGV"):
        narrow(32)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [3, PER_BUILD + 5, 3 * PER_BUILD + 1])
def test_random_programs(rewritten: Callable[..., None], seed: int) -> None:
    rewritten(checked)
    setting = setting_of(seed)
    unit = compiled(sources(seed, 1), setting.level)
    on_engine(unit, unit.kernels[0], setting, 2, trace=True)
