"""A kernel with its launch, looked at once for all GPUs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field, replace

import numpy as np

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.frontend.machine_code.model import MachineCode
from kcc.frontend.machine_code.numbering import Numbers
from kcc.passes.facts import Facts
from kcc.passes.graph.loops import Loops
from kcc.passes.memory.memory_accesses import MemoryAccesses
from kcc.passes.memory.memory_use import MemoryUse
from kcc.passes.registers.counts import FREE_REGISTERS
from kcc.passes.symbolic.build import SymbolicValues
from kcc.sim.caches.options import CacheOptions
from kcc.sim.caches.reuse.analysis import Hierarchy, ReuseStudy
from kcc.sim.caches.reuse.program import ReuseProgram, reuse_program
from kcc.sim.caches.sector_phases import miss_shares
from kcc.sim.caches.streams import NOTHING, FoundBefore, Stream, streams_of
from kcc.sim.flow.assumed_shares import AssumedShares
from kcc.sim.flow.block_classes import LEAST_PART
from kcc.sim.flow.executed_flow import Executed
from kcc.sim.flow.folded_grid import folded
from kcc.sim.flow.launch_flow import BlockClass, Flow, flow_of, grid_of
from kcc.sim.flow.sequences import CutInside, Traced, shortened, traced
from kcc.sim.flow.uneven_blocks import Floats, work_by_block
from kcc.sim.machine.costs import Generation
from kcc.sim.program.compiled.lowering import compiled_program
from kcc.sim.program.folding import is_apart
from kcc.sim.program.large_blocks import is_large, may_spill
from kcc.sim.program.lowering import machine_program
from kcc.sim.program.operations import MachineProgram
from kcc.sim.program.registers import registers_of, resident_on, with_kept_bounds
from kcc.sim.program.rounds import with_rounds

OWN_CODE = "kcc"

ENOUGH_ITERATIONS = 1 << 14
"""Iterations of a loop after which it goes on as before, where one thread block is looked at."""


@dataclass(slots=True)
class Subject:
    """A kernel with its launch, looked at once for all GPUs of a generation."""

    kernel: Kernel
    facts: Facts
    flow: Flow
    streams: tuple[Stream, ...]
    places: tuple[int, int, int]
    """Thread blocks as the streams count them (:mod:`kcc.sim.flow.folded_grid`), in the same
    order."""
    registers: int | None
    local_bytes: int
    misses: Mapping[int, float]
    """By access, :func:`kcc.sim.caches.sector_phases.miss_shares`."""
    registers_known: bool = False
    """Whether they are a compiler's count, not an estimate."""
    code: str = OWN_CODE
    """Whose machine code is timed: the compiler's name and target, or kcc's own lowering."""
    code_bytes: int = 0
    """Of the compiler's code, 0 for kcc's own."""
    misfit: float = 0.0
    """Of the counts of the compiler's code (:mod:`kcc.sim.program.compiled.counts`)."""
    programs: dict[Generation, MachineProgram] = field(
        default_factory=dict[Generation, MachineProgram]
    )
    traces: dict[Generation, Traced] = field(default_factory=dict[Generation, Traced])
    studies: dict[tuple[Hierarchy, CacheOptions], ReuseStudy] = field(
        default_factory=dict[tuple[Hierarchy, CacheOptions], ReuseStudy]
    )
    """What was found of the caches, by what they are and how they are looked at."""
    works: dict[Generation, Floats] = field(default_factory=dict[Generation, Floats])
    orders_all: bool = True
    """Whether the compiler brings the values of large blocks into registers."""
    alike: BlockClass | None = None
    """Of the launch only these thread blocks, where they are looked at as a launch of their own."""
    among: Subject | None = None
    """The launch that finds in caches what these do, where they are few among others."""
    found_streams: FoundBefore = field(default_factory=FoundBefore)
    """Of this launch and its arrays."""
    _reuse: ReuseProgram | None = None
    _spilling: Subject | None = None
    _parts: tuple[Subject, ...] | None = None

    @property
    def grid(self) -> tuple[int, int, int]:
        """Thread blocks in x, y, z."""
        own = None if self.alike is None else self.alike.grid
        return own or grid_of(self.facts)

    @property
    def thread_blocks(self) -> int:
        """Thread blocks in all."""
        return math.prod(self.grid) if self.alike is None else self.alike.region.blocks

    @property
    def parts(self) -> tuple[Subject, ...]:
        """The classes of thread blocks as launches of their own, the largest first; the launch
        itself where all do the same."""
        if self._parts is None:
            self._parts = tuple(map(self._part, self.flow.blocks)) or (self,)
        return self._parts

    def _part(self, alike: BlockClass) -> Subject:
        folded_places = self.places != self.grid
        places = self.places if folded_places or alike.grid is None else alike.grid
        streams = tuple(
            replace(s, executions=alike.flow.executions[alike.flow.block_of[s.access]])
            for s in self.streams
        )
        few = alike.region.blocks < LEAST_PART * self.thread_blocks
        return replace(
            self, flow=alike.flow, alike=alike, among=self if few else None, streams=streams,
            found_streams={}, places=places, traces={}, studies={},
            works=dict.fromkeys(Generation, np.ones(1)), _reuse=None, _spilling=None, _parts=None,
        )  # fmt: skip

    @property
    def block_threads(self) -> int:
        """Work-items of a thread block."""
        known = self.facts[SymbolicValues].algebra.known
        assert known.local_size is not None
        return math.prod(known.local_size)

    @property
    def warp(self) -> int:
        """Lanes of a warp."""
        return self.flow.width

    @property
    def block_warps(self) -> int:
        """Warps of a thread block."""
        return -(-self.block_threads // self.warp)

    def branches_hit(self) -> Subject:
        """The same where both sides are taken of each branch that memory decides and of which
        nobody assumed anything."""
        if not self.flow.assumed:
            return self
        shares = replace(self.facts[AssumedShares], otherwise=1.0)
        facts = self.facts.instead(shares)
        flow = flow_of(self.kernel, facts)
        streams = tuple(
            replace(s, executions=flow.executions[flow.block_of[s.access]]) for s in self.streams
        )
        return replace(
            self, facts=facts, flow=flow, streams=streams, found_streams={}, traces={}, studies={},
            works={},
            _reuse=None, _spilling=None, _parts=None,
        )  # fmt: skip

    def within(self, gpu: GpuDescription) -> Subject:
        """The same as the GPU's compiler reads its launch bounds, where it is not compiled yet."""
        kernel = with_kept_bounds(self.kernel, resident_on(gpu))
        if kernel is self.kernel or self.registers_known:
            return self
        return replace(
            self, kernel=kernel, programs={}, traces={}, studies={}, _reuse=None, _spilling=None,
            _parts=None,
        )  # fmt: skip

    def program(self, generation: Generation) -> MachineProgram:
        """What a generation of GPUs executes."""
        if generation not in self.programs:
            program = machine_program(
                self.kernel, self.facts, generation, self.registers,
                trips=self.flow.trips, executions=self.flow.executions, orders_all=self.orders_all,
            )  # fmt: skip
            self.programs[generation] = with_rounds(program, self.facts[Loops])
        return self.programs[generation]

    def trace(self, generation: Generation) -> Traced:
        """What a warp of a generation issues."""
        if generation not in self.traces:
            program = self.program(generation)
            self.traces[generation] = traced(self.kernel, self.facts, self.flow, program)
        return self.traces[generation]

    def work_by_block(self, generation: Generation) -> Floats:
        """Issue slots of each thread block."""
        if generation not in self.works:
            program = self.program(generation)
            self.works[generation] = work_by_block(self.facts, self.flow, program, self.grid)
        return self.works[generation]

    def cut_loops(self, generation: Generation) -> Iterator[CutInside]:
        """All loops of which the trace has only some iterations, with a shorter one for each."""
        trace, program = self.trace(generation), self.program(generation)
        for cut in trace.cuts:
            yield shortened(self.kernel, self.facts, self.flow, program, cut)
        yield from trace.inside

    def spilling(self, capability: tuple[int, int] | None) -> Subject | None:
        """The same as a compiler leaves it that spills in large blocks, where that is possible."""
        newest = self.newest
        if not (may_spill(capability) and self.orders_all):
            return None
        if not any(is_large(newest.operations, block) for block in newest.blocks):
            return None
        if self._spilling is None:
            self._spilling = replace(
                self, orders_all=False, programs={}, traces={}, studies={}, _reuse=None,
                _spilling=None, _parts=None,
            )  # fmt: skip
        same = self._spilling.newest.private_bytes == newest.private_bytes
        return None if same else self._spilling

    def compiled(
        self, code: MachineCode, numbers: Numbers, array_bytes: Mapping[str, int] = NOTHING
    ) -> Subject:
        """The same with the code that a compiler makes of it: its registers and shared memory, and
        its instructions where they are understood."""
        own, flow = replace(self.with_registers(code), code=code.compiler), self.flow
        found = compiled_program(
            self.kernel, self.facts, code, numbers, flow.executions, flow.warps
        )
        if found is None:
            return self.with_registers(code)
        streams, places, misses = _streams(
            self.kernel, self.facts, flow, found.program, None, array_bytes, self.found_streams
        )
        return replace(
            own, streams=streams, places=places, misses=misses, code_bytes=code.code_bytes,
            programs=dict.fromkeys(Generation, found.program), misfit=found.misfit,
            orders_all=False,
        )  # fmt: skip

    def with_registers(self, code: MachineCode) -> Subject:
        """The same with the registers and the shared memory alone that a compiler's code takes."""
        declared = self.facts[MemoryUse].local_bytes
        return replace(
            self, registers=code.registers, registers_known=True,
            code=f"{code.compiler}, registers only",
            local_bytes=self.local_bytes - declared + max(declared, code.shared_bytes),
            programs={}, traces={}, studies={}, works={}, _reuse=None, _spilling=None, _parts=None,
        )  # fmt: skip

    @property
    def is_compiled(self) -> bool:
        """Whether the instructions are a compiler's own."""
        return self.code_bytes > 0.0

    @property
    def newest(self) -> MachineProgram:
        """What the newest generation executes."""
        return self.program(Generation.VOLTA)

    @property
    def reuse(self) -> ReuseProgram:
        """The accesses for the reuse-distance analysis, in the order of the newest generation."""
        if self._reuse is None:
            self._reuse = reuse_program(
                self.facts,
                self.flow,
                self.newest,
                self.streams,
                self.grid,
                self.places,
                None if self.alike is None else self.alike.middle,
            )
        return self._reuse

    @property
    def reuse_of_first(self) -> ReuseProgram:
        """The same of the first thread block alone, all of whose warps come to each loop that any
        warp comes to, and turn in it as long as says something: it may do what few others do."""
        one = (1, 1, 1)
        found = reuse_program(self.facts, self.flow, self.newest, self.streams, one, one)
        loops = found.code.loops.copy()
        loops[:, 0] = np.minimum(loops[:, 0], ENOUGH_ITERATIONS)
        code = found.code._replace(loops=loops, entered=np.ceil(found.code.entered))
        return replace(found, code=code)

    @property
    def past_l1(self) -> frozenset[int]:
        """Loads of global memory that a compiler before Volta does not make through L1 of its own
        accord: whose data the kernel may write for all that their pointer says."""
        arrays = self._read_only_arrays
        return frozenset(
            s.access for s in self.streams
            if s.is_load and not s.is_local and s.array not in arrays
        )  # fmt: skip

    @property
    def read_only_loads(self) -> frozenset[int]:
        """Loads of global memory of data that nobody writes (``ld.global.nc``): through pointers
        to const, restrict, and by ``__ldg``."""
        arrays = self._read_only_arrays
        accesses, code = self.facts[MemoryAccesses].accesses, self.kernel.function.instructions
        return frozenset(
            s.access for s in self.streams
            if s.is_load and not s.is_local
            and (s.array in arrays or is_apart(code[accesses[s.access].instruction]))
        )  # fmt: skip

    @property
    def _read_only_arrays(self) -> frozenset[str]:
        kept = {"const", "restrict"}
        return frozenset(a.name for a in self.kernel.arguments if kept <= set(a.qualifiers))

    def registers_on(self, generation: Generation, free: int = FREE_REGISTERS) -> int | None:
        """Registers of a work-item: a compiler's count, else the estimate, where so many are
        ``free``."""
        if self.registers is None or self.registers_known:
            return self.registers
        program = self.program(generation)
        return registers_of(self.kernel, generation, self.registers, program, free)


def subject_of(
    kernel: Kernel, facts: Facts, registers: int | None, local_bytes: int,
    executed: Executed | None = None, array_bytes: Mapping[str, int] = NOTHING,
) -> Subject:  # fmt: skip
    """Look at a kernel whose launch is known, and what was counted of it if it was ``executed``;
    ``array_bytes`` are the sizes of the arrays that are given."""
    computed = flow_of(kernel, facts)
    flow = computed if executed is None else executed.flow(kernel, facts, computed)
    newest = machine_program(
        kernel, facts, Generation.VOLTA, registers, trips=flow.trips, executions=flow.executions
    )
    before = FoundBefore()
    streams, places, misses = _streams(kernel, facts, flow, newest, executed, array_bytes, before)
    programs = {Generation.VOLTA: with_rounds(newest, facts[Loops])}
    works = dict[Generation, Floats]()
    if executed is not None and not executed.agrees(computed):
        works = dict.fromkeys(Generation, executed.work_by_block)
    return Subject(
        kernel, facts, flow, streams, places, registers, local_bytes, misses, programs=programs,
        works=works, found_streams=before,
    )  # fmt: skip


def _streams(
    kernel: Kernel, facts: Facts, flow: Flow, newest: MachineProgram, executed: Executed | None,
    array_bytes: Mapping[str, int], found_before: FoundBefore,
) -> tuple[tuple[Stream, ...], tuple[int, int, int], Mapping[int, float]]:  # fmt: skip
    """The streams of a program's accesses, the thread blocks that they count, and what of them
    misses by its phase."""
    widths = {row.access: row.bytes for row in newest.operations if row.access >= 0}
    found = streams_of(kernel, facts, flow, 32, widths, array_bytes, found_before)
    if executed is not None:
        found = executed.counted(found, facts)
    streams, places = folded(found, grid_of(facts))
    return streams, places, miss_shares(streams, facts, flow)


def local_bytes_of(facts: Facts, arguments: Mapping[str, int]) -> int:
    """Local memory of a thread block: what the kernel declares and what its arguments bring."""
    return facts[MemoryUse].bytes_with(arguments)
