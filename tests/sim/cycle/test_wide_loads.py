"""Loads of adjacent words become wide ones, where a compiler would make them so."""

from __future__ import annotations

from pathlib import Path

import pytest

from kcc.base.trace.reader import open_trace
from kcc.cli import main
from kcc.sim.cycle.compiled import CompiledLaunch

SOURCE = """
__kernel void k(__global float *out, int n) {
    __local float a[256];
    int i = get_local_id(0);
    a[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    float s = 0;
    BODY
    out[get_global_id(0)] = s;
}
"""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("s = a[4*n] * a[4*n+1] + a[4*n+2] * a[4*n+3];", [16]),
        ("s = a[4*n+2] * a[4*n+3] + a[4*n];", [8, 4]),
        ("s = a[4*n+1] * a[4*n+2];", [4, 4]),  # not aligned
        ("s = a[i] * a[(i + 1) % 256];", [4, 4]),  # a word further, but not aligned in each lane
        ("s = a[4*n] * a[4*n+8];", [4, 4]),
    ],
)
def test_what_is_merged(body: str, sizes: list[int], tmp_path: Path) -> None:
    source, path = tmp_path / "k.cl", tmp_path / "k.kct"
    source.write_text(SOURCE.replace("BODY", body), encoding="utf-8")
    arguments = ["--global", "512", "--local", "64", "--arg", "n=3", "-o", str(path)]
    assert main(["trace", str(source), *arguments]) == 0
    with open_trace(path) as trace:
        compiled = CompiledLaunch(trace.launches[0])
        found = [a.element_bytes for a in compiled.tables.accesses
                 if a.space == "local" and a.operation == "load"]  # fmt: skip
        assert sorted(found) == sorted(sizes)
        for batch, own in zip(trace.launches[0].batches(), compiled.batches(), strict=True):
            assert own.access_start[-1] == len(own.access) == len(own.addresses)
            assert len(batch.access) - len(own.access) == len(batch) // 2 * (
                sum(sizes) // 4 - len(sizes)
            )
