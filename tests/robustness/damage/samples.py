"""A small file of each format, made by kcc itself."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from unittest import mock

import llvmlite.binding as llvm

import kcc
from kcc.commands import exploring
from kcc.commands.journal import Journal
from tests.robustness.commands import run_command

GPUS = Path(kcc.__file__).parent / "gpus"

SOURCE = """__kernel void k(__global float *a, __global const float *b, int n)
{
    __local float part[32];
    const int i = get_global_id(0);
    part[get_local_id(0)] = b[i & 31];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < n; ++j)
        if (i & 1)
            a[i] += part[j & 31];
}
"""
SCRIPT = """from pathlib import Path

import numpy as np
import kcc.opencl as cl
context = cl.create_some_context()
queue = cl.CommandQueue(context)
program = cl.Program(context, Path("k.cl").read_text()).build()
a = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
b = cl.Buffer(context, cl.mem_flags.READ_WRITE, 256)
program.k(queue, (64,), (32,), a, b, np.int32(3))
queue.finish()
"""
TOML = """[source]
file = "k.cl"

[sizes]
tiny = { n = 2 }
small = { n = 4 }

[defines]
TILE = 8

[launch.k]
global = "64"
local = "32"

[args.k]
n = "n"
a = "float[64]"
b = "float[64]=uniform(-1, 1)"
"""
PTX = """.version 7.8
.target sm_80
.address_size 64

.visible .entry k(.param .u64 a, .param .u32 n)
{
    .reg .pred %p<2>;
    .reg .b32 %r<5>;
    .reg .f32 %f<3>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 part[128];

    ld.param.u64 %rd1, [a];
    ld.param.u32 %r1, [n];
    cvta.to.global.u64 %rd2, %rd1;
    mov.u32 %r2, %tid.x;
    mul.wide.u32 %rd3, %r2, 4;
    add.s64 %rd2, %rd2, %rd3;
    mov.u32 %r3, 0;
    ld.global.f32 %f1, [%rd2];
$again:
    fma.rn.f32 %f1, %f1, 0f3F000000, %f1;
    add.s32 %r3, %r3, 1;
    setp.lt.s32 %p1, %r3, %r1;
    @%p1 bra $again;
    bar.sync 0;
    st.global.f32 [%rd2], %f1;
    ret;
}
"""
TIMES = "TILE,time_ms\n1,0.01\n2,0.02\n4,0.03\n"
LIST = '[{"TILE": 1}, {"TILE": 2}]'
LAUNCH = ("--global", "64", "--local", "32", "--arg", "n=3")
EXPLORED = ("explore", "x.kct", "--gpu", "v100", "--sweep", "sms=40,80", "--json", "explored.json")
TUNED = ("tune", "list.json", "tiled.cl", *LAUNCH, "--gpu", "v100", "--json", "tuning.json")
VALIDATED = (
    "validate", "times.csv", "tiled.cl", *LAUNCH, "--gpu", "v100", "--json", "validation.json"
)  # fmt: skip
SWEEP = ("--sweep", "TILE=1,2", "--gpu", "v100", "--gpu", "a100")


def make_samples(folder: Path) -> None:
    """Write the files; the current folder is ``folder``."""
    (folder / "k.cl").write_text(SOURCE)
    (folder / "host.py").write_text(SCRIPT)
    (folder / "toml").mkdir()
    (folder / "toml" / "k.cl").write_text(SOURCE)
    (folder / "toml" / "kernel.toml").write_text(TOML)
    shutil.copy(GPUS / "accelsim-sm7-qv100.yaml", folder / "gpu.yaml")
    _command("trace", "k.cl", *LAUNCH, "-o", "x.kct")
    _command("estimate", "k.cl", *LAUNCH, "--gpu", "v100", "--json", "estimate.json")
    _command("simulate", "x.kct", "--gpu", "conf1", "--json", "simulation.json")
    _command("profile", "host.py", "--for-synth", "--json", "profile.json")
    _command(
        "simulate", "x.kct", "--gpu", "conf1", "--sample", "tbpoint", "--block-profile", "blocks"
    )
    _command("trace", "x.kct", "-o", "accelsim", "--format", "accelsim")
    _command("analyze", "k.cl", "--emit-ir", "-o", "k.ll")
    module = llvm.parse_assembly((folder / "k.ll").read_text())
    (folder / "k.bc").write_bytes(module.as_bitcode())
    (folder / "tiled.cl").write_text(SOURCE.replace("j & 31", "j & (TILE - 1)"))
    (folder / "k.ptx").write_text(PTX)
    (folder / "times.csv").write_text(TIMES)
    (folder / "list.json").write_text(LIST)
    with mock.patch.object(Journal, "remove", _kept):
        _command("estimate", "k.cl", *LAUNCH, *SWEEP, "--json", "sweep.json")
        _command(*TUNED)
        _command(*VALIDATED)
    with mock.patch.object(exploring, "journal_path", return_value=None):
        _command(*EXPLORED)
    _command(*TUNED[:-2], "--t4", "t4.json")
    _command("phases", "record", "x.kct", "--gpu", "v100", "-o", "units.json")
    _make_report(folder)


def _make_report(folder: Path) -> None:
    """A folder with a document of each kind that a page joins."""
    report = folder / "report"
    report.mkdir()
    _command("analyze", "k.cl", *LAUNCH, "--json", "report/analysis.json")
    _command("memory", "k.cl", *LAUNCH, "--gpu", "v100", "--json", "report/memory.json")
    _command("phases", "units.json", "--points", "1", "--json", "report/phases.json")
    _command("run", "host.py", "--json", "report/run.json")
    for name in ("estimate", "simulation", "profile", "tuning"):
        shutil.copy(folder / f"{name}.json", report)
    shutil.copy(folder / "explored.json", report / "exploration.json")


def _kept(journal: Journal[Any]) -> None:
    """In the place of the journal's end: it stays."""
    journal.__exit__(None, None, None)


def _command(*arguments: str) -> None:
    code, said = run_command(*arguments)
    assert code == 0, f"{arguments}: {said}"
