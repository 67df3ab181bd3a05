"""Private variables that could stand in SSA form: at -O0 every variable is one in memory.

The kernel is not changed: loads of such a variable are mapped to the value stored last, phis are
added to what blocks have, numbered after the function's instructions.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import Alloca, Load, Phi, Store
from kcc.frontend.ir.model import Function, users
from kcc.frontend.ir.opcodes import Flags, Opcode
from kcc.frontend.ir.types import FloatTy, IntTy, IrType, PtrTy, VecTy
from kcc.frontend.ir.values import InstructionRef, Undef, Value
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.graph.dominance import Dominators


@dataclass(frozen=True, slots=True)
class Promoted:
    """``phis`` are those added to each block; ``loads`` what a load (by index) gives."""

    phis: Mapping[int, tuple[Phi, ...]]
    loads: Mapping[int, Value]
    first: int

    def phi(self, index: int) -> Phi | None:
        """The added phi with an index."""
        if index < self.first:
            return None
        return next(p for row in self.phis.values() for p in row if p.index == index)


def promoted(function: Function, flow: ControlFlow, dominators: Dominators) -> Promoted:
    """Finds such variables and their values (Cytron et al., "Efficiently Computing Static Single
    Assignment Form and the Control Dependence Graph", TOPLAS 1991).
    """
    variables = _variables(function)
    if not variables:
        return Promoted({}, {}, len(function.instructions))
    return _Renaming(function, flow, dominators, variables).run()


def _variables(function: Function) -> dict[int, IrType]:
    """Allocas of one scalar or vector that are only loaded and stored as a whole; `volatile` ones
    too, which hold what was stored last since nobody else sees them."""
    found = dict[int, IrType]()
    used = users(function)
    for instruction in function.instructions:
        if not isinstance(instruction, Alloca):
            continue
        type_ = instruction.allocated_type
        if isinstance(type_, IntTy | FloatTy | PtrTy | VecTy) and all(
            _is_plain(user, instruction.index, type_) for user in used[instruction.index]
        ):
            found[instruction.index] = type_
    return found


def _is_plain(user: object, alloca: int, type_: IrType) -> bool:
    match user:
        case Load():
            return user.type == type_
        case Store():
            is_value = isinstance(user.value, InstructionRef) and user.value.index == alloca
            return not is_value and user.value.type == type_
        case _:
            return False


class _Renaming:
    def __init__(
        self,
        function: Function,
        flow: ControlFlow,
        dominators: Dominators,
        variables: dict[int, IrType],
    ) -> None:
        self._function, self._flow = function, flow
        self._variables = variables
        self._children: dict[int, list[int]] = defaultdict(list)
        self._parents = dict[int, int]()
        for block in flow.order:
            above = dominators.immediate(block)
            if above is not None:
                self._children[above].append(block)
                self._parents[block] = above
        self._loads: dict[int, Value] = {}
        self._places: dict[int, list[int]] = defaultdict(list)
        self._numbers: dict[tuple[int, int], int] = {}
        self._incoming: dict[tuple[int, int], list[tuple[int, Value]]] = defaultdict(list)

    def run(self) -> Promoted:
        self._place_phis()
        pending: list[tuple[int, dict[int, Value]]] = [(0, {})]
        while pending:
            block, values = pending.pop()
            values = self._through(block, dict(values))
            pending += [(child, values) for child in self._children[block]]
        rows = defaultdict[int, list[Phi]](list)
        for (block, variable), number in self._numbers.items():
            rows[block].append(self._phi(block, variable, number))
        phis = {block: tuple(row) for block, row in rows.items()}
        return Promoted(phis, self._loads, len(self._function.instructions))

    def _place_phis(self) -> None:
        frontier = self._frontiers()
        count = len(self._function.instructions)
        for variable in self._variables:
            pending = [
                i.block
                for i in self._function.instructions
                if isinstance(i, Store) and self._variable(i.pointer) == variable
                if i.block in self._flow.reachable
            ]
            placed = set[int]()
            while pending:
                for block in sorted(frontier[pending.pop()]):
                    if block not in placed:
                        placed.add(block)
                        pending.append(block)
                        self._places[block].append(variable)
                        self._numbers[block, variable] = count
                        count += 1

    def _frontiers(self) -> dict[int, set[int]]:
        """Dominance frontiers (Cooper, Harvey, Kennedy, 2001)."""
        found = defaultdict[int, set[int]](set)
        for block in self._flow.order:
            sources = [
                p for p in self._function.blocks[block].predecessors if p in self._flow.reachable
            ]
            if len(sources) < 2:
                continue
            for source in sources:
                runner: int | None = source
                while runner is not None and runner != self._parents.get(block):
                    found[runner].add(block)
                    runner = self._parents.get(runner)
        return found

    def _variable(self, pointer: Value) -> int | None:
        if isinstance(pointer, InstructionRef) and pointer.index in self._variables:
            return pointer.index
        return None

    def _through(self, block: int, values: dict[int, Value]) -> dict[int, Value]:
        """The variables' values at the end of a block."""
        for variable in self._places[block]:
            type_ = self._variables[variable]
            values[variable] = InstructionRef(type_, self._numbers[block, variable], "")
        for instruction in self._function.blocks[block].instructions:
            match instruction:
                case Load() if (variable := self._variable(instruction.pointer)) is not None:
                    known = values.get(variable, Undef(instruction.type))
                    self._loads[instruction.index] = known
                case Store() if (variable := self._variable(instruction.pointer)) is not None:
                    values[variable] = self._plain(instruction.value)
                case _:
                    pass
        for target in self._function.blocks[block].successors:
            for variable in self._places[target]:
                value = values.get(variable, Undef(self._variables[variable]))
                self._incoming[target, variable].append((block, value))
        return values

    def _plain(self, value: Value) -> Value:
        """Past loads that are known already."""
        if isinstance(value, InstructionRef) and value.index in self._loads:
            return self._loads[value.index]
        return value

    def _phi(self, block: int, variable: int, number: int) -> Phi:
        rows = self._incoming[block, variable]
        return Phi(
            index=number,
            block=block,
            opcode=Opcode.PHI,
            type=self._variables[variable],
            name="",
            operands=tuple(value for _, value in rows),
            flags=Flags.NONE,
            location=None,
            incoming=tuple(source for source, _ in rows),
        )
