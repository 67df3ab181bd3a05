"""What a kernel asks of a GPU: the columns that models read, counts, and the cycles that each
resource needs at least."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property

import numpy as np

from kcc.base.gpu.needs import GpuReader
from kcc.base.gpu.occupancy import Occupancy, occupancy_of
from kcc.base.records import dataclass
from kcc.frontend.builtins.matrix import MatrixProduct
from kcc.sim.caches.footprint import Traffic
from kcc.sim.caches.launch_traffic import LaunchTraffic, l1_bytes, launch_traffic
from kcc.sim.caches.reuse.local_memory import key_of
from kcc.sim.caches.reuse.traffic import caches_by_access, interleaving_spread
from kcc.sim.estimate.atomic_queue import one_word_cycles, queue_cycles
from kcc.sim.estimate.lines import LineCost, line_costs
from kcc.sim.estimate.options import (
    Mechanisms,
    modelled_machine,
    modelled_occupancy,
)
from kcc.sim.estimate.peaks import peaks_of
from kcc.sim.estimate.range import family_of
from kcc.sim.estimate.result import Counts, Estimate, limiter_of
from kcc.sim.estimate.subject import Subject
from kcc.sim.machine.costs import SINCE_VOLTA, UNITS, Generation, Unit
from kcc.sim.machine.dram_load import MANY_STREAMS, STREAM_BYTES
from kcc.sim.machine.fma_pipes import NAMES, pipe_of
from kcc.sim.machine.l2_path import part_written, sector_cycles, slice_cycles
from kcc.sim.machine.launch_overhead import LaunchWay, code_cycles, profiled_cycles
from kcc.sim.machine.load_port import (
    FEW_LANES,
    PIECE_BYTES,
    copy_cycles,
    load_cycles,
    scattered_cycles,
    shared_cycles,
    tag_cycles,
    vector_load_cycles,
)
from kcc.sim.machine.pipeline_columns import Machine, latency_of, machine_of, unit_of
from kcc.sim.program.code_size import code_bytes
from kcc.sim.program.declared_local import compiled
from kcc.sim.program.operations import Memory
from kcc.sim.program.registers import free_registers, resident_on

SECTOR = 32
LINE = 128


def demand_of(subject: Subject, reader: GpuReader, mechanisms: Mechanisms) -> Demand | Occupancy:
    """What a launch asks of a GPU; the occupancy alone if no thread block fits on an SM.

    :raises DiagnosticError: K807 where the GPU lacks a value that nothing can stand for.
    """
    machine = modelled_machine(machine_of(reader), mechanisms)
    free = free_registers(resident_on(reader.gpu)[1], machine.generation)
    registers = subject.registers_on(machine.generation, free)
    occupancy = occupancy_of(reader, subject.block_threads, registers, subject.local_bytes)
    occupancy = compiled(subject, reader.gpu, occupancy)
    if not occupancy.blocks:
        return occupancy
    occupancy = modelled_occupancy(reader, occupancy, mechanisms)
    asked = subject.among or subject
    traffic = launch_traffic(asked, reader, machine, occupancy, mechanisms)
    return Demand(subject, machine, traffic, occupancy, mechanisms.launches)


@dataclass(frozen=True, slots=True)
class Issued:
    """What warps issue: operation o needs the results
    ``needs[need_starts[o]:need_starts[o + 1]]``, its own is number ``results[o]``, and but for its
    ``slots``, and the cycles in which its scheduler is ``held`` and its unit is ``busy``, it is as
    the program's operation ``same[o]``."""

    need_starts: np.ndarray
    needs: np.ndarray
    same: np.ndarray
    results: np.ndarray
    slots: np.ndarray
    held: np.ndarray
    busy: np.ndarray


