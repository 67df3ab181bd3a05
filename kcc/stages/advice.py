"""Advice on an estimate: its mechanisms by line, what each costs, and changes that are tried.

What a mechanism costs is the estimate less one in which the mechanism is switched off: the most
that a change of it can save. A change that kcc can make itself (rows of an array in shared memory
padded, other thread blocks for a kernel that does not see them, launches in a graph) is made, and
the changed kernel, launch or machine is estimated: that gain is verified.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from kcc.base.advice import Advice, ranked, without_work
from kcc.base.expressions import literal
from kcc.base.launch import LaunchRequest
from kcc.base.records import dataclass
from kcc.base.terms import OPENCL_WORDS, WORDS, LanguageWords, stall_label
from kcc.frontend.ir.instructions import Call
from kcc.frontend.options import SourceText
from kcc.passes.facts import Facts
from kcc.passes.graph.barriers import Barriers
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.unknown import Unknown
from kcc.sim.machine.launch_overhead import LaunchWay

if TYPE_CHECKING:
    from kcc.report.analysis.costs import Costly
    from kcc.sim.estimate.result import Estimate
    from kcc.sim.estimate.subject import Subject
    from kcc.sim.machine.pipeline_columns import Machine
    from kcc.stages.analyze import AnalysisRequest

LEAST_GAIN = 0.01
"""Share of the time that a change has to save to be advised."""

LARGE_SHARE = 0.15
"""Of cycles, from which on a cause has advice of its own."""

FULL_WAVES = 5.0
"""Waves from which on a last one that is not full costs less than a tenth."""

OTHER_BLOCKS = (64, 128, 256, 512)
"""Threads of thread blocks that are tried."""

MOST_GUESSED = 0.1
"""Share of instructions that depend on assumptions up to which thread blocks of other sizes are
compared: what is guessed of warps is guessed anew for each size. Beyond it such advice was wrong
for each of six kernels when they were simulated with their data (docs/validation/estimate.md)."""

FEW_OF_A_ROW = 0.8
"""Of DRAM's bandwidth, what rows that are opened for few sectors leave where the advice says so."""

UNEVEN = 1.25
"""The work of the thread block with most, over the mean, from which on it is named."""


@dataclass(frozen=True, slots=True)
class Study:
    """An estimate to be advised on. ``without`` gives the time without a mechanism, or where
    launches come otherwise; ``retimed`` that of a changed request, None where it is refused.
    ``facts`` are those of all passes."""

    subject: Subject
    machine: Machine
    estimate: Estimate
    request: AnalysisRequest
    facts: Callable[[], Facts]
    without: Callable[[str], float]
    in_graph: Callable[[], float]
    retimed: Callable[[AnalysisRequest], float | None]


def advice_on(study: Study) -> tuple[Advice, ...]:
    """All advice, what gains most first."""
    adviser = _Adviser(study)
    found = [
        *adviser.launch_shape(),
        *adviser.launch_overhead(),
        *adviser.code_fetch(),
        *adviser.block_size(),
        *adviser.occupancy(),
        *adviser.accesses(),
        *adviser.private_memory(),
        *adviser.dram(),
        *adviser.load_store(),
        *adviser.waits(),
    ]
    return ranked([each for each in found if each.gain_us is None or adviser.is_worth(each)])


