"""From a kernel's IR to what a warp issues: machine operations with units, latencies, dependences.

What stands between IR and machine code is decided here and in its neighbours, as a GPU's compiler
would: what folds (:mod:`kcc.sim.program.folding`), which loads are made
(:mod:`kcc.sim.program.merging`), what loops cost (:mod:`kcc.sim.program.loop_overhead`), where
private arrays lie (:mod:`kcc.sim.program.private_arrays`), what computes addresses
(:mod:`kcc.sim.program.addresses`) and integers (:mod:`kcc.sim.program.integer_arithmetic`), in
which order all is issued and what does not fit the registers (:mod:`kcc.sim.program.schedule`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from kcc.frontend.builtins.matrix import matrix_product
from kcc.frontend.ir.instructions import AnyInstruction, Call, IntCompare, Load, Return, Select
from kcc.frontend.ir.types import VOID, scalar_of, size_bytes
from kcc.frontend.kernel import Kernel, Language
from kcc.frontend.types import AddressSpace
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators
from kcc.passes.graph.loops import Loop, Loops
from kcc.passes.memory.arrays import Array
from kcc.passes.memory.joined import Joined, joined_accesses
from kcc.passes.memory.memory_accesses import AccessOp, MemoryAccess, MemoryAccesses, is_bulk_copy
from kcc.passes.mix.classify import classify
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Symbol
from kcc.passes.symbolic.places import flattened, terms_of
from kcc.sim.flow.divergent_branches import (
    BRANCH_STEPS,
    RECONVERGENCE_SLOTS,
    diverging_blocks,
    remainder_tests,
)
from kcc.sim.machine.costs import SINCE_VOLTA, Generation, Unit, cost_of
from kcc.sim.machine.function_costs import function_cost
from kcc.sim.program.access_memory import is_by_value, is_passed_constant, memory_of
from kcc.sim.program.addresses import Addresses
from kcc.sim.program.atomics import (
    after_swap,
    before_swap,
    beside_joined,
    have_one_address,
    is_joined,
    is_swapped,
    let_others_run,
)
from kcc.sim.program.divisions import divide, division_of, has_doubles, is_double, is_scaling
from kcc.sim.program.drafts import Draft, Drafts, close_phis, constant_move
from kcc.sim.program.ends import beside_barrier, leave
from kcc.sim.program.folding import folding_of, function_name, own_addresses
from kcc.sim.program.groups import with_groups
from kcc.sim.program.integer_arithmetic import (
    NO_WRAP,
    IntegerCost,
    integer_costs,
)
from kcc.sim.program.large_blocks import excess_of
from kcc.sim.program.loop_overhead import Unrolling
from kcc.sim.program.low_halves import low_halves
from kcc.sim.program.merging import MOST_JOINED, LoadMerging, shared_alignments
from kcc.sim.program.moves import (
    brought,
    describe,
    from_bank,
    operands_of,
    work_item,
)
from kcc.sim.program.operand_reads import block_reads
from kcc.sim.program.operations import LOADS, MachineOperation, MachineProgram, Memory
from kcc.sim.program.phi_moves import move_into_phis
from kcc.sim.program.pieces import pieces_of
from kcc.sim.program.predication import predicate, predicated
from kcc.sim.program.private_arrays import Home, PrivateHome, private_homes
from kcc.sim.program.registers import REGISTERS_BESIDE, live_out_of, register_limit
from kcc.sim.program.repeats import repeats
from kcc.sim.program.schedule import schedule
from kcc.sim.program.spills import spilled_once, with_spills
from kcc.sim.program.wanted_lanes import Lanes, wanted_lanes

PAIRED = SINCE_VOLTA | {Generation.AMD}
"""Where two lanes of a vector of halves are one instruction (HFMA2, v_pk_fma_f16)."""

_OF_LOW_HALF = {
    InstructionClass.INT64: InstructionClass.INT,
    InstructionClass.INT64_MUL: InstructionClass.INT_MUL,
}

_MEMORY_OF_CLASS = {
    InstructionClass.BARRIER: Memory.BARRIER,
    InstructionClass.IMAGE: Memory.IMAGE,
    InstructionClass.SHUFFLE: Memory.SHUFFLE,
}


def machine_program(
    kernel: Kernel, facts: Facts, generation: Generation, registers: int | None = None,
    *, trips: Sequence[float] = (), executions: Sequence[float] = (), orders_all: bool = True,
) -> MachineProgram:  # fmt: skip
    """The program of a kernel at -O2; ``registers`` is what it is estimated to take: from the most
    a work-item may have on, some values are spilled. ``trips`` are the iterations of each loop
    per entry, in the mean, ``executions`` those of each block. Without ``orders_all`` large blocks
    spill what lives at once in the order of the source (:mod:`kcc.sim.program.large_blocks`)."""
    lowering = _Lowering(kernel, facts, generation, trips, executions)
    return lowering.run(registers, orders_all=orders_all)


class _Lowering:
    def __init__(
        self, kernel: Kernel, facts: Facts, generation: Generation, trips: Sequence[float],
        executions: Sequence[float],
    ) -> None:  # fmt: skip
        self.executions = executions
        self.kernel, self.function = kernel, kernel.function
        self.facts, self.generation = facts, generation
        self.values = facts[SymbolicValues]
        self.loops = facts[Loops]
        self.accesses: dict[int, list[MemoryAccess]] = {}
        for access in facts[MemoryAccesses].accesses:
            self.accesses.setdefault(access.instruction, []).append(access)
        self.folding = folding_of(self.function, self.accesses)
        self.by_ptxas = generation in SINCE_VOLTA | {Generation.MAXWELL}
        dominators = facts[Dominators] if self.by_ptxas else None
        self.repeats = repeats(self.function, dominators) if dominators else dict[int, int]()
        self.integers: Mapping[int, IntegerCost] = (
            integer_costs(self.function, self.folding, self.accesses, generation)
            if self.by_ptxas
            else {}
        )
        self.wanted = wanted_lanes(self.function) if self.by_ptxas else dict[int, Lanes]()
        self.low = low_halves(self.function, self.folding.users)
        self.own_addresses = own_addresses(self.function)
        self.unrolling = Unrolling(
            self.function,
            self.loops,
            self.values,
            self.folding.users,
            trips,
            self.by_ptxas,
            kernel.language is Language.PTX,
        )
        self.homes = private_homes(facts, self.unrolling.is_whole)
        self.merging = LoadMerging(
            self.function,
            shared_alignments(
                self.function, self.accesses, is_opencl=kernel.language is Language.OPENCL
            ),
            by_ptxas=self.by_ptxas,
        )
        self.predicated = predicated(self.function) if self.by_ptxas else dict[int, int]()
        self.wide_stores, self.stored_by = dict[int, Joined](), dict[int, int]()
        self.drafts = Drafts(len(self.function.blocks), dominators, self.predicated)
        self.addresses = Addresses(
            self.function, self.loops, self.values, self.drafts, generation, by_ptxas=self.by_ptxas
        )
        self.compared: dict[object, int] = {}
        self.constants = set[int]()
        """Loads that are operands of the instructions which want their values."""

    def run(self, registers: int | None, *, orders_all: bool) -> MachineProgram:
        drafts, reachable = self.drafts, self.facts[ControlFlow].reachable
        if self.by_ptxas:
            self.drafts.add(0, constant_move(self._first_line()))  # The stack pointer.
        for block in self.function.blocks:
            if block.index in reachable:
                self.wide_stores = joined_accesses(
                    block.instructions,
                    self.accesses,
                    self.values.address,
                    AccessOp.STORE,
                    self.merging.alignment,
                )
                for instruction in block.instructions:
                    self._lower(instruction)
        if self.generation in SINCE_VOLTA:
            let_others_run(drafts, self.function, self.loops)
        if self.by_ptxas:
            move_into_phis(self.function, self.loops, drafts, self.folding.users)
        close_phis(self.function, drafts, self.folding.users, self.stored_by)
        idle = predicate(self.function, self.drafts, self.predicated, self.executions)
        with_remainder = self._share_overhead()
        waits = self._charge_divergence()
        rows, drafts.blocks = with_groups(
            [draft.frozen() for draft in drafts.rows], drafts.blocks, self.function.instructions
        )
        words = [self._words(row) for row in rows]
        successors = [block.successors for block in self.function.blocks]
        live_out = live_out_of(rows, drafts.blocks, successors)
        limit = register_limit(self.kernel, self.generation)
        beside = REGISTERS_BESIDE + self._array_words()
        order = schedule(rows, drafts.blocks, words, live_out, limit - beside)
        needs = [each + beside for each in order.taken]
        arrays, private = self._array_places()
        blocks, away = list(order.blocks), 0
        excess = [0] * len(blocks) if orders_all else [
            excess_of(rows, block, words, live, limit - beside)
            for block, live in zip(drafts.blocks, live_out, strict=True)
        ]  # fmt: skip
        for block, part in enumerate(order.blocks):
            if excess[block]:
                source = drafts.blocks[block]
                spilled = spilled_once(rows, part, source, words, excess[block], private)
                blocks[block], away = spilled.block, max(away, spilled.words)
                needs[block] = limit
                continue
            if needs[block] <= limit or not (registers is None or registers >= limit):
                continue
            repeats = block in successors[block]
            spilled = with_spills(
                rows, part, words, live_out[block], limit - beside, repeats=repeats, place=private
            )
            blocks[block], away = spilled.block, max(away, spilled.words)
        self._wait_for_branches(rows, blocks, waits)
        self._test_remainders(rows, blocks, with_remainder)
        reads = block_reads(rows, blocks, self.function, self.folding, self.constants)
        return MachineProgram(
            tuple(rows), tuple(blocks), min(limit, max(needs)), private + 4 * away, arrays,
            idle=idle, reads=reads,
        )  # fmt: skip

    def _first_line(self) -> int:
        """The line of the first instruction that has one."""
        return next((line for each in self.function.instructions if (line := _line(each))), 0)

    def _array_places(self) -> tuple[dict[int, int], int]:
        """Where the arrays begin that lie in local memory, and where what is spilled does."""
        places, end = dict[int, int](), 0
        for array, home in self.homes.items():
            if home.home is Home.MEMORY:
                places[array] = end
                end += -(-home.size_bytes // 16) * 16
        return places, end

    def _array_words(self) -> int:
        """Registers of arrays that are no values of the IR."""
        return sum(
            h.size_bytes // 4
            for h in self.homes.values() if h.home in (Home.SELECTED, Home.REGISTERS)
        )  # fmt: skip

    def _words(self, row: MachineOperation) -> int:
        if row.kind is InstructionClass.COMPARE or row.slots == 0:
            return 0
        if row.kind is InstructionClass.ADDRESS:
            return 1 if row.slots <= 1 else 2
        if row.instruction < 0:
            return 1
        type_ = self.function.instructions[row.instruction].type
        if row.memory in LOADS and row.bytes > 4 and type_ != VOID:
            return row.bytes // 4
        return 0 if type_ == VOID else -(-size_bytes(type_) // 4)

    # one instruction

    def _lower(self, instruction: AnyInstruction) -> None:
        drafts = self.drafts
        if self.wanted.get(instruction.index) == frozenset():
            return
        if (before := self.repeats.get(instruction.index)) is not None:
            drafts.result[instruction.index] = drafts.result.get(before, ())
            return
        if touches := self.accesses.get(instruction.index):
            made = tuple(self._access(instruction, touch) for touch in touches)
            drafts.result[instruction.index] = made
            return
        needs = self.drafts.needs(instruction.operands)
        if self.by_ptxas and isinstance(instruction, Return):
            leave(drafts, self.function, instruction, self.generation)
            return
        integer = self.integers.get(instruction.index)
        if integer is not None:
            drafts.result[instruction.index] = self._integer(instruction, integer, needs)
            return
        if self.folding.is_free(instruction):
            drafts.result[instruction.index] = tuple(needs)
            return
        numbered = work_item(drafts, instruction, self.generation) if self.by_ptxas else None
        if numbered is not None:
            drafts.result[instruction.index] = (numbered,)
            return
        own = self.own_addresses.get(instruction.index)
        if own is not None:
            draft = Draft(Unit.ALU if own > 1 else Unit.FMA, InstructionClass.ADDRESS, own, 1.0,
                           needs, line=_line(instruction))  # fmt: skip
            drafts.result[instruction.index] = (self.drafts.add(instruction.block, draft),)
            return
        operations = tuple(self._operations(instruction, needs))
        drafts.result[instruction.index] = operations or tuple(needs)

    def _integer(
        self, instruction: AnyInstruction, cost: IntegerCost, needs: list[int]
    ) -> tuple[int, ...]:
        if not cost.slots:
            return tuple(needs)
        needs = needs + self._from_bank(instruction)
        draft = Draft(
            cost.unit, InstructionClass.INT, cost.slots, cost.slots, needs,
            line=_line(instruction), instruction=instruction.index,
        )  # fmt: skip
        draft.overhead = self.unrolling.is_overhead(instruction) or (
            instruction.index in self.folding.folded
            and self.addresses.is_linear(instruction)
            and bool(instruction.flags & NO_WRAP)
        )
        return (self.drafts.add(instruction.block, draft),)

    def _from_bank(self, instruction: AnyInstruction) -> list[int]:
        """What brings its operands out of the constant bank."""
        if self.generation is not Generation.HOPPER:
            return []
        operands = operands_of(self.function, self.folding.fused, instruction)
        block = self.addresses.before_loops(instruction.block)
        return from_bank(self.drafts, block, operands, self.constants, self.generation)

    def _function(
        self, instruction: AnyInstruction, kind: InstructionClass, count: float, needs: list[int]
    ) -> int | None:
        """The instructions of a function with a body, unit by unit: that of the unit that computes,
        whose result is the function's. None where its class says what it costs."""
        double = is_double(instruction)
        if isinstance(instruction, Call):
            name = function_name(instruction)
            if name == "sqrt" and self.kernel.language is Language.OPENCL and not double:
                name = "rsqrt"  # It may be off by three units: MUFU, too, and what scales it.
            cost = function_cost(name, is_double=double)
        else:
            is_division = kind is InstructionClass.FP_DIV and double
            cost = function_cost("divide", is_double=True) if is_division else None
        main = None
        for unit, slots in cost.slots.items() if cost else ():
            steps = cost.steps if cost and unit is cost.main else 1.0
            draft = Draft(
                unit, kind, slots * count, steps, list(needs), line=_line(instruction),
                instruction=instruction.index,
            )  # fmt: skip
            main = self.drafts.add(instruction.block, draft)
        return main

    def _operations(self, instruction: AnyInstruction, needs: list[int]) -> Iterable[int]:
        self.merging.pass_by(instruction)
        for kind, count in classify(instruction):
            if instruction.index in self.wanted and count > 1:
                count = len(self.wanted[instruction.index])
            if instruction.index in self.low:
                kind = _OF_LOW_HALF.get(kind, kind)
            if kind is InstructionClass.FP16 and self.generation in PAIRED:
                count = math.ceil(count / 2)
            if self.by_ptxas and isinstance(instruction, IntCompare | Select):
                count *= -(-size_bytes(scalar_of(instruction.operands[1].type)) // 4)
            if kind is InstructionClass.FP_DIV and is_scaling(instruction, self.kernel.language):
                kind = InstructionClass.FP32
            own = self._function(instruction, kind, count, needs)
            if own is not None:
                yield own
                continue
            cost = cost_of(kind, self.generation)
            if cost is None:
                continue
            slots, steps, unit = cost.slots, cost.steps, cost.unit
            if slots * count <= 0:
                continue
            needs = needs + self._from_bank(instruction)
            if kind is InstructionClass.INT_DIV:
                division = division_of(instruction, self.function, self.generation)
                line, divisor = _line(instruction), instruction.operands[1]
                before = self.addresses.before_short_loop(instruction.block, divisor)
                yield divide(self.drafts, instruction, division, count, needs, line, before)
                continue
            memory = _MEMORY_OF_CLASS.get(kind, Memory.NONE)
            if memory is Memory.BARRIER:
                slots += beside_barrier(self.function, instruction, self.generation)
            elif memory is Memory.SHUFFLE:
                slots *= -(-size_bytes(instruction.type) // 4)
            draft = Draft(
                unit, kind, slots * count, steps, list(needs), memory,
                line=_line(instruction), instruction=instruction.index,
            )  # fmt: skip
            draft.overhead = self.unrolling.is_overhead(instruction)
            if kind is InstructionClass.TENSOR and isinstance(instruction, Call):
                draft.product = matrix_product(instruction.callee)
            draft.has_doubles = unit is Unit.SFU and has_doubles(instruction)
            yield self.drafts.add(instruction.block, draft)

    # accesses

    def _access(self, instruction: AnyInstruction, touch: MemoryAccess) -> int:
        address = self.values.address(instruction, touch.pointer)
        before = self.merging.store_of(instruction.block, touch, address)
        found = self.merging.find(instruction.block, touch, address)
        if before is not None:
            stored, kind = self.drafts.rows[before], classify(instruction)[0][0]
            if touch.op is AccessOp.LOAD:
                return self.drafts.add(
                    instruction.block, Draft(Unit.ALU, kind, 0.0, 0.0, [*stored.needs])
                )
            stored.unit, stored.slots, stored.memory = Unit.ALU, 0.0, Memory.NONE
        if found is not None:
            number, more = found
            made = self.drafts.rows[number]
            made.parts = (*(made.parts or (made.access,)), touch.id)
            if more:
                made.bytes = min(1 << (made.bytes + more - 1).bit_length(), MOST_JOINED)
            return number
        wide = self.wide_stores.get(instruction.index)
        if self.merging.is_sunk(touch, address) or (
            wide is not None and instruction.index != wide.instructions[-1]
        ):
            kind = classify(instruction)[0][0]
            return self.drafts.add(instruction.block, Draft(Unit.ALU, kind, 0.0, 0.0, []))
        if wide is not None:
            return self._wide_store(wide)
        outside = self.addresses.before_loops(instruction.block)
        describe(self.drafts, outside, touch.space, self.generation)
        pointers = {id(touch.pointer)}
        needs = self.drafts.needs(o for o in instruction.operands if id(o) not in pointers)
        needs += self.addresses.of(instruction, touch)
        line = _line(instruction)
        if self.by_ptxas and touch.op is not AccessOp.LOAD:
            needs += brought(self.drafts, outside, instruction, self.constants, line)
        size = touch.element_bytes if isinstance(touch.element_bytes, int) else 4
        swapped = self.by_ptxas and is_swapped(instruction, touch)
        if swapped:
            needs.append(before_swap(self.drafts, instruction, needs, line))
        draft = self._access_draft(instruction, touch, size, needs)
        draft.line, draft.instruction = line, instruction.index
        draft.joined = is_joined(instruction) and have_one_address(address)
        number = self.drafts.add(instruction.block, draft)
        if swapped:
            after_swap(self.drafts, instruction, number, line)
        elif self.by_ptxas and draft.joined:
            is_wanted = bool(self.folding.users.get(instruction.index))
            beside_joined(self.drafts, instruction, touch, line, is_wanted=is_wanted)
        if touch.op is AccessOp.LOAD and not touch.volatile:
            alignment = instruction.alignment_bytes if isinstance(instruction, Load) else size
            self.merging.keep(touch, address, size, alignment, number)
        elif touch.op is AccessOp.STORE:
            self.merging.keep_store(touch, address, number)
        return number

    def _wide_store(self, wide: Joined) -> int:
        """A store of neighbours, where the last of them stood."""
        stores = [self.function.instructions[index] for index in wide.instructions]
        first, touch = stores[0], wide.accesses[0]
        needs = self.drafts.needs(o for s in stores for o in s.operands[:1])
        needs += self.addresses.of(first, touch)
        draft = self._access_draft(first, touch, wide.bytes, needs)
        draft.line, draft.instruction = _line(first), first.index
        draft.parts = tuple(each.id for each in wide.accesses)
        number = self.drafts.add(first.block, draft)
        self.stored_by |= dict.fromkeys(wide.instructions[1:], number)
        return number

    def _access_draft(
        self, instruction: AnyInstruction, touch: MemoryAccess, size: int, needs: list[int]
    ) -> Draft:
        kind = classify(instruction)[0][0]
        home, passed = self._home(touch), self.by_ptxas and is_passed_constant(touch)
        memory = memory_of(self.kernel, touch, self.generation, by_pointer=passed)
        in_bank = memory is Memory.CONSTANT_LOAD and not passed
        in_bank |= self.by_ptxas and touch.op is AccessOp.LOAD and is_by_value(touch)
        is_operand = in_bank and self._is_uniform(instruction, touch)
        if is_operand:
            self.constants.add(instruction.index)
        if is_operand or (home is not None and home.home is Home.REGISTERS):
            # In a register, or read out of the constant bank by the instruction that wants it.
            return Draft(Unit.ALU, kind, 0.0, 0.0, needs, Memory.NONE, touch.id, size)
        if home is not None and home.home is Home.SELECTED:
            moves = self._selections(instruction, touch, home, size, needs)
            steps = float(home.candidates)
            return Draft(Unit.EITHER, kind, moves, steps, needs, Memory.NONE, touch.id, size)
        whole = (memory is Memory.CONSTANT_LOAD and not passed) or is_bulk_copy(instruction)
        wanted = self.wanted if self.by_ptxas else None
        pieces = 1 if whole else pieces_of(instruction, touch, size, memory, wanted)
        return Draft(Unit.MEMORY, kind, float(pieces), 1.0, needs, memory, touch.id, size)

    def _home(self, touch: MemoryAccess) -> PrivateHome | None:
        """Where the private array of an access lies; None for other memory."""
        if touch.space is not AddressSpace.PRIVATE:
            return None
        if isinstance(touch.array, Array) and isinstance(touch.array.symbol, int):
            return self.homes.get(touch.array.symbol)
        return PrivateHome(Home.MEMORY, 0)

    def _selections(
        self, instruction: AnyInstruction, touch: MemoryAccess, home: PrivateHome, size: int,
        needs: list[int],
    ) -> float:  # fmt: skip
        """How many moves find an element among registers: one with a predicate for each word of
        each candidate. Makes the comparisons that they need, one for each candidate, which accesses
        to the same piece in the same block share. Constant places need neither."""
        assert isinstance(touch.array, Array)
        flat, constant = flattened(self.values.address(instruction, touch.pointer))
        terms = frozenset(
            (t, c) for t, c in flat
            if not all(self.unrolling.is_whole(i) for i in self.values.varying(t))
        )  # fmt: skip
        if not terms:
            return 0.0
        key = (touch.array.symbol, terms, constant // home.piece_bytes, instruction.block)
        if key not in self.compared:
            draft = Draft(
                Unit.ALU, InstructionClass.COMPARE, float(home.candidates), 1.0, list(needs),
                line=_line(instruction),
            )  # fmt: skip
            self.compared[key] = self.drafts.add(instruction.block, draft)
        needs.append(self.compared[key])
        return float(home.candidates * -(-size // 4))

    def _is_uniform(self, instruction: AnyInstruction, touch: MemoryAccess) -> bool:
        address = self.values.address(instruction, touch.pointer)
        terms = terms_of(address)
        return not self.values.varying(address) and all(
            isinstance(term, Symbol) and term.kind.name in ("GLOBAL", "POINTER")
            for term, _ in terms
        )

    def _share_overhead(self) -> list[Loop]:
        """Let iterations that are unrolled share what their loop costs; gives the loops of which
        nobody knows whether iterations are left over."""
        with_remainder = list[Loop]()
        for loop in self.loops.loops:
            own = [self.drafts.rows[n] for b in loop.blocks for n in self.drafts.blocks[b]]
            if any(draft.memory is Memory.BARRIER for draft in own):
                continue
            slots = sum(draft.slots for draft in own)
            times = self.unrolling.sharing(loop, slots)
            for draft in own:
                if draft.overhead:
                    draft.every = max(draft.every, self.unrolling.times(loop, slots))
                    draft.whole = draft.whole or draft.slots
                    draft.slots /= times
            if self.unrolling.leaves_rest(loop, slots):
                with_remainder.append(loop)
        return with_remainder

    def _charge_divergence(self) -> dict[int, int]:
        """Make branches cost what they do where they may diverge; gives the branch that each block
        ends with whose successors wait for it."""
        if not self.by_ptxas:
            return {}
        drafts, blocks = self.drafts.rows, self.drafts.blocks
        parts, recording = diverging_blocks(
            self.kernel, self.facts, [len(block) for block in blocks]
        )
        waits = dict[int, int]()
        for block in parts - set(self.predicated.values()):
            jumps = [each for each in blocks[block] if drafts[each].unit is Unit.CONTROL]
            if jumps and drafts[jumps[-1]].slots >= 1:
                if block in recording:
                    self._record(block, recording[block], jumps[-1])
                if self.generation in SINCE_VOLTA:
                    waits[block] = jumps[-1]
                    drafts[jumps[-1]].steps = BRANCH_STEPS
        return waits

    def _record(self, block: int, reconvergence: int, branch: int) -> None:
        """A reconvergence point is recorded, and waited at, by the branch of a block, or before the
        loop that this leaves."""
        place = self.addresses.outside(block, reconvergence)
        own = self.drafts.rows[branch]
        if place == block:
            own.slots += RECONVERGENCE_SLOTS
            return
        draft = Draft(
            Unit.CONTROL, InstructionClass.BRANCH, RECONVERGENCE_SLOTS, 1.0, [], line=own.line
        )
        self.drafts.add(place, draft)
        self.drafts.blocks[place].insert(0, self.drafts.blocks[place].pop())

    def _test_remainders(
        self, rows: list[MachineOperation], blocks: list[tuple[int, ...]], loops: Iterable[Loop]
    ) -> None:
        """Before each of these loops, tests whether iterations are left over and whether there are
        as many as are unrolled."""
        for loop in loops:
            outside = set(self.function.blocks[loop.header].predecessors) - set(loop.blocks)
            if len(outside) != 1 or not blocks[loop.header]:
                continue
            first = blocks[loop.header][0]
            tests = remainder_tests(self.facts, loop, self.generation, len(rows))
            rows += tests
            (before,) = outside
            blocks[before] = (*blocks[before], *range(len(rows) - len(tests), len(rows)))
            rows[first] = replace(rows[first], needs=(*rows[first].needs, len(rows) - 1))

    def _wait_for_branches(
        self, rows: list[MachineOperation], blocks: Sequence[Sequence[int]], waits: dict[int, int]
    ) -> None:
        for block, branch in waits.items():
            for way in set(self.function.blocks[block].successors):
                if blocks[way]:
                    first = blocks[way][0]
                    needs = (*rows[first].needs, branch)
                    rows[first] = replace(rows[first], needs=needs)


def _line(instruction: AnyInstruction) -> int:
    return instruction.location.line if instruction.location else 0