class Demand:
    """One kernel on one GPU. The columns have a row for each operation of its program: cycles, and
    sectors per execution by a warp (``path``: cycles of the SM's way to L2 for one of them);
    ``executions`` are those of the launch."""

    def __init__(
        self, subject: Subject, machine: Machine, traffic: LaunchTraffic, occupancy: Occupancy,
        launches: LaunchWay = LaunchWay.QUEUED,
    ) -> None:  # fmt: skip
        self.subject, self.machine, self.study = subject, machine, traffic.study
        self.program = subject.program(machine.generation)
        self.traffic, self.memory_side = traffic.by_access, traffic.memory_side
        self.row_sectors = traffic.row_sectors
        self.occupancy, self.warm, self.launches = occupancy, traffic.warm, launches
        self.streams = {s.access: s for s in subject.streams}
        self.uniform = {s.access for s in subject.streams if s.is_uniform}
        self.read_only = subject.read_only_loads
        self.one_address = {
            s.access: s.array for s in subject.streams
            if s.is_uniform and s.is_load and not s.is_local and not any(s.groups) and not s.period
        }  # fmt: skip
        self.active = min(machine.sms, subject.thread_blocks)
        self._columns()
        self.executions = self._executions()
        self.counts = self._counts()

    def take(
        self, subject: Subject, executions: np.ndarray, columns: Mapping[str, np.ndarray]
    ) -> None:
        """Become the demand of another launch of the same program: its executions, and some of the
        columns."""
        for name in (
            "bounds",
            "l2_rate",
            "dram_rate",
            "_streamed",
            "row_share",
            "dram_streams",
            "written",
            "unknown",
        ):
            self.__dict__.pop(name, None)
        self.subject, self.executions = subject, executions
        self.active = min(self.machine.sms, subject.thread_blocks)
        for name, column in columns.items():
            setattr(self, name, column)
        self.counts = self._counts()

    def _columns(self) -> None:
        rows, machine = self.program.operations, self.machine
        n = len(rows)
        units = [unit_of(machine.interval, r) for r in rows]
        self.unit = np.array(units, np.int32)
        pipes = [
            pipe_of(Unit.FMA if unit in machine.in_one else unit, row.kind, machine.pipes)
            for unit, row in zip(units, rows, strict=True)
        ]
        self.pipe = np.array(pipes, np.int32)
        """What holds an operation: its unit, the one that is one with it, or a pipeline of its own
        (:mod:`kcc.sim.machine.fma_pipes`)."""
        self.memory = np.array([r.memory for r in rows], np.int32)
        self.slots = np.array([r.slots for r in rows])
        interval = np.array([
            machine.pipes.get(pipe, machine.interval[unit])
            for pipe, unit in zip(pipes, units, strict=True)
        ])  # fmt: skip
        self.busy = self.slots * interval
        self.reading = np.ones(n)
        """Cycles of its scheduler that an instruction holds the banks of the register file."""
        for block, reads in enumerate(self.program.reads):
            held = max(reads / machine.bank_reads, 1.0) if machine.bank_reads else 1.0
            self.reading[list(self.program.blocks[block])] = held
        self.latency = np.array(
            [
                r.steps * latency_of(machine, r, unit) + max(r.slots - r.steps, 0)
                for r, unit in zip(rows, units, strict=True)
            ]
        )
        for i, row in enumerate(rows):
            if row.product is not None:
                self.busy[i] = row.slots * machine.tensor.cycles(row.product)
                self.latency[i] = machine.tensor.latency(row.product)
        self.port, self.l2 = np.zeros(n), np.zeros(n)
        self.dram, self.write, self.sectors = np.zeros(n), np.zeros(n), np.zeros(n)
        self.pending = np.zeros(n)
        self.path = np.full(n, SECTOR / machine.port_l2_bytes)
        self.write_cycles = np.ones(n)
        """Of L2 for a sector that is stored, by those of a whole one."""
        misses = self.subject.misses
        self.misses = np.array([misses.get(r.access, 0.0) for r in rows])
        for i, row in enumerate(rows):
            if row.unit is Unit.MEMORY:
                bulk = row.slots == 1.0 and row.bytes > PIECE_BYTES
                size = PIECE_BYTES if bulk else row.bytes
                self._memory(i, self._traffic(i, row.access), row.memory, size, row.access)
                own = self._traffic(i, row.access)
                if row.copied and own is not None and machine.generation in SINCE_VOLTA:
                    addresses = machine.address_cycles * machine.warp / 32
                    self.port[i] = copy_cycles(size, own.lines, addresses)
                if bulk and row.memory in (Memory.GLOBAL_LOAD, Memory.GLOBAL_STORE):
                    self.port[i] = 1.0  # it goes from L2 to shared memory by itself

    def _traffic(self, i: int, access: int) -> Traffic | None:
        found = self.traffic.get(access)
        return found if found is not None else self.traffic.get(key_of(access, i))

    def _memory(
        self, i: int, traffic: Traffic | None, memory: Memory, size: int, access: int
    ) -> None:
        """What a memory operation asks of the port and of the levels below it."""
        machine = self.machine
        match memory:
            case Memory.SHARED_LOAD | Memory.SHARED_STORE | Memory.SHARED_ATOMIC:
                passes = traffic.passes if traffic else 1.0
                stream = self.streams.get(access)
                active = machine.warp * (1.0 if stream is None else stream.lanes)
                self.port[i] = self._through_banks(passes, size, active)
                if traffic and memory is Memory.SHARED_LOAD:
                    crossing = 1.0 + machine.crossing_cycles * traffic.misaligned
                    self.port[i] = max(self.port[i], crossing)
            case Memory.PRIVATE | Memory.PRIVATE_STORE:
                self._private(i, memory, traffic, max(1.0, size / 4))
            case Memory.GLOBAL_LOAD | Memory.GLOBAL_STORE | Memory.GLOBAL_ATOMIC if traffic:
                self.port[i] = self._global_port(traffic, size, memory, access)
                if memory is Memory.GLOBAL_LOAD:
                    self.l2[i], self.dram[i] = traffic.l2_sectors, traffic.dram_sectors
                    self.pending[i] = traffic.pending + self._beside_memory(traffic, access)
                else:
                    self.write[i], self.dram[i] = traffic.sectors, traffic.dram_sectors
                    self.write_cycles[i] = self._write_cycles(traffic, access)
                    if memory is Memory.GLOBAL_ATOMIC:
                        self.l2[i] = traffic.sectors
                self.sectors[i] = _own_sectors(traffic, size, self.machine.warp)
                self.path[i] = self._path(traffic)
            case Memory.CONSTANT_LOAD if traffic and not machine.wide_lanes:
                self.port[i] = traffic.bank_passes
            case _:
                self.port[i] = self.program.operations[i].slots if memory is Memory.SHUFFLE else 1.0

    def _through_banks(self, passes: float, size: int, lanes: float = 32.0) -> float:
        """Cycles of the port in which an access of so many bytes for each of so many active lanes
        goes through the banks."""
        slow = 128.0 / self.machine.shared_bytes
        if self.machine.generation not in SINCE_VOLTA or lanes > FEW_LANES:
            return max(passes * slow, self._addresses(size))
        return max(shared_cycles(passes, size, lanes, slow), self._pieces(size))

    def _addresses(self, size: int) -> float:
        return self._pieces(size) * self.machine.address_cycles * self.machine.warp / 32

    def _pieces(self, size: int) -> int:
        return max(1, -(-size // PIECE_BYTES))

    def _global_port(self, traffic: Traffic, size: int, memory: Memory, access: int) -> float:
        """Cycles of the port of an access to global memory."""
        machine = self.machine
        if machine.generation in SINCE_VOLTA:
            slow = 128.0 / machine.shared_bytes
            words = max(size / 4, 1.0) * self.streams[access].lanes * machine.warp
            looked_up = scattered_cycles(traffic.bank_passes, words, slow)
            looked_up = max(looked_up, self._addresses(size), tag_cycles(traffic.lines))
            if memory is not Memory.GLOBAL_LOAD or access in self.uniform:
                return looked_up
            beyond = min(max(traffic.sectors - size * machine.warp / SECTOR, 0.0), 1.0)
            nobody_writes = access in self.read_only
            cycles = machine.read_only_crossing_cycles if nobody_writes else machine.crossing_cycles
            looked_up = max(looked_up, 1.0 + cycles * beyond)
            return max(looked_up, load_cycles(size, slow, machine.lookup_cycles))
        if machine.wide_lanes and memory is Memory.GLOBAL_LOAD:
            return vector_load_cycles(
                machine.wide_lanes, size, traffic.sectors, traffic.lines, traffic.bank_passes,
                machine.warp,
            )  # fmt: skip
        moved = max(traffic.sectors * SECTOR / machine.l1_bytes_per_cycle, traffic.passes)
        # What goes back to registers, also where lanes read the same.
        return max(moved, size * machine.warp / machine.shared_bytes, 1.0)

    def _write_cycles(self, traffic: Traffic, access: int) -> float:
        """Of L2 for a sector of a store, by those of a whole one."""
        stream = self.streams[access]
        part = part_written(traffic.sectors, stream.full_sectors * stream.lanes)
        return 1.0 + part * (self.machine.part_written_cycles - 1.0)

    def _path(self, traffic: Traffic) -> float:
        """Cycles of the SM's way to L2 for a sector."""
        machine, spread = self.machine, traffic.lines / max(traffic.sectors, 1e-9)
        return sector_cycles(machine.port_l2_bytes, machine.request_cycles, spread)

    def _private(self, i: int, memory: Memory, traffic: Traffic | None, words: float) -> None:
        """Local memory: a line for each word of a warp. Where nobody looked through the caches, L1
        keeps what the work-items of an SM have in it as far as it has room and passes stores on; L2
        keeps those of all SMs, or they go to DRAM and come back."""
        machine, sectors = self.machine, words * 4 * self.machine.warp / SECTOR
        passes = words * 4 * machine.warp / LINE
        self.port[i] = self._through_banks(passes, round(4 * words))
        if traffic is not None:
            self.sectors[i], self.dram[i] = traffic.sectors, traffic.dram_sectors
            asked = self.write if memory is Memory.PRIVATE_STORE else self.l2
            asked[i] = traffic.l2_sectors
            if memory is Memory.PRIVATE:
                self.pending[i] = self._beside_memory(traffic, key_of(-1, i))
            return
        resident = self.occupancy.blocks * self.subject.block_threads * self.program.private_bytes
        miss1, miss2 = (
            _overflow(resident, l1_bytes(machine, self.occupancy)),
            _overflow(resident * self.active, machine.l2_size),
        )
        self.sectors[i] = sectors
        if memory is Memory.PRIVATE_STORE:
            self.write[i], self.dram[i] = sectors, sectors * miss2
        else:
            self.l2[i], self.dram[i] = sectors * miss1, sectors * miss1 * miss2

    def _beside_memory(self, traffic: Traffic, key: int) -> float:
        """The share of DRAM's latency beyond L2's that a load's hits of the memory-side cache
        wait."""
        machine = self.machine
        if machine.memory_side is None or not traffic.l2_sectors:
            return 0.0
        hits = self.memory_side.get(key, 0.0) - traffic.dram_sectors
        share = min(max(hits / traffic.l2_sectors, 0.0), 1.0)
        return machine.memory_side.waits(share, machine.latency["l2"], machine.latency["dram"])

    def _executions(self) -> np.ndarray:
        found = np.zeros(len(self.program.operations))
        for block, rows in enumerate(self.program.blocks):
            found[list(rows)] = self.subject.flow.executions[block]
        return found

    @cached_property
    def issued(self) -> Issued:
        """The operations of the program and, after them, those of its loops' rounds."""
        rows, rounds = self.program.operations, self.program.rounds
        same = np.array([*range(len(rows)), *rounds.of], np.int32)
        slots = np.concatenate([self.slots, np.array(rounds.slots)])
        needs = [*(row.needs for row in rows), *rounds.needs]
        return Issued(
            np.cumsum([0, *map(len, needs)], dtype=np.int32),
            np.array([n for own in needs for n in own] or [0], np.int32),
            same, np.array([*range(len(rows)), *rounds.results], np.int32), slots,
            slots * self.reading[same],
            self.busy[same] * slots / np.where(self.slots > 0.0, self.slots, 1.0)[same],
        )  # fmt: skip

    # counts and bounds

    def _counts(self) -> Counts:
        e, rows = self.executions, self.program.operations

        def total(column: np.ndarray, *kinds: Memory) -> float:
            chosen = np.isin(self.memory, [int(k) for k in kinds])
            return float((e * column)[chosen].sum())

        passes = np.array(
            [self.traffic[r.access].passes if r.access in self.traffic else 0.0 for r in rows]
        )
        by_unit = {u.name.lower(): float((e * self.slots)[self.unit == u].sum()) for u in Unit}
        loads = (Memory.GLOBAL_LOAD, Memory.PRIVATE)
        stores = (Memory.GLOBAL_STORE, Memory.GLOBAL_ATOMIC, Memory.PRIVATE_STORE)
        return Counts(
            float((e * self.slots).sum()), by_unit,
            total(passes, Memory.SHARED_LOAD), total(passes, Memory.SHARED_STORE),
            total(self.l2, *loads), total(self.write, *stores),
            total(self.dram, *loads), total(self.dram, *stores),
            total(self.sectors, *loads, *stores),
            sum(e[i] * r.slots * r.product.multiply_adds for i, r in enumerate(rows) if r.product),
            self.machine.warp,
        )  # fmt: skip

    @cached_property
    def bounds(self) -> Mapping[str, float]:
        """Cycles that each resource needs at least, all SMs working all the time."""
        machine, e = self.machine, self.executions
        per_sm = e / self.active
        schedulers = machine.schedulers
        found = {"issue": float((per_sm * self.slots).sum()) / schedulers}
        registers = float((per_sm * self.slots * self.reading).sum()) / schedulers
        if registers > found["issue"]:
            found["registers"] = registers
        for pipe, name in enumerate(NAMES):
            if pipe not in (Unit.MEMORY, Unit.CONTROL) and (pipe < UNITS or pipe in machine.pipes):
                found[name] = float((per_sm * self.busy)[self.pipe == pipe].sum()) / schedulers
        found["memory_port"] = float((per_sm * self.port)[self.unit == Unit.MEMORY].sum())
        l2 = float((e * (self.l2 + self.write * self.write_cycles)).sum()) * SECTOR
        found["l2_bandwidth"] = l2 / self.l2_rate
        found["l2_requests"] = float((per_sm * (self.l2 + self.write) * self.path).sum())
        found["l2_slice"] = self._hottest_slice()
        found["l2_atomics"] = queue_cycles(
            self.subject, self.program.operations, e.tolist(), machine.atomics
        )
        found["dram_bandwidth"] = float((e * self.dram).sum()) * SECTOR / self.dram_rate
        blocks = self.subject.thread_blocks
        started = blocks / machine.blocks_per_cycle if machine.blocks_per_cycle else 0.0
        if machine.warps_per_cycle:
            warps = blocks * math.ceil(self.subject.block_threads / machine.warp)
            started = max(started, warps / machine.warps_per_cycle)
        if started:
            found["block_dispatch"] = started
        if machine.memory_side is not None:
            keys = ((r.access, key_of(r.access, i)) for i, r in enumerate(self.program.operations))
            each = [self.memory_side.get(a, self.memory_side.get(k, 0.0)) for a, k in keys]
            moved = float((e * each).sum())
            found["memory_side_cache"] = moved * SECTOR / machine.memory_side.bytes_per_cycle
        return found

    def _hottest_slice(self) -> float:
        """Cycles of the slice of L2 that all warps of the launch ask for one address after another
        of an array."""
        asked = dict[str, float]()
        for i, row in enumerate(self.program.operations):
            array = self.one_address.get(row.access)
            if array is not None:
                sectors = float(self.executions[i] * self.l2[i])
                asked[array] = asked.get(array, 0.0) + slice_cycles(sectors)
        return max(asked.values(), default=0.0)

    @cached_property
    def l2_rate(self) -> float:
        """Bytes per cycle of L2, for the SMs that work."""
        machine = self.machine
        return min(machine.l2_bytes_per_cycle, machine.port_l2_bytes * self.active)

    @cached_property
    def dram_rate(self) -> float:
        """Bytes per cycle of DRAM, for the SMs that work, the mix of reading and writing, and the
        rows that it opens."""
        return min(self._streamed * self.row_share, self.machine.port_l2_bytes * self.active)

    @cached_property
    def _streamed(self) -> float:
        """The same where it opens each row once."""
        machine, efficiency = self.machine, self.machine.load.efficiency(self.written)
        if self.dram_streams >= MANY_STREAMS:
            efficiency *= machine.many_streams
        return machine.dram_bytes_per_cycle * efficiency

    @cached_property
    def row_share(self) -> float:
        """Of the bandwidth that DRAM sustains, what is left where it opens rows for few sectors."""
        own = [self.row_sectors.get(r.access, math.inf) for r in self.program.operations]
        bytes_a_row = SECTOR * np.array(own)
        longer = np.maximum(self.machine.row_cycles * self._streamed / bytes_a_row, 1.0)
        moved = self.executions * self.dram
        return float(moved.sum()) / max(float((moved * longer).sum()), 1e-9) or 1.0

    @cached_property
    def dram_streams(self) -> int:
        """Places far from each other that a warp goes to in DRAM."""
        found = set[tuple[str, int]]()
        for i, row in enumerate(self.program.operations):
            stream = self.streams.get(row.access)
            if stream is not None and self.dram[i] > 0.0 and self.executions[i] > 0.0:
                place = -1 if stream.rows is None else int(stream.rows.flat[0]) // STREAM_BYTES
                found.add((stream.array, place))
        return len(found)

    @cached_property
    def written(self) -> float:
        """The share of what moves to and from DRAM that is written."""
        moved = self.executions * self.dram
        return float(moved[self.write > 0].sum()) / max(float(moved.sum()), 1e-9)

    # the report

    def estimate(self, reader: GpuReader, cycles: float, shares: Mapping[str, float]) -> Estimate:
        """The estimate of a model: ``cycles`` without those of the launch itself and those until
        its code is there, and the shares of what they went into."""
        size = self.subject.code_bytes or code_bytes(self.program, self.machine.generation)
        code = code_cycles(self.machine.code_line_cycles, size)
        total, study = cycles + code + self.machine.launch_cycles, self.study
        issued = self.counts.warp_instructions / self.machine.sms / self.machine.schedulers
        cpi, bounds = total / max(issued, 1e-9), self.bounds
        parts = {name: share * cycles / total for name, share in shares.items()}
        parts["fetch"] = code / total
        parts["launch"] = self.machine.launch_cycles / total
        cache = reader.gpu.instruction_l1_bytes
        return Estimate(
            gpu=reader.gpu.stem,
            family=family_of(reader.gpu),
            time_us=total / self.machine.clock_mhz,
            cycles=total,
            limiter=limiter_of(bounds, parts, cycles),
            cpi=cpi,
            cpi_stack={name: share * cpi for name, share in parts.items()},
            bounds=bounds,
            occupancy=self.occupancy,
            waves=self.subject.thread_blocks / (self.machine.sms * self.occupancy.blocks),
            counts=self.counts,
            peaks=peaks_of(self.machine, self.written, self._products()),
            lines=self.lines(),
            assumptions=reader.assumptions,
            weak=tuple(reader.weak),
            assumed_share=self.assumed_share,
            unattributed_share=self.unattributed,
            unknown_accesses=len({self.program.operations[i].access for i in self.unknown}),
            unknown_share=self.unknown_share,
            code_bytes=size,
            code_misfit=self.subject.misfit,
            instruction_cache_bytes=None if cache is None else cache.value,
            caches=() if study is None else caches_by_access(self.subject, study),
            code=self.subject.code,
            warm=self.warm,
            launches=self.launches,
            profiled_us=self._profiled_cycles() / self.machine.clock_mhz,
            row_share=self.row_share,
            one_word_us=one_word_cycles(
                self.subject,
                self.program.operations,
                self.executions.tolist(),
                self.machine.atomics,
            )
            / self.machine.clock_mhz,
            interleaving=0.0 if study is None else interleaving_spread(self.subject, study),
        )

    def _profiled_cycles(self) -> float:
        machine = self.machine
        is_amd = machine.generation is Generation.AMD
        return profiled_cycles(machine.launch_cycles, machine.clock_mhz, is_amd=is_amd)

    def _products(self) -> list[MatrixProduct]:
        rows = zip(self.program.operations, self.executions, strict=True)
        return [row.product for row, times in rows if row.product is not None and times]

    def lines(self) -> tuple[LineCost, ...]:
        """The share of each source line in issue slots and in what its accesses wait for."""
        weight = self.slots + self.port + SECTOR * (self.l2 + self.write) / 64.0 + self.dram
        costs = (self.executions * weight).tolist()
        return line_costs(self.subject.kernel, self.program.operations, costs)

    @cached_property
    def unknown(self) -> list[int]:
        """The operations that are executed, at addresses which memory decides."""
        assumed = {stream.access for stream in self.subject.streams if stream.assumed}
        found = list[int]()
        for i, row in enumerate(self.program.operations):
            traffic = self._traffic(i, row.access) if row.unit is Unit.MEMORY else None
            unknown = traffic is not None and (not traffic.known or row.access in assumed)
            if unknown and self.executions[i] > 0:
                found.append(i)
        return found

    @property
    def unknown_share(self) -> float:
        """Theirs of all sectors that warps ask for."""
        asked = self.executions * self.sectors
        return float(asked[self.unknown].sum()) / max(float(asked.sum()), 1e-9)

    @property
    def unattributed(self) -> float:
        """The share of warp instructions without a source line."""
        lost = sum(
            float(self.executions[i]) * r.slots
            for i, r in enumerate(self.program.operations) if not r.line
        )  # fmt: skip
        return lost / max(self.counts.warp_instructions, 1e-9)

    @property
    def assumed_share(self) -> float:
        """The share of warp instructions in blocks whose count is a guess."""
        guessed = self.subject.flow.assumed
        lost = sum(
            float(self.executions[i]) * self.slots[i]
            for b in guessed for i in self.program.blocks[b]
        )  # fmt: skip
        return lost / max(self.counts.warp_instructions, 1e-9)


def _own_sectors(traffic: Traffic, size: int, warp: int) -> float:
    """The sectors that an access of so many bytes a lane brings at once: all of them; where lanes
    side by side begin within a sector and bring nearly all, the last one is the next warp's, so
    that each warp brings all but one rather than most warps all."""
    full = size * warp / SECTOR
    begins_within = full < traffic.sectors <= full + 1.0
    return full if begins_within and traffic.dram_sectors > full - 0.5 else traffic.sectors


def _overflow(footprint: float, size: int) -> float:
    """The share of a footprint, used over and over, that a cache has no room for."""
    return max(0.0, 1.0 - size / footprint) if footprint else 0.0
