"""Profiles equal those of the slow twin, and agree with what the engine counts."""

from __future__ import annotations

import json
from collections import Counter
from importlib import resources
from itertools import pairwise
from typing import Any

import jsonschema
import numpy as np
import pytest
from numpy.typing import NDArray

from kcc.base.profile.document import from_json, to_json
from kcc.base.profile.model import KernelInfo, LaunchProfile, Profile
from kcc.base.trace.decode import TraceDecoder
from kcc.tracegen.execute import Execution, ExecutionOptions, NDRange, prepare
from kcc.tracegen.profiling.collect import LaunchCollector
from kcc.tracegen.simt.program import TraceMode
from kcc.tracegen.trace_file import describe_launch
from kcc.tracegen.trace_stream import TraceReader
from kcc.tracegen.trace_tables import tables_of
from tests.kernels.harness import WORKLOADS, launch_of, load
from tests.tracegen import engine
from tests.tracegen.profiling.slow_profile import SlowProfile, slow_profile

SCHEMA: Any = json.loads(
    resources.files("kcc").joinpath("schemas/profile-1.json").read_text(encoding="utf-8")
)

SAMPLE = frozenset({"bfs", "gaussian", "nw", "pathfinder", "reduction", "spmv"})
"""Workloads whose kernels are compared always; the others with --full."""

KERNELS = [
    pytest.param(name, kernel, id=kernel, marks=() if name in SAMPLE else pytest.mark.full)
    for name in WORKLOADS
    for kernel in load(name).launches
]


def profiles(
    name: str, kernel: str, width: int = 32
) -> tuple[KernelInfo, LaunchProfile, SlowProfile, Execution]:
    """Of a tiny launch: the profile, the slow twin's, what the engine counted."""
    launch = launch_of(name, kernel)
    unit = engine.compiled(name)
    chosen = engine.kernel_of(unit, kernel)
    pieces = list[tuple[int, NDArray[np.uint32]]]()

    def keep(first: int, words: NDArray[np.uint32]) -> None:
        pieces.append((first, words))

    options = ExecutionOptions(width=width, trace=TraceMode.ADDRESSES, on_trace=keep)
    shape = NDRange(tuple(launch.global_size), tuple(launch.local_size))
    ready = prepare(unit, chosen, shape, engine.arguments(chosen, launch), options)
    done = ready.run()
    tables = tables_of(done.plan, chosen, unit)
    collector = LaunchCollector(tables, describe_launch(ready, 0, 0, addresses=True))
    decoder = TraceDecoder(tables, addresses=True)
    for first, words in pieces:
        for batch in decoder.decode(first, words):
            collector.add(batch)
    reader = TraceReader(done.plan, addresses=True)
    blocks = (block for first, words in pieces for block in reader.read(first, words))
    return collector.info, collector.finish(0), slow_profile(tables, blocks), done


@pytest.mark.slow
@pytest.mark.parametrize(("name", "kernel"), KERNELS)
def test_profile_equals_slow_twin(name: str, kernel: str):
    compare(*profiles(name, kernel))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["bfs", "reduction"])
def test_profile_of_wide_warps_equals_slow_twin(name: str):
    for kernel in load(name).launches:
        compare(*profiles(name, kernel, width=64))


def compare(info: KernelInfo, profile: LaunchProfile, slow: SlowProfile, done: Execution) -> None:
    """Everything the two say must be the same."""
    assert profile.warp_instructions == done.warp_instructions
    assert profile.thread_instructions == done.thread_instructions
    paths = list(slow.paths.values())
    visits = Counter(block for path in paths for block in path)
    came = Counter(block for path in paths for block in set(path))
    steps = Counter(step for path in paths for step in pairwise(path))
    took = Counter(step for path in paths for step in set(pairwise(path)))
    for node, count in zip(profile.nodes, done.counts, strict=True):
        assert (node.ecount, node.threads) == (visits[node.block], came[node.block])
        assert (node.warps, node.ecount) == (count.executions, count.lanes)
    for edge in profile.edges:
        way = edge.source, edge.target
        assert (edge.oecount, edge.iecount, edge.tcount) == (steps[way], steps[way], took[way])
    for loop, count in zip(info.loops, profile.loops, strict=True):
        trips = [n for path in paths for n in trips_of(path, loop.header, set(loop.blocks))]
        assert (count.entries, count.trips) == (len(trips), sum(trips))
        assert (count.least, count.most) == (min(trips, default=0), max(trips, default=0))
        expected = Counter(n if n < 64 else 1 << (n.bit_length() - 1) for n in trips)
        assert dict(count.histogram) == dict(expected)
    for access in profile.accesses:
        number = access.access
        assert access.executions == slow.executions[number]
        assert dict(access.sectors) == dict(slow.sectors[number])
        assert dict(access.lines) == dict(slow.lines[number])
        assert dict(access.bank_passes) == dict(slow.passes[number])
        assert dict(access.half_warp_bank_passes) == dict(slow.half_passes[number])
        assert dict(access.reuse) == dict(slow.reuse[number])
        assert access.new_lines == slow.new_lines[number]
    requests = profile.per_block.memory_requests
    assert {b: n for b, n in enumerate(requests.tolist()) if n} == dict(+slow.requests)
    assert profile.per_block.warp_instructions.sum() == profile.warp_instructions
    assert profile.per_block.thread_instructions.sum() == profile.thread_instructions
    whole = Profile({"script": "x", "seed": 0}, (info,), (profile,))
    text = to_json(whole)
    assert to_json(from_json(text, "x.json")) == text
    jsonschema.validate(json.loads(text), SCHEMA)


def trips_of(path: list[int], header: int, inside: set[int]) -> list[int]:
    """Executions of a loop's header in each entry of one work-item."""
    trips, before = list[int](), -1
    for block in path:
        if block == header:
            if before in inside:
                trips[-1] += 1
            else:
                trips.append(1)
        before = block
    return trips
