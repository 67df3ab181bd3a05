"""How often warps execute each block of machine code, from how often they execute the IR.

What is known: a load or store of the IR is executed as often as all its copies in machine code
together, and what enters a block leaves it. Both rarely leave anything open; what they do is taken
to be the flow with the fewest instructions, since compilers put slow ways and left-over iterations
after tests. A linear program, as compilers use for profiles of few blocks (Levin, Newman and
Haber, "Complementing Missing and Inaccurate Profiling Using a Minimum Cost Circulation Algorithm",
HiPEAC 2008: deviations cost, flow is kept).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from kcc.base.records import dataclass
from kcc.frontend.machine_code.graph import MachineGraph

SLOW_WAY = 1e-6
"""What an instruction costs beside a deviation of one execution by a warp: decides only where the
evidence does not."""


TRUSTED = 0.01
"""The weight from which evidence counts for the misfit; lighter evidence only decides what is
open."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """``copies`` by machine block of one instruction of the IR that a warp executes ``executions``
    times, in the mean; ``weight`` is how much that is to be believed. ``at_least``: some are under
    a predicate, and issued more often than what they stand for is executed. ``at_most``: these are
    the others of such, which are not."""

    copies: Mapping[int, int]
    executions: float
    weight: float
    at_least: bool = False
    at_most: bool = False


@dataclass(frozen=True, slots=True)
class MachineCounts:
    """``blocks[s]``: executions of machine block s by a warp, in the mean. ``misfit`` is the share
    of the trusted evidence that contradicts the rest, by weight; 1 where there is none."""

    blocks: tuple[float, ...]
    misfit: float


def machine_counts(graph: MachineGraph, evidence: Sequence[Evidence]) -> MachineCounts | None:
    """The counts that fit the evidence best; None where no flow goes through the code."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    flow = _Flow(graph)
    first = flow.columns
    columns = first + 2 * len(evidence)
    rows = list(flow.rows)
    known = [1.0 if row == 0 else 0.0 for row in range(len(graph.blocks))]
    known += [0.0] * (len(rows) - len(known))
    for number, each in enumerate(evidence):
        row = {block: float(copies) for block, copies in each.copies.items()}
        row |= {first + 2 * number: -1.0, first + 2 * number + 1: 1.0}
        rows.append(row)
        known.append(each.executions)
    cost = np.zeros(columns)
    cost[: len(graph.blocks)] = [SLOW_WAY * (b.end - b.first) for b in graph.blocks]
    cost[first::2] = [0.0 if each.at_least else each.weight for each in evidence]
    cost[first + 1 :: 2] = [0.0 if each.at_most else each.weight for each in evidence]
    cells = [(r, c, v) for r, row in enumerate(rows) for c, v in row.items()]
    places = np.array([[r, c] for r, c, _ in cells]).T
    matrix = coo_array(([v for *_, v in cells], places), shape=(len(rows), columns))
    found = linprog(cost, A_eq=matrix.tocsr(), b_eq=known, bounds=(0, None), method="highs")
    if not found.success:
        return None
    counts = found.x[: len(graph.blocks)]
    sure = [each.weight if each.weight >= TRUSTED else 0.0 for each in evidence]
    off = float((cost[first:] * np.repeat(np.sign(sure), 2)) @ found.x[first:])
    whole = sum(w * each.executions for w, each in zip(sure, evidence, strict=True))
    return MachineCounts(tuple(map(float, counts)), off / whole if whole else 1.0)


class _Flow:
    """The equations of flow: columns are executions of blocks, then of edges, of ends and of
    calls."""

    def __init__(self, graph: MachineGraph) -> None:
        self.columns = len(graph.blocks)
        into: list[dict[int, float]] = [{n: 1.0} for n in range(len(graph.blocks))]
        out: list[dict[int, float]] = [{n: 1.0} for n in range(len(graph.blocks))]
        calls = list[dict[int, float]]()
        for number, block in enumerate(graph.blocks):
            for after in block.successors:
                into[after][self.columns] = out[number][self.columns] = -1.0
                self.columns += 1
            last = graph.code.instructions[block.end - 1]
            if not block.successors or last.opcode.startswith(("EXIT", "RET", "s_endpgm")):
                out[number][self.columns] = -1.0
                self.columns += 1
            for entry in block.calls:
                into[entry][self.columns] = -1.0
                if not last.predicate:
                    calls.append({number: 1.0, self.columns: -1.0})
                self.columns += 1
        self.rows = [*into, *out, *calls]
