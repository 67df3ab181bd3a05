"""The text of a miniature's OpenCL C while it grows."""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.types import IrType
from kcc.synth.emit.opencl_types import spelled

AUX = " // aux"


@dataclass(slots=True)
class SourceText:
    """Text, and which access of which kernel stands on which line."""

    lines: list[str] = field(default_factory=list[str])
    accesses: dict[int, tuple[int, int]] = field(default_factory=dict[int, tuple[int, int]])

    def add(self, text: str) -> None:
        self.lines += text.split("\n")

    @property
    def auxiliary(self) -> frozenset[int]:
        """Lines, from 1 on, that stand for nothing in the original."""
        return frozenset(n for n, line in enumerate(self.lines, 1) if line.endswith(AUX))

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


@dataclass(slots=True)
class Body:
    """The lines of a kernel with the access each is, -1 for none, and the names of its variables by
    type."""

    lines: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    declared: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def label(self, text: str) -> None:
        self.lines.append((text, -1))

    def line(self, text: str, access: int = -1) -> None:
        self.lines.append((f"    {text}", access))

    def aux(self, text: str) -> None:
        """A line that stands for nothing in the original."""
        self.line(f"{text}{AUX}")

    def declare(self, type_: IrType, name: str) -> None:
        """A variable; the same name again is the same one."""
        names = self.declared.setdefault(spelled(type_), [])
        if name not in names:
            names.append(name)
