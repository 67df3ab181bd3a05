"""Miniatures of kernels with private arrays: in memory as in the original, in all languages."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm
import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.stages import synth
from kcc.stages.host import run_script
from kcc.stages.synth import Settled, Study, settle, study_script
from kcc.synth.reduction.reductions import largest_factors
from tests.pocl import choose_device
from tests.synth.making import settings
from tests.synth.test_miniatures import files_of, write_host

SOURCES = {
    "counted": "float a[4]; for (int k = 0; k < 4; ++k) a[k] = k; "
    "for (int k = 0; k < n; ++k) a[k & 3] += 1; o[i] = a[0] + a[1] * a[2] - a[3];",
    "cleared": "float a[64]; for (int d = 0; d < 64; ++d) a[d] = 0; "
    "for (int t = 0; t < n; ++t) a[t & 63] += q[t]; for (int d = 0; d < 64; ++d) o[d] = a[d];",
    "by data": "int a[8]; for (int d = 0; d < 8; ++d) a[d] = d; "
    "for (int t = 0; t < n; ++t) a[(int)q[t] & 7] += t; o[i] = a[i & 7];",
}

HOST = """import numpy as np
import pyopencl as cl
context = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(context)
q = cl.Buffer(context, cl.mem_flags.COPY_HOST_PTR, hostbuf=np.arange(64, dtype=np.float32))
o = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
cl.Program(context, SOURCE).build().k(queue, (64,), (64,), q, o, np.int32(32))
queue.finish()
"""


@cache
def study(name: str, folder: str) -> Study:
    head = "__kernel void k(__global const float *q, __global float *o, int n)"
    text = f"{head} {{ int i = get_global_id(0); {SOURCES[name]} }}"
    script = Path(folder) / "host.py"
    script.write_text(f"SOURCE = {text!r}\n{HOST}")
    return study_script(str(script), Study(), settings())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("private"))


def made(name: str, folder: str, factor: int) -> Settled:
    found = study(name, folder)
    return settle(found, largest_factors(found.kernels, found.launches, factor), settings())


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("factor", [1, pytest.param(4, marks=pytest.mark.sampled(1))])
def test_instructions_are_those_of_the_original(name: str, factor: int, folder: str):
    (original,) = study(name, folder).launches
    (own,) = made(name, folder, factor).profile.launches
    wanted = original.profile.warp_instructions
    assert wanted / factor * 0.85 <= own.warp_instructions <= wanted * 1.1
    assert own.mix["store_private"][0] > 0
    if factor == 1:  # loads of constants just stored may go
        assert own.mix["store_private"] == original.profile.mix["store_private"]
        assert [n.ecount for n in own.nodes] == [n.ecount for n in original.profile.nodes]


@pytest.mark.parametrize("name", SOURCES)
def test_all_languages_have_the_array(name: str, folder: str):
    files = files_of(made(name, folder, 1), "mini.cl", "mini.py", "mini.cu")
    assert re.search(r"__private ulong2 m0\[\d+\];", files.opencl)
    llvm.parse_assembly(files.llvm).verify()
    declared = re.findall(r"\.local \.align \d+ \.b8 \t?(\w+)\[\d+\];", files.cuda)
    assert declared
    assert all(files.cuda.count(f"%SPL, {each};") == 1 for each in declared)


@pytest.mark.pocl
def test_runs_on_pocl(folder: str, tmp_path: Path):
    choose_device()
    settled = made("counted", folder, 1)
    script = write_host(settled.miniature, settled.source, tmp_path)
    run_script(str(script), settings=settings(redirect=False))


def test_a_miniature_that_does_not_end_is_refused(folder: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(synth, "LEAST_BUDGET", 1)
    monkeypatch.setattr(synth, "BUDGET_TIMES", 0)
    with pytest.raises(DiagnosticError, match="it does not end") as caught:
        made("cleared", folder, 1)
    assert caught.value.diagnostics[0].code == "K950"
