"""Launches in a compiler's code: the same accesses as in kcc's own, and control bits by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kcc import cli
from kcc.base.gpu import load_gpu
from kcc.base.trace.tables import TraceTables
from kcc.commands.machine_code import traced_code
from kcc.frontend.machine_code.model import Control, MachineCode
from kcc.sim.cycle.compiled import CompilerCode
from kcc.sim.cycle.sources import simulate_trace
from kcc.sim.interval.options import Options
from kcc.sim.interval.runs import interval_trace
from kcc.sim.result import Timing
from tests.frontend.machine_code.test_graph import code_of

CODE = """
__kernel void store(__global float *a) { a[get_global_id(0)] = 1.0f; }
__kernel void sums(__global const float *a, __global float *b, int n) {
  const int i = get_global_id(0);
  if (i % 3 == 0) return;
  float sum = 0.0f;
  for (int k = 0; k < n; ++k) sum += a[i + 256 * k];
  b[i] = sum;
}
__kernel void shared(__global const float *a, __global float *b) {
  __local float s[256];
  s[get_local_id(0)] = a[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  b[get_global_id(0)] = s[255 - get_local_id(0)];
}
"""

ARGUMENTS = {
    "store": ["a=float[256]"], "sums": ["a=float[2048]", "b=float[256]", "n=7"],
    "shared": ["a=float[256]", "b=float[256]"],
}  # fmt: skip
AMD, NVIDIA = "mi250x", "a100"


def traced(kernel: str, lanes: int, folder: Path, items: int = 256) -> str:
    """A trace of some work-items in thread blocks of 256 at most."""
    source, path = folder / "k.cl", folder / f"{kernel}.kct"
    source.write_text(CODE, encoding="utf-8")
    words = ["trace", str(source), "-o", str(path), "--kernel", kernel, "--global", str(items)]
    words += ["--local", str(items), "--warp-size", str(lanes)]
    for each in ARGUMENTS[kernel]:
        words += ["--arg", each]
    assert cli.main(words) == 0
    return str(path)


@pytest.mark.parametrize("kernel", ["sums", "shared"])
def test_the_compilers_code_makes_the_same_accesses(kernel: str, tmp_path: Path):
    path, gpu = traced(kernel, 64, tmp_path), load_gpu(AMD, [])
    (own,) = simulate_trace(path, gpu)
    (theirs,) = simulate_trace(path, gpu, code=traced_code("compiler", gpu))
    assert own.code == "kcc"
    assert theirs.code.startswith("llvm amdgpu")
    assert theirs.issued == theirs.instructions > own.thread_blocks
    for name in ("L1 sectors", "store sectors", "DRAM sectors read", "local accesses"):
        assert theirs.statistics[name] == own.statistics[name], name
    (interval,) = interval_trace(path, gpu, Options(), code=traced_code("compiler", gpu))
    assert interval.code == theirs.code
    assert interval.issued == theirs.issued


def sass(body: str, **controls: tuple[int, int | None, tuple[int, ...]]) -> CompilerCode:
    """Code of these lines, in front of a store of the IR's; ``controls``: stall count, barrier that
    is set and those that are waited for, of the lines n that are called ``at<n>``; else stall 1."""

    def make(tables: TraceTables) -> MachineCode:
        lines = [*body.splitlines(), "STG.E [R2.64], R0", "EXIT"]
        code, rows = code_of("\n".join(lines)), list[Control]()
        for n in range(len(lines)):
            stall, sets, waits = controls.get(f"at{n}", (1, None, ()))
            rows.append(
                Control(
                    stall,
                    yields=False,
                    write_barrier=sets,
                    read_barrier=None,
                    waits_for=waits,
                    reuse=0,
                )
            )
        store = next(a.instruction for a in tables.accesses if a.operation == "store")
        instructions = tuple(
            replace(each, control=control, number=1 + store if n == len(lines) - 2 else 0)
            for n, (each, control) in enumerate(zip(code.instructions, rows, strict=True))
        )
        return replace(code, instructions=instructions)

    return CompilerCode(make)


def simulated(path: str, code: CompilerCode) -> Timing:
    (timing,) = simulate_trace(path, load_gpu(NVIDIA, []), code=code)
    assert timing.code == "ptxas 0 (sm_80)"
    return timing


def test_stall_counts_are_cycles(tmp_path: Path):
    """Ten dependent additions: what they read does not count, only what the bits say."""
    path = traced("store", 32, tmp_path, 32)
    body = "\n".join(["FADD R0, R0, R0"] * 10)
    four, nine = (
        simulated(path, sass(body, **{f"at{n}": (stall, None, ()) for n in range(10)}))
        for stall in (4, 9)
    )
    assert four.issued == nine.issued == 12
    assert nine.cycles - four.cycles == 10 * (9 - 4)


def test_barriers_hold_until_their_results_are_there(tmp_path: Path):
    """The latency of a special function is waited for where the bits say so, and there alone."""
    path = traced("store", 32, tmp_path, 32)
    body = "MUFU.RCP R0, R0\nFADD R1, R0, R0"
    free = simulated(path, sass(body, at0=(1, 0, ())))
    other = simulated(path, sass(body, at0=(1, 0, ()), at1=(1, None, (1,))))
    held = simulated(path, sass(body, at0=(1, 0, ()), at1=(1, None, (0,))))
    assert other.cycles == free.cycles
    latency = load_gpu(NVIDIA, []).latency_cycles.sfu_exp
    assert latency is not None
    assert held.cycles - free.cycles == pytest.approx(latency.value - 1, abs=1)


def test_a_barrier_waits_for_all_that_set_it(tmp_path: Path):
    """The second sets the barrier later and is there sooner; both are waited for."""
    path = traced("store", 32, tmp_path, 32)
    body = "MUFU.RCP R0, R0\nFADD R1, R1, R1\nFADD R1, R0, R1"
    both = simulated(path, sass(body, at0=(1, 0, ()), at1=(1, 0, ()), at2=(1, None, (0,))))
    first = simulated(path, sass(body, at0=(1, 0, ()), at2=(1, None, (0,))))
    assert both.cycles == first.cycles


def test_code_that_is_not_understood_is_not_timed(tmp_path: Path):
    """Code that stores nothing contradicts a trace that does."""

    def make(_: TraceTables) -> MachineCode:
        return code_of("MOV R0, RZ\nEXIT")

    path, gpu = traced("sums", 32, tmp_path), load_gpu(NVIDIA, [])
    (own,) = simulate_trace(path, gpu)
    (timing,) = simulate_trace(path, gpu, code=CompilerCode(make))
    assert timing.code == "kcc"
    assert timing.cycles == own.cycles
    assert timing.confidence[0] == "kcc's own code: the compiler's is not understood"


def test_the_command_says_whose_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path, target, own = traced("sums", 64, tmp_path), tmp_path / "a.json", tmp_path / "b.json"
    words = ["simulate", path, "--gpu", AMD]
    assert cli.main([*words, "--code", "compiler", "--json", str(target)]) == 0
    assert "code: llvm amdgpu" in capsys.readouterr().out
    document = json.loads(target.read_text(encoding="utf-8"))
    assert document["launches"][0]["code"].startswith("llvm amdgpu")
    assert cli.main([*words, "--json", str(own)]) == 0
    assert cli.main(["compare", str(own), str(target)]) != 0
    assert "K892" in capsys.readouterr().err
    assert cli.main(["compare", str(own), str(target), "--any-code"]) == 0
    assert cli.main([*words, "--code", "compiler", "--sample", "tbpoint"]) != 0
