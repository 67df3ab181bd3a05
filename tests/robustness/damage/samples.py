"""A small file of each format, made by kcc itself."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from unittest import mock

import llvmlite.binding as llvm

import kcc
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
LAUNCH = ("--global", "64", "--local", "32", "--arg", "n=3")
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
    with mock.patch.object(Journal, "remove", _kept):
        _command("estimate", "k.cl", *LAUNCH, *SWEEP, "--json", "sweep.json")


def _kept(journal: Journal[Any]) -> None:
    """In the place of the journal's end: it stays."""
    journal.__exit__(None, None, None)


def _command(*arguments: str) -> None:
    code, said = run_command(*arguments)
    assert code == 0, f"{arguments}: {said}"
