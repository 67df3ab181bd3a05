"""Metadata in LLVM's text: debug locations, loop marks, tuples on functions."""

from __future__ import annotations

import re

from kcc.frontend.ir.instructions import DebugLocation, LoopMark
from kcc.frontend.ir.model import MetadataLeaf
from kcc.frontend.ir.reader.constants import ConstantReader
from kcc.frontend.ir.reader.tokens import plain_string, tokenize, unknown
from kcc.frontend.ir.reader.types import TypeReader
from kcc.frontend.ir.values import ConstantInt

_FIELD = re.compile(r'(\w+): ("[^"]*"|![0-9]+|[^,()]+)')
_LOCATION = re.compile(
    r"(?:distinct )?!DILocation\(line: (\d+)(?:, column: (\d+))?, scope: (!\d+)"
    r"(?:, inlinedAt: (!\d+))?"
)
_FILE_BLOCK = re.compile(r"!DILexicalBlockFile\(scope: (!\d+), file: (!\d+),")
_KIND = re.compile(r"(?:distinct )?!(\w+)\(")
_LOOP_ITEM = re.compile(r"![0-9]+")
_UNROLL = re.compile(r'!\{!"llvm\.loop\.unroll\.(\w+)"(?:, i32 (\d+))?\}')
_UNROLL_WORDS = {"full": 0, "disable": 1, "enable": -1}


class MetadataReader:
    """Resolves the numbered metadata nodes of a module on demand.

    ``nodes`` maps ``!7`` to the text of the node.
    """

    def __init__(self, nodes: dict[str, str], types: TypeReader, constants: ConstantReader) -> None:
        self._nodes = nodes
        self._types = types
        self._constants = constants
        self._locations: dict[str, DebugLocation] = {}
        self._scopes: dict[str, tuple[str, str]] = {}
        self._files: dict[str, str] = {}
        self._loops: dict[str, LoopMark] = {}

    def location(self, reference: str) -> DebugLocation | None:
        """The place a ``!dbg`` of an instruction names, None for line 0 (no place)."""
        found = self._location(reference)
        return found if found.line else None

    def _location(self, reference: str) -> DebugLocation:
        found = self._locations.get(reference)
        if found is None:
            match = _LOCATION.match(self._nodes[reference])
            if match is None:
                raise unknown(f"'{reference}' is no location")
            line, column, scope, outer = match.groups()
            file, function = self._scope(scope)
            call = self._location(outer) if outer else None
            found = DebugLocation(file, int(line), int(column or 0), function, call)
            self._locations[reference] = found
        return found

    def subprogram(self, reference: str) -> DebugLocation | None:
        """Where the function that a ``!dbg`` of a definition names is, with its source name."""
        fields = self._fields(reference)
        line = int(fields.get("line", 0))
        file, function = self._scope(reference)
        return DebugLocation(file, line, 0, function, None) if line else None

    def loop(self, reference: str) -> LoopMark:
        """What a ``!llvm.loop`` says: its first two locations, and the unroll mark."""
        found = self._loops.get(reference)
        if found is None:
            places, unroll = list[DebugLocation | None](), None
            for item in _LOOP_ITEM.findall(self._nodes[reference]):
                text = self._nodes[item]
                if text.startswith("!DILocation("):
                    places.append(self.location(item))
                elif match := _UNROLL.match(text):
                    asked = int(match[2]) if match[1] == "count" else _UNROLL_WORDS.get(match[1])
                    unroll = asked if asked is not None else unroll
            places += [None, None]
            found = self._loops[reference] = LoopMark(places[0], places[1], unroll)
        return found

    def tuple(self, reference: str) -> tuple[MetadataLeaf, ...] | None:
        """The leaves of a tuple of numbers, strings and types; None for any other node."""
        text = self._nodes.get(reference, "").removeprefix("distinct ")
        if not text.startswith("!{"):
            return None
        tokens, leaves = tokenize(text), list[MetadataLeaf]()
        del tokens[-2:]
        while tokens[-1] != "}":
            token = tokens[-1]
            if token.startswith('!"'):
                leaves.append(plain_string(tokens.pop()[1:]))
            elif token[0] == "!" or token == "null":
                return None
            else:
                type_ = self._types.read(tokens)
                value = self._constants.read(type_, tokens)
                leaves.append(value.value if isinstance(value, ConstantInt) else type_)
            if tokens[-1] == ",":
                tokens.pop()
        return tuple(leaves)

    def _fields(self, reference: str) -> dict[str, str]:
        return dict(_FIELD.findall(self._nodes.get(reference, "")))

    def _scope(self, reference: str) -> tuple[str, str]:
        """File and function of a scope: a subprogram, a lexical block or another file's block."""
        found = self._scopes.get(reference)
        if found is None:
            block = _FILE_BLOCK.match(self._nodes.get(reference, ""))
            if block is not None:
                name = self._file(block[2])
                found = self._scopes[reference] = (name, self._scope(block[1])[1])
                return found
            fields = self._fields(reference)
            kind = _KIND.match(self._nodes.get(reference, ""))
            name = fields.get("name", '""')
            if kind and kind[1] == "DISubprogram":
                function = plain_string(name)
            else:
                function = self._scope(fields["scope"])[1] if "scope" in fields else ""
            found = self._scopes[reference] = (self._file(fields.get("file", "")), function)
        return found

    def _file(self, reference: str) -> str:
        found = self._files.get(reference)
        if found is None:
            name = self._fields(reference).get("filename", '""')
            found = self._files[reference] = plain_string(name)
        return found