class _Adviser:
    def __init__(self, study: Study) -> None:
        self._study = study
        self._subject, self._machine = study.subject, study.machine
        self._estimate, self._kernel = study.estimate, study.subject.kernel
        self._words: LanguageWords = WORDS.get(self._kernel.language.value, OPENCL_WORDS)

    def is_worth(self, advice: Advice) -> bool:
        return (advice.gain_us or 0.0) >= LEAST_GAIN * self._estimate.time_us

    def _share(self, *causes: str) -> float:
        stack, cpi = self._estimate.cpi_stack, self._estimate.cpi or 1.0
        return math.fsum(stack.get(cause, 0.0) for cause in causes) / cpi

    def _gain(self, other_us: float) -> float:
        return max(self._estimate.time_us - other_us, 0.0)

    @cached_property
    def _blocks(self) -> int:
        return self._subject.thread_blocks

    def launch_shape(self) -> Iterator[Advice]:
        """What leaves schedulers without a warp."""
        sms, waves, block = self._machine.sms, self._estimate.waves, self._words.block
        if self._blocks < sms:
            text = (
                f"The grid has {self._blocks:,} {block}{'s' * (self._blocks != 1)} for {sms} SMs: "
                f"{without_work(sms - self._blocks)}"
            )
            yield Advice("grid-too-small", None, text)
        elif waves < 1.0:
            held = self._estimate.occupancy.blocks
            text = (
                f"The grid has {self._blocks:,} {block}s, and the GPU holds {sms * held:,} at once:"
                f" {100 * waves:.0f} % of a wave"
            )
            yield Advice("grid-too-small", None, text)
        elif waves < FULL_WAVES and 0.0 < waves % 1.0 < 0.5:
            text = f"The last of {math.ceil(waves)} waves is {100 * (waves % 1.0):.0f} % full"
            most = self._estimate.kernel_us * (1.0 - waves / math.ceil(waves))
            yield Advice("tail", None, text, most)
        yield from self._uneven()

    def _uneven(self) -> Iterator[Advice]:
        """Thread blocks, or a warp, that have more to do than others."""
        generation = self._machine.generation
        if self._estimate.waves < FULL_WAVES:
            work = self._subject.work_by_block(generation)
            mean = float(work.mean()) if len(work) else 0.0
            if mean and float(work.max()) > UNEVEN * mean:
                most = int(work.argmax())
                text = (
                    f"{self._words.block.capitalize()} {most} of {len(work):,} executes "
                    f"{float(work[most]) / mean:.3g} times the instructions of the mean one"
                )
                yield Advice("imbalance", None, text)
        if self._subject.trace(generation).slowest is not None and self._is_idle:
            text = "The kernel ends when its longest warp does, alone on its SM"
            yield Advice("long-warp", None, text)

    @property
    def _is_idle(self) -> bool:
        return self._share("idle") >= LARGE_SHARE

    def launch_overhead(self) -> Iterator[Advice]:
        share = self._share("launch")
        if share < 2 * LARGE_SHARE or self._estimate.launches is LaunchWay.GRAPH:
            return
        gain = self._gain(self._study.in_graph())
        text = (
            f"The launch overhead is {100 * share:.0f} % of the time: launch as a node of a graph, "
            "or do the work of several launches in one"
        )
        yield Advice("launch-overhead", None, text, gain, verified=gain > 0)

    def code_fetch(self) -> Iterator[Advice]:
        share = self._share("fetch")
        if share >= 2 * LARGE_SHARE:
            size = self._estimate.code_bytes / 1024
            text = (
                f"An SM gets the code from L2, {size:.1f} KB, before it executes it: "
                f"{100 * share:.0f} % of the time; let a launch do more, or make the code smaller"
            )
            yield Advice("code-fetch", None, text, None)

    def block_size(self) -> Iterator[Advice]:
        """Warps that are not full, and thread blocks of another size where the kernel does not see
        their size."""
        threads, block = self._subject.block_threads, self._words.block
        warp = self._subject.warp
        if threads % warp:
            text = (
                f"A {block} of {threads} {self._words.thread}s ends in a warp of {threads % warp}: "
                f"make it a multiple of {warp}"
            )
            _, gain, verified = self._best_block(rounded=True)
            if gain is None or gain < LEAST_GAIN * self._estimate.time_us:
                gain, verified = None, False
            yield Advice("partial-warps", None, text, gain, verified)
        lanes = self._active_lanes
        if lanes is not None and lanes < 0.5 * warp and threads % warp == 0:
            text = (
                f"Warps execute memory instructions with {lanes:.3g} active lanes of {warp}: let "
                f"neighbouring {self._words.thread}s take the same side of branches"
            )
            yield Advice("inactive-lanes", self._emptiest_line, text)
        if self._estimate.waves < FULL_WAVES and threads % warp == 0:
            size, gain, verified = self._best_block(rounded=False)
            if size and gain:
                text = f"{block.capitalize()}s of {size} {self._words.thread}s instead of {threads}"
                yield Advice("block-size", None, text, gain, verified)

    @cached_property
    def _active_lanes(self) -> float | None:
        """Of accesses to memory, in the mean over executions."""
        streams = [s for s in self._subject.streams if s.executions]
        total = math.fsum(s.executions for s in streams)
        active = math.fsum(s.lanes * s.executions for s in streams)
        return self._subject.warp * active / total if total else None

    @property
    def _emptiest_line(self) -> int | None:
        """The line of the access that most inactive lanes pass."""
        idle = {s.access: s.executions * (1.0 - s.lanes) for s in self._subject.streams}
        accesses = self._subject.facts[MemoryAccesses].accesses
        at = accesses[max(idle, key=lambda access: idle[access])].location
        return at.line if at else None

    def _best_block(self, *, rounded: bool) -> tuple[int, float | None, bool]:
        """The size that saves most, what it saves, and True where sizes were tried."""
        request = self._study.request
        own = request.launches.get(self._kernel.name, request.other_launch)
        known = self._subject.facts[SymbolicValues].algebra.known
        whole, local = known.global_size or (), known.local_size or ()
        if len(whole) != 1 or len(local) != 1 or not self._ignores_blocks():
            return 0, None, False
        if self._estimate.assumed_share > MOST_GUESSED:
            return 0, None, False
        (items,), (threads,) = whole, local
        warp = self._subject.warp
        sizes = [s for s in OTHER_BLOCKS if s != threads and items % s == 0]
        if rounded:
            sizes = [s for s in (warp * -(-threads // warp), *sizes) if items % s == 0]
        best, gain = 0, 0.0
        for size in dict.fromkeys(sizes):
            asked = LaunchRequest((literal(items),), (literal(size),))
            launches = {self._kernel.name: replace(own, request=asked)}
            changed = replace(request, launches=launches, kernels=(self._kernel.name,))
            time_us = self._study.retimed(changed)
            if time_us is not None and self._gain(time_us) > gain:
                best, gain = size, self._gain(time_us)
        return (best, gain, True) if best else (0, None, False)

    def _ignores_blocks(self) -> bool:
        """Whether a kernel does the same whatever its thread blocks are."""
        use = self._subject.facts[MemoryUse]
        if use.local_bytes or use.dynamic_locals or self._kernel.required_local_size:
            return False
        if self._subject.facts[Barriers].barriers:
            return False
        calls = [c for c in self._kernel.function.instructions if isinstance(c, Call)]
        return not any(re.search(_OF_BLOCKS, call.callee) for call in calls)

    def occupancy(self) -> Iterator[Advice]:
        held, found = self._estimate.occupancy, self._estimate
        if held.ratio > 0.75:
            return
        limiters = [each.value for each in held.limiters]
        own = [name for name in limiters if "register" in name or "memory" in name]
        if not own:
            return
        what = {"registers": f"{held.registers} registers per {self._words.thread}"}
        named = " and ".join(what.get(name, name) for name in own)
        text = (
            f"{held.warps} of {held.max_warps} warps are resident per SM "
            f"({100 * held.ratio:.0f} %), limited by {named}"
        )
        gain = self._gain(self._study.without("occupancy"))
        if gain >= LEAST_GAIN * found.time_us:
            yield Advice("occupancy", None, text, gain)

    def accesses(self) -> Iterator[Advice]:
        """Uncoalesced accesses and bank conflicts, by line."""
        from kcc.report.analysis.costs import costly_groups, finding_of
        from kcc.report.analysis.fixes import MAX_TRIED, Fixes
        from kcc.report.analysis.model import CostUnit
        from kcc.report.analysis.verdict import told

        facts = self._study.facts()
        fixes: Fixes | None = None
        left = dict.fromkeys(CostUnit, True)
        for group in costly_groups(self._kernel, facts)[:MAX_TRIED]:
            fixes = fixes or Fixes(self._kernel, facts)
            unit, is_first = group.cost.unit, left[group.cost.unit]
            left[unit] = False
            code, mechanism = _MECHANISMS[unit is CostUnit.BANK_PASSES]
            gain = self._gain(self._study.without(mechanism)) if is_first else None
            verified = False
            if unit is CostUnit.BANK_PASSES:
                padded = self._padded(group)
                gain, verified = (padded, True) if padded else (gain, False)
            found = finding_of(self._kernel, group, fixes.fix(group))
            yield Advice(code, min(found.lines, default=None), told(found), gain, verified)

    def _padded(self, group: Costly) -> float | None:
        """What the time gains by rows that are padded in the source, None where they cannot be."""
        from kcc.passes.access.what_if import Padded, WhatIf

        array, size = group.accesses[0].array, group.accesses[0].element_bytes
        if not isinstance(array, Array) or isinstance(size, Unknown):
            return None
        repair = WhatIf(self._kernel, self._study.facts()).best_padding(array)
        if repair is None or not isinstance(repair.change, Padded):
            return None
        request, extra = self._study.request, repair.change.extra // size
        text = padded_rows(request.source.text, array.name, extra)
        if text is None or not extra:
            return None
        source = SourceText(request.source.name, text, request.source.folder)
        changed = replace(request, source=source, kernels=(self._kernel.name,))
        time_us = self._study.retimed(changed)
        return None if time_us is None else self._gain(time_us) or None

    def private_memory(self) -> Iterator[Advice]:
        """Arrays of a thread in memory, and spills."""
        use, program = self._subject.facts[MemoryUse], self._subject.newest
        declared = 0 if isinstance(use.private_bytes, Unknown) else use.private_bytes
        for array in use.private_arrays:
            size = "" if isinstance(array.size_bytes, Unknown) else f" ({array.size_bytes} bytes)"
            what = "array"
            mend = (
                "indices that are constant once its loops are unrolled would keep it in registers"
            )
            if array.is_volatile:
                what, mend = "variable", "not volatile, it would be kept in registers"
            text = f"The {what} {array.name}{size} lies in {self._words.private_memory}: {mend}"
            yield Advice("private-memory", array.location.line if array.location else None, text)
        spilled = program.private_bytes - declared
        if spilled > 0:
            text = (
                f"{spilled} bytes per {self._words.thread} are spilled to "
                f"{self._words.private_memory}"
            )
            yield Advice("spill", None, text)

    def dram(self) -> Iterator[Advice]:
        """Few operations for what DRAM moves, where DRAM is the bottleneck."""
        if not self._estimate.limiter.startswith("dram"):
            return
        counts, left = self._estimate.counts, self._estimate.row_share
        moved = 32 * (counts.dram_read_sectors + counts.dram_write_sectors)
        if left < FEW_OF_A_ROW:
            text = (
                f"{self._words.block.capitalize()}s that run together read or write few sectors of "
                f"each DRAM row: row activations leave {100 * left:.0f} % of its bandwidth; let "
                f"them go along rows (data transposed, wider tiles in {self._words.shared_memory})"
            )
            yield Advice("dram-rows", self._hot_line, text)
            return
        each = self._subject.warp * counts.warp_instructions / moved if moved else 0.0
        text = (
            f"DRAM moves {moved / 1e6:,.3g} MB, with {each:.2g} instructions of a "
            f"{self._words.thread} for each byte: only less traffic makes it faster (smaller "
            "types, reuse in registers or shared memory, kernels fused)"
        )
        yield Advice("arithmetic-intensity", self._hot_line, text)

    def load_store(self) -> Iterator[Advice]:
        """Much to do for the load/store unit, where it is the bottleneck."""
        counts, limiter = self._estimate.counts, self._estimate.limiter
        if "memory_port" not in limiter and "shared_memory" not in limiter:
            return
        share = counts.by_unit.get("memory", 0.0) / max(counts.warp_instructions, 1.0)
        waves = counts.shared_load_wavefronts + counts.shared_store_wavefronts
        shared = (
            f", {waves / 1e6:,.3g} million wavefronts of {self._words.shared_memory}"
            if waves
            else ""
        )
        text = (
            f"{100 * share:.0f} % of the warp instructions are loads and stores{shared}: let each "
            f"{self._words.thread} compute several results, so that it uses what it loads more "
            "than once out of registers"
        )
        yield Advice("load-store", self._hot_line, text)

    @property
    def _hot_line(self) -> int | None:
        return next((at.line for at in self._estimate.lines if at.line), None)

    def waits(self) -> Iterator[Advice]:
        """Latency, barriers, atomic operations."""
        memory = self._share("l1", "l2", "dram")
        if memory >= LARGE_SHARE and self._estimate.limiter.startswith("latency"):
            most = max(("l1", "l2", "dram"), key=self._share)
            text = (
                f"Warps wait {100 * memory:.0f} % of the cycles for loads ({stall_label(most)} "
                "most): more independent loads per warp (unrolled loops, loads before their use) "
                "or more resident warps hide it"
            )
            yield Advice(
                "memory-latency", self._hot_line, text, self._gain(self._study.without("latency"))
            )
        if self._share("barrier") >= LARGE_SHARE:
            first = next((b.location for b in self._subject.facts[Barriers].barriers), None)
            text = (
                f"Warps wait {100 * self._share('barrier'):.0f} % of the cycles at "
                f"{self._words.barrier}"
            )
            yield Advice("barrier", first.line if first else None, text)
        if self._share("atomic", "l2_atomics_bound") >= LARGE_SHARE:
            share = 100 * self._share("atomic", "l2_atomics_bound")
            text = f"Atomic operations take {share:.0f} % of the cycles"
            yield Advice("atomic-contention", None, text)


_MECHANISMS = {False: ("uncoalesced", "coalescing"), True: ("bank-conflict", "conflicts")}
"""Code and ablation, by whether it is about banks."""

_OF_BLOCKS = r"get_local_id|get_group_id|get_local_size|get_num_groups|local_linear|sub_group"
"""Functions by which a kernel sees its thread blocks."""


def padded_rows(text: str, array: str, extra: int) -> str | None:
    """A source whose array in shared memory has rows of ``extra`` more elements; None where it has
    no such declaration of two dimensions or more."""
    declared = re.compile(
        rf"(\b(?:__local|local|__shared__)\b[^;=(){{}}]*?\b{re.escape(array)}\s*"
        rf"(?:\[[^\]\[]*\]\s*)+\[)([^\]\[]+)(\])"
    )
    changed, count = declared.subn(rf"\g<1>(\g<2>) + {extra}\g<3>", text)
    return changed if count else None
