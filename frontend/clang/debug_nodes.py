"""Reads what the metadata of clang's IR says of places, functions and the types of parameters."""

from __future__ import annotations

import re
from dataclasses import field

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass

_NODE = re.compile(r"^(!\d+) = (?:distinct )?(!.*)$", re.MULTILINE)
_SUBPROGRAM = re.compile(r"^define [^\n]*@(\"[^\"]+\"|[\w.$]+)\(.*!dbg (!\d+)", re.MULTILINE)
_OWN_HEADER = "kcc-cuda"

_SPELLINGS = {
    "unsigned char": "uchar", "unsigned short": "ushort", "unsigned int": "uint",
    "unsigned long": "ulong", "long long": "long", "unsigned long long": "ulong",
    "signed char": "char", "long unsigned int": "ulong", "long int": "long",
    "short int": "short", "unsigned long long int": "ulong", "__half": "half",
}  # fmt: skip
"""C's names as OpenCL's kernel argument info spells them."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A kernel's parameter; ``type`` and ``qualifiers`` as OpenCL's kernel argument info has
    them."""

    name: str
    type: str
    qualifiers: str


@dataclass(slots=True)
class DebugNodes:
    """The numbered metadata of a module."""

    text: str
    nodes: dict[str, str] = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        self.nodes = {m[1]: m[2] for m in _NODE.finditer(self.text)}

    @property
    def unit_name(self) -> str:
        match = re.search(r'^source_filename = "(.*)"', self.text, re.MULTILINE)
        return match[1] if match else ""

    def subprograms(self) -> dict[str, str]:
        """The node of each defined function that has one."""
        return {m[1].strip('"'): m[2] for m in _SUBPROGRAM.finditer(self.text)}

    def field_of(self, node: str, name: str) -> str | None:
        """A field of a node: the text of a reference, a number or the contents of a string."""
        text = self.nodes.get(node, "")
        match = re.search(rf'[(, ]{name}: (?:"((?:[^"\\]|\\.)*)"|([!\w.$-]+))', text)
        if match is None:
            return None
        return match[1] if match[1] is not None else match[2]

    def name_of(self, subprogram: str) -> str | None:
        """How the source calls a function."""
        return self.field_of(subprogram, "name")

    def span(self, location: str | None) -> Span | None:
        """The place of a DILocation; None inside of our own headers."""
        line = self.field_of(location, "line") if location else None
        if location is None or line is None:
            return None
        file = self._file(self.field_of(location, "scope"))
        if file is None or _OWN_HEADER in file:
            return None
        return Span(file, int(line), int(self.field_of(location, "column") or 0))

    def _file(self, scope: str | None) -> str | None:
        while scope is not None:
            file = self.field_of(scope, "file")
            if file is not None:
                return self.field_of(file, "filename")
            scope = self.field_of(scope, "scope")
        return None

    def parameters(self, subprogram: str) -> dict[int, Parameter]:
        """The parameters of a function by number, from 0."""
        found = dict[int, Parameter]()
        for node, text in self.nodes.items():
            if not text.startswith("!DILocalVariable") or f"scope: {subprogram}," not in text:
                continue
            number = self.field_of(node, "arg")
            if number is None:
                continue
            type_, qualifiers = self._spelled(self.field_of(node, "type"))
            name = self.field_of(node, "name") or ""
            found[int(number) - 1] = Parameter(name, type_, qualifiers)
        return found

    def _spelled(self, node: str | None) -> tuple[str, str]:
        """A type and the qualifiers of what it points to."""
        qualifiers = list[str]()
        pointer = False
        while node is not None and node != "null":
            text = self.nodes.get(node, "")
            if "DW_TAG_restrict_type" in text and not pointer:
                qualifiers.append("restrict")
            elif "DW_TAG_pointer_type" in text or "DW_TAG_reference_type" in text:
                if pointer:
                    return f"{self._spelled(node)[0]}*", " ".join(qualifiers)
                pointer = True
            elif "DW_TAG_const_type" in text:
                qualifiers += ["const"] * pointer
            elif "DW_TAG_volatile_type" in text:
                qualifiers += ["volatile"] * pointer
            elif text.startswith(("!DIBasicType", "!DICompositeType")) or "DW_TAG_typedef" in text:
                name = self.field_of(node, "name") or "struct"
                return _SPELLINGS.get(name, name) + "*" * pointer, " ".join(qualifiers)
            node = self.field_of(node, "baseType")
        return "void" + "*" * pointer, " ".join(qualifiers)
