"""Makes docs/sample.kct: ``python -m tests.kcc.base.trace.sample``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from kcc.base.trace.launches import CLASSES, DYNAMIC, TraceHeader
from kcc.base.trace.writer import TraceWriter
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.tracegen.execute import KernelArgument, LocalMemory, NDRange
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import begin_launch, describe_launch, end_launch
from tests.kcc.base.trace.files import rows
from tests.kcc.base.trace.grouping import group
from tests.kcc.base.trace.test_decode import batches
from tests.kcc.base.trace.traces import Traced, trace

SAMPLE = Path(__file__).parents[4] / "docs" / "sample.kct"

SOURCE = """\
kernel void sums(global const int *in, global int *out, local int *part, int n)
{
    int i = get_global_id(0), l = get_local_id(0);
    part[l] = i < n ? in[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 4 == 0)
        out[i / 4] = part[l] + part[l + 1] + part[l + 2] + part[l + 3];
}
"""


def launch(mode: TraceMode) -> Traced:
    unit = compile_source(SourceText("sums.cl", SOURCE, "."), BuildOptions(opt_level=OptLevel.O2))
    given: list[KernelArgument] = [
        np.arange(90, dtype=np.int32), np.zeros(24, np.int32), LocalMemory(192), np.int32(90),
    ]  # fmt: skip
    return trace(unit, unit.kernels[0], NDRange((96,), (48,)), given, mode=mode)


def write(path: Path) -> list[Traced]:
    """Three launches of a kernel: a run's, a run's without addresses, and classes of warps."""
    launches = [launch(TraceMode.ADDRESSES), launch(TraceMode.BLOCKS), launch(TraceMode.ADDRESSES)]
    with TraceWriter(path, TraceHeader("0.1.0", DYNAMIC, "sums.py")) as writer:
        for number, traced in enumerate(launches[:2]):
            add = begin_launch(writer, number, traced.ready)
            for first, words in traced.pieces:
                add(first, words)
            end_launch(writer, traced.done)
        last = launches[2]
        tables = last.tables
        described = describe_launch(last.ready, 2, writer.add_tables(tables), addresses=True)
        writer.begin(replace(described, form=CLASSES))
        run = list(rows(batches(last, addresses=True)))
        for found, parts in group(run, described, tables, by_event=True):
            writer.add_class(found, parts)
        writer.end(tuple((c.executions, c.lanes) for c in last.done.counts))
    return launches


if __name__ == "__main__":
    write(SAMPLE)
