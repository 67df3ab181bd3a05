"""What a profile says of a kernel before it runs, from the tables of its traces."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.passes.graphs import Rows, dominator_tree, reverse_postorder, transposed
from kcc.profile.model import AccessInfo, BlockInfo, KernelInfo, LoopInfo
from kcc.trace.tables import TraceTables


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
            loop=max((x.depth, x.id) for x in loops if number in x.blocks)[1]
            if any(number in x.blocks for x in loops)
            else None,
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
    tree = dominator_tree(rows, 0)
    before = transposed(rows)
    bodies = dict[int, set[int]]()
    for header in reverse_postorder(rows, 0):
        latches = [p for p in before[header] if tree.reaches(p) and tree.dominates(header, p)]
        if latches:
            bodies[header] = _body(header, latches, before)
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


def _body(header: int, latches: Sequence[int], before: Rows) -> set[int]:
    """The blocks from which a latch is reached without passing the header."""
    body, pending = {header}, list(latches)
    while pending:
        block = pending.pop()
        if block not in body:
            body.add(block)
            pending += before[block]
    return body
