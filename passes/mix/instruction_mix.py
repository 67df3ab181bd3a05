"""The instruction mix: static counts by class, per kernel, per block and per source line."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from kcc.base.records import dataclass
from kcc.frontend.kernel import Kernel
from kcc.passes.facts import Facts
from kcc.passes.graph.control_flow import ControlFlow
from kcc.passes.mix.classify import Counted, classify
from kcc.passes.mix.counts import ClassCounts


@dataclass(frozen=True, slots=True)
class InstructionMix:
    """Counts of what the reachable blocks hold, each instruction once however often it runs.

    ``blocks`` has one entry per block, all zero for those that cannot be reached; ``lines`` goes
    by file and line; ``unattributed`` are instructions without a line.
    """

    total: ClassCounts
    blocks: tuple[ClassCounts, ...]
    lines: Mapping[tuple[str, int], ClassCounts]
    unattributed: ClassCounts


@dataclass(frozen=True, slots=True)
class InstructionMixPass:
    """Gives :class:`InstructionMix`."""

    name: str = "instruction mix"
    requires: tuple[type, ...] = (ControlFlow,)

    def run(self, kernel: Kernel, facts: Facts) -> InstructionMix:
        reachable = facts[ControlFlow].reachable
        blocks = list[ClassCounts]()
        lines = dict[tuple[str, int], list[Counted]]()
        unattributed = list[Counted]()
        for block in kernel.function.blocks:
            counted = list[Counted]()
            for instruction in block.instructions if block.index in reachable else ():
                found = classify(instruction)
                counted += found
                place = instruction.location
                if place:
                    lines.setdefault((place.file, place.line), []).extend(found)
                else:
                    unattributed += found
            blocks.append(ClassCounts.of(counted))
        return InstructionMix(
            total=ClassCounts.sum(blocks),
            blocks=tuple(blocks),
            lines=MappingProxyType({key: ClassCounts.of(lines[key]) for key in sorted(lines)}),
            unattributed=ClassCounts.of(unattributed),
        )
