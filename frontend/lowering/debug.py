"""Debug metadata: where in the source each instruction, loop and function comes from.

LLVM keeps locations through every pass, which is how findings on optimised code name source
lines. There is no information on variables and types.
"""

from __future__ import annotations

from dataclasses import field

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.ir.builder import ModuleBuilder

_PRODUCER = "kcc"


MAX_COLUMN = 65_535
"""LLVM keeps columns in 16 bits (DILocation): a place further right has a line alone."""


def quote(text: str) -> str:
    """A metadata or name string of LLVM's text form; every other byte is escaped."""
    return '"' + escape(text.encode("utf-8", "surrogateescape")) + '"'


def escape(data: bytes) -> str:
    """Bytes as LLVM writes them between quotes."""
    plain = (32 <= byte < 127 and byte not in b'"\\' for byte in data)
    return "".join(chr(b) if ok else f"\\{b:02X}" for b, ok in zip(data, plain, strict=True))


@dataclass(slots=True)
class DebugInfo:
    """The metadata nodes of one module; equal places share a node."""

    module: ModuleBuilder
    unit_name: str
    _unit: str = ""
    _locations: dict[tuple[str, str, int, int], str] = field(
        default_factory=dict[tuple[str, str, int, int], str]
    )

    def __post_init__(self) -> None:
        version = self.module.node('!{i32 2, !"Debug Info Version", i32 3}')
        self.module.named_metadata["llvm.module.flags"] = [version]
        self._unit = self.module.node(
            f"!DICompileUnit(language: DW_LANG_C99, file: {self.file(self.unit_name)}, "
            f"producer: {quote(_PRODUCER)}, isOptimized: false, runtimeVersion: 0, "
            "emissionKind: FullDebug)",
            distinct=True,
        )
        self.module.named_metadata["llvm.dbg.cu"] = [self._unit]

    def file(self, name: str) -> str:
        """The node of a source file."""
        return self.module.node(f'!DIFile(filename: {quote(name)}, directory: "")')

    def function(self, name: str, span: Span) -> Scope:
        """The scope of a function defined at ``span``."""
        file = self.file(span.file)
        types = self.module.node("!{null}")
        kind = self.module.node(f"!DISubroutineType(types: {types})")
        node = self.module.node(
            f"!DISubprogram(name: {quote(name)}, scope: {file}, file: {file}, line: {span.line}, "
            f"type: {kind}, scopeLine: {span.line}, spFlags: DISPFlagDefinition, "
            f"unit: {self._unit})",
            distinct=True,
        )
        return Scope(self, node, span.file)

    def location(self, scope: str, file: str, span: Span) -> str:
        """The node of a place in function ``scope``, which is defined in ``file``."""
        key = (scope, span.file, span.line, span.column)
        found = self._locations.get(key)
        if found is None:
            inner = scope if span.file == file else self._foreign(scope, span.file)
            column = span.column if span.column <= MAX_COLUMN else 0
            text = f"!DILocation(line: {span.line}, column: {column}, scope: {inner})"
            found = self._locations[key] = self.module.node(text)
        return found

    def _foreign(self, scope: str, file: str) -> str:
        """The scope of text that an ``#include`` brought into a function's body."""
        return self.module.node(
            f"!DILexicalBlockFile(scope: {scope}, file: {self.file(file)}, discriminator: 0)"
        )


@dataclass(frozen=True, slots=True)
class Scope:
    """A function as a scope of locations."""

    info: DebugInfo
    node: str
    file: str

    def location(self, span: Span) -> str:
        return self.info.location(self.node, self.file, span)
