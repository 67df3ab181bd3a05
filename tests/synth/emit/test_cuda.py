"""The CUDA of miniatures: volatile inline PTX that nvcc's own names do not get in the way of."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kcc.stages.synth import files_of
from kcc.synth.assembly.model import BufferValue
from kcc.synth.emit.cuda_host import cuda_host
from tests.synth.making import KERNELS, made

WORKLOADS = sorted(path.parent.name for path in KERNELS.glob("*/workload.py"))
SOME = ("bfs", "hotspot", "imagefilter", "mandelbrot", "srad")
"""Draws, loops, images, vectors by value, integers of 64 bits."""

EACH = [name if name in SOME else pytest.param(name, marks=pytest.mark.full) for name in WORKLOADS]


def cuda(workload: str) -> str:
    return files_of(made(workload, 4), "mini.cl", "mini.py", "mini.cu").cuda


@pytest.mark.parametrize("workload", EACH)
def test_registers_are_not_those_of_nvcc(workload: str):
    """Operands are handed over by nvcc as %r1, %rd1, %f1; registers of these names in the
    assembly's own scope would hide them."""
    for assembly in re.findall(r"asm volatile\((.*?)\n        ::", cuda(workload), re.DOTALL):
        assert not re.search(r"%%(r|rd|rs|f|fd|p)\d", assembly)
        assert re.search(r"\.reg \.b(32|64) \t%%m\w+<\d+>", assembly)


@pytest.mark.parametrize("workload", ["matmul", "hotspot"])
def test_loops_are_not_unrolled(workload: str):
    """Every label that is gone back to has a pragma after it."""
    lines = re.findall(r'^        "(.*)\\n\\t"$', cuda(workload), re.MULTILINE)
    back = {
        target
        for place, line in enumerate(lines)
        for target in re.findall(r"\bbra(?:\.uni)? \t?(L\w+);", line)
        if f"{target}:" in lines[:place]
    }
    assert back
    for target in back:
        assert "nounroll" in lines[lines.index(f"{target}:") + 1]


@pytest.mark.full
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not here")
@pytest.mark.parametrize("workload", WORKLOADS)
def test_nvcc_takes_it(workload: str, tmp_path: Path):
    """To a program for the oldest architecture of CUDA 13, without a warning."""
    source = tmp_path / "mini.cu"
    source.write_text(cuda(workload))
    command = ["nvcc", "-arch=sm_75", "-o", str(tmp_path / "mini"), str(source)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert found.returncode == 0, found.stderr
    assert not found.stderr


def test_what_fills_buffers_is_written_once():
    """Launches of an application find the same in many of their buffers."""
    miniature = made("spmv").miniature
    fills = [v.fills for x in miniature.launches for v in x.values if isinstance(v, BufferValue)]
    text = cuda_host(miniature)
    rows = text.partition("PARTS[] = {\n")[2].partition("};")[0].splitlines()
    assert len(rows) == sum(len(each) for each in set(fills))
    assert text.count("fill(host[") == sum(1 for each in fills if each)
