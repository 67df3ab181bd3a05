"""What a profile says of a kernel before it runs, from the tables of its traces."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.profile.model import AccessInfo, BlockInfo, KernelInfo, LoopInfo
from kcc.base.trace.tables import TraceTables
from kcc.passes.graph.graphs import (
    Rows,
    dominator_tree,
    loop_body,
    reverse_postorder,
    transposed,
)


def kernel_info(tables: TraceTables) -> KernelInfo:
    """The kernel's blocks, edges, loops and accesses."""
    rows = [block.successors for block in tables.blocks]
    loops = _loops(tables, rows)
    blocks = [
        BlockInfo(
            id=number,
            label=block.label,
            line=block.line,
            instructions=block.counted,
            barriers=sum(s.barrier >= 0 for s in tables.segments if s.block == number),
            loop=_innermost(loops, number),
        )
        for number, block in enumerate(tables.blocks)
    ]
    return KernelInfo(
        name=tables.kernel,
        source=tables.source,
        optimisation=tables.level,
        blocks=tuple(blocks),
        edges=tuple((source, target) for source, row in enumerate(rows) for target in row),
        loops=tuple(loops),
        accesses=tuple(_access(tables, number) for number in range(len(tables.accesses))),
        local_bytes=tables.local_bytes,
        private_bytes=tables.private_bytes,
    )


def _innermost(loops: Sequence[LoopInfo], block: int) -> int | None:
    around = [loop for loop in loops if block in loop.blocks]
    return max(around, key=lambda loop: loop.depth).id if around else None


def _access(tables: TraceTables, number: int) -> AccessInfo:
    access = tables.accesses[number]
    instruction = tables.instructions[access.instruction]
    return AccessInfo(
        id=number,
        block=instruction.block,
        line=instruction.line,
        column=instruction.column,
        op=access.operation,
        array=access.array,
        address_space=access.space,
        bytes=access.element_bytes,
    )


def _loops(tables: TraceTables, rows: Rows) -> list[LoopInfo]:
    """The natural loops in the order of their headers, outer ones first."""
    tree, before, order = dominator_tree(rows, 0), transposed(rows), reverse_postorder(rows, 0)
    reachable, bodies = set(order), dict[int, set[int]]()
    for header in order:
        latches = [p for p in before[header] if p in reachable and tree.dominates(header, p)]
        if latches:
            bodies[header] = loop_body(before, header, latches, reachable)
    return [
        LoopInfo(
            id=number,
            header=header,
            line=tables.blocks[header].line,
            depth=sum(header in other for other in bodies.values()),
            blocks=tuple(sorted(body)),
        )
        for number, (header, body) in enumerate(bodies.items())
    ]
