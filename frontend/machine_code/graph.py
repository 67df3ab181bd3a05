"""The control flow of machine code: blocks, what follows which, and registers that are live."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from kcc.base.records import dataclass
from kcc.frontend.machine_code.model import MachineCode, MachineInstruction

_TABLE = re.compile(r"BRANCH_TARGETS ([^\"*)]*)")
_LABEL = re.compile(r"[.\w$]+")
_BRANCHES = frozenset({"BRA", "JMP", "s_branch"})
_REGIONS = {"SYNC": "SSY", "BRK": "PBK", "CONT": "PCNT"}
"""Before Volta: what leaves a region, for where the region says (CUDA Binary Utilities)."""


@dataclass(frozen=True, slots=True)
class MachineBlock:
    """Instructions ``first`` to ``end`` (not with it) run one after another. ``calls`` are blocks
    that a call within it goes to."""

    first: int
    end: int
    successors: tuple[int, ...]
    calls: tuple[int, ...] = ()


class MachineGraph:
    """The blocks of one kernel's code, in the order of the code; the first one is entered."""

    def __init__(self, code: MachineCode) -> None:
        self.code = code
        rows = code.instructions
        self._jumps = [self._targets(place, row) for place, row in enumerate(rows)]
        leaders = {0} | {t for targets in self._jumps for t in targets}
        leaders |= {p + 1 for p, row in enumerate(rows) if self._jumps[p] or row.ends}
        leaders |= {p + 1 for p, row in enumerate(rows) if row.opcode.startswith(("EXIT", "CALL"))}
        self.starts = sorted(place for place in leaders if place < len(rows))
        self.block_at = {place: number for number, place in enumerate(self.starts)}
        ends = [*self.starts[1:], len(rows)]
        self.blocks = tuple(
            self._block(first, end) for first, end in zip(self.starts, ends, strict=True)
        )

    def _targets(self, place: int, row: MachineInstruction) -> tuple[int, ...]:
        """The places that an instruction may jump to, those of calls among them."""
        name = row.opcode.split(".")[0]
        labels = self.code.labels
        if name in _REGIONS:
            return self._region(place, _REGIONS[name])
        if name in ("BRX", "JMX"):
            table = _TABLE.search(row.operands)
            names = _LABEL.findall(table[1]) if table else []
            return tuple(labels[each] for each in names if each in labels)
        jumps = name in _BRANCHES or name in ("CALL", "CAL") or name.startswith("s_cbranch")
        return (labels[row.target],) if jumps and row.target in labels else ()

    def _region(self, place: int, opener: str) -> tuple[int, ...]:
        """Where the innermost region ends that was opened before and ends after."""
        for before in range(place, -1, -1):
            row = self.code.instructions[before]
            end = self.code.labels.get(row.target, -1) if row.target else -1
            if row.opcode.split(".")[0] == opener and end > place:
                return (end,)
        return ()

    def _block(self, first: int, end: int) -> MachineBlock:
        last = self.code.instructions[end - 1]
        targets = [self.block_at[t] for t in self._jumps[end - 1] if t in self.block_at]
        is_call = last.opcode.startswith(("CALL", "CAL"))
        after = [] if is_call else targets
        if not last.ends and end in self.block_at:
            after = [*after, self.block_at[end]]
        calls = tuple(targets) if is_call else ()
        return MachineBlock(first, end, tuple(dict.fromkeys(after)), calls)

    @cached_property
    def block_of(self) -> tuple[int, ...]:
        """By instruction, its block."""
        return tuple(
            n for n, block in enumerate(self.blocks) for _ in range(block.first, block.end)
        )

    @cached_property
    def live_words(self) -> tuple[int, ...]:
        """By instruction, how many vector registers hold values before it that are read later."""
        rows = self.code.instructions
        live_in: list[frozenset[str]] = [frozenset()] * len(self.blocks)
        changed = True
        while changed:
            changed = False
            for number in range(len(self.blocks) - 1, -1, -1):
                found = self._live(number, live_in, None)
                if found != live_in[number]:
                    live_in[number], changed = found, True
        counts = [0] * len(rows)
        for number in range(len(self.blocks)):
            self._live(number, live_in, counts)
        return tuple(counts)

    def _live(
        self, number: int, live_in: Sequence[frozenset[str]], counts: list[int] | None
    ) -> frozenset[str]:
        block = self.blocks[number]
        live = {r for after in (*block.successors, *block.calls) for r in live_in[after]}
        for place in range(block.end - 1, block.first - 1, -1):
            row = self.code.instructions[place]
            if not row.predicate:
                live.difference_update(row.made)
            live.update(row.used)
            if counts is not None:
                counts[place] = sum(_is_vector(each) for each in live)
        return frozenset(live)


def _is_vector(register: str) -> bool:
    return register[0] in "Rv" and register[1:].isdigit()
