"""What each line of the source costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import AnyInstruction
from kcc.frontend.kernel import Kernel
from kcc.sim.program.operations import MachineOperation


@dataclass(frozen=True, slots=True)
class LineCost:
    """A line (0: none) of a file, and its share of the time."""

    file: str
    line: int
    share: float


def line_costs(
    kernel: Kernel, operations: Iterable[MachineOperation], costs: Iterable[float]
) -> tuple[LineCost, ...]:
    """The share of each line in the costs of the operations, the most expensive first."""
    instructions = kernel.function.instructions
    files, found = _files(instructions), dict[tuple[str, int], float]()
    for row, cost in zip(operations, costs, strict=True):
        place = instructions[row.instruction].location if row.instruction >= 0 else None
        file = place.file if place else files.get(row.line, kernel.span.file)
        found[file, row.line] = found.get((file, row.line), 0.0) + cost
    total = sum(found.values()) or 1.0
    ranked = sorted(found.items(), key=lambda item: -item[1])
    return tuple(LineCost(file, line, cost / total) for (file, line), cost in ranked)


def _files(instructions: Iterable[AnyInstruction]) -> Mapping[int, str]:
    """By line number, the first file with code in a line of that number: for operations that stand
    for no single instruction, as an address that several accesses share."""
    found = dict[int, str]()
    for each in instructions:
        if each.location:
            found.setdefault(each.location.line, each.location.file)
    return found
