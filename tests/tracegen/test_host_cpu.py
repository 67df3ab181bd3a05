"""Code for any level of x86-64 that the host has computes the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import NDRange, execute
from kcc.tracegen.simt import gather, jit
from kcc.tracegen.simt.host_cpu import LEVELS, VARIABLE, HostCpu, chosen_cpu, levels_of, own_cpu
from kcc.tracegen.simt.jit import MASKED_TERNLOG

ROOT = Path(__file__).parents[2]
THERE = levels_of(own_cpu())

SOURCE = """kernel void k(global float *a, global const short *b, global long *c, float s) {
  size_t i = get_global_id(0);
  float4 v = vload4(i & 7, a);
  uint16 w = convert_uint16(vload16(i & 3, b));
  if (i % 3) v = fma(v, v.wzyx, s) / (v + 1.5f) + rsqrt(fabs(v)) + sin(v) * s;
  c[i] = convert_long_sat(dot(v, v)) * abs((int)i) + popcount(w.s3) - clz(w.sa);
  barrier(CLK_GLOBAL_MEM_FENCE);
  a[64 + i] = v.x - b[(i * 37) & 63] * s;
}
"""
SAMPLE = (
    "tests/frontend/builtins/test_lowerings.py", "tests/frontend/builtins/test_lower_float.py",
    "tests/frontend/builtins/test_lower_convert.py", "tests/tracegen/test_gather.py",
    "tests/tracegen/test_workloads.py", "tests/tracegen/test_random_programs.py",
    "tests/tracegen/test_math.py",
)  # fmt: skip
"""Tests of what compiled code computes."""


def computed(cpu: HostCpu, monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The buffers after a launch of code for a processor."""
    for module in (jit, gather):
        monkeypatch.setattr(module, "host_cpu", lambda: cpu)
    text = SourceText("k.cl", SOURCE, ".")
    unit = compile_source(text, BuildOptions(opt_level=OptLevel.O2))
    a = (np.arange(192) % 41 / 7 - 2).astype(np.float32)
    b, c = (np.arange(64) * 523 % 701).astype(np.int16), np.zeros(128, np.int64)
    done = execute(unit, unit.kernels[0], NDRange((128,), (64,)), [a, b, c, np.float32(0.37)])
    return [done.buffers[n].tobytes() for n in range(3)]


@pytest.mark.slow
@pytest.mark.parametrize("level", THERE)
def test_every_level_computes_the_same(level: str, monkeypatch: pytest.MonkeyPatch):
    found = computed(chosen_cpu(level, own_cpu()), monkeypatch)
    assert found == computed(own_cpu(), monkeypatch)


def test_levels_of_an_old_processor():
    old = HostCpu("penryn", dict.fromkeys(("sse2", *LEVELS["x86-64-v2"]), True))
    assert levels_of(old) == ["x86-64", "x86-64-v2"]
    assert chosen_cpu("", old) is old
    assert chosen_cpu("x86-64-v2", old).flattened().startswith("+cx16,+popcnt,")
    with pytest.raises(DiagnosticError, match="x86-64-v3"):
        chosen_cpu("x86-64-v3", old)
    with pytest.raises(DiagnosticError, match="not a level of x86-64"):
        chosen_cpu("znver3", old)
    assert levels_of(HostCpu("neoverse-n1", {"neon": True})) == []


@pytest.mark.slow
def test_a_level_that_is_not_there_is_said(tmp_path: Path):
    script = tmp_path / "k.py"
    script.write_text(
        "import kcc.opencl as cl\nq = cl.CommandQueue(cl.create_some_context())\n"
        "p = cl.Program(q.context, 'kernel void k() {}').build()\np.k(q, (1,), None)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-m", "kcc", "run", str(script)],
        env={**os.environ, VARIABLE: "x86-64-v9"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "error[K737]: KCC_TARGET_CPU: 'x86-64-v9' is not a level" in done.stderr


@pytest.mark.full
@pytest.mark.parametrize("level", THERE)
def test_a_sample_of_the_suite_for_every_level(level: str):
    command = [sys.executable, "-P", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *SAMPLE]
    environment = {**os.environ, VARIABLE: level}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]


def test_bitwise_choices_under_masks_are_found_in_code() -> None:
    """Vpternlogd $228, %zmm2, %zmm8, %zmm1 with and without {%k2}, and vpternlogq of 256 bits."""
    assert MASKED_TERNLOG.search(bytes.fromhex("90 62f33d4a25cae4 c3"))
    assert MASKED_TERNLOG.search(bytes.fromhex("62f3bd2a25cae4"))
    assert not MASKED_TERNLOG.search(bytes.fromhex("90 62f33d4825cae4 c3"))


def test_without_avx512_the_rest_stays() -> None:
    own = HostCpu("znver5", {"avx2": True, "avx512f": True, "avx512vl": True, "bmi2": True})
    assert own.without_avx512().features == {
        "avx2": True, "avx512f": False, "avx512vl": False, "bmi2": True,
    }  # fmt: skip
    assert HostCpu("x86-64-v4", {}).without_avx512().name == "x86-64-v3"
