"""Reads one YAML file of a GPU description: facts by dotted key, each with its place.

YAML's own idea of a value is not used (there, 010 is eight and 1:30 is ninety): a scalar's text is
parsed by the rule of its key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from difflib import get_close_matches
from typing import Any

import yaml

from kcc.base.diagnostics import Diagnostic, DiagnosticSink, Span
from kcc.base.gpu.facts import Alternative, Fact, Kind, Quality, Rule, Value
from kcc.base.gpu.schema import SECTIONS, rules
from kcc.base.gpu.values import BadValue, parse_integers, parse_value
from kcc.base.records import dataclass

MAX_BYTES = 200_000
"""The shipped ones have ten thousand."""

_FACT_KEYS = ("value", "source", "quality", "note", "alternatives")
_ALTERNATIVE_KEYS = ("value", "source", "note")
_HEADER_KEYS = ("aliases", "inherits", "sources")
_NULL = "tag:yaml.org,2002:null"

USER_SOURCE = "this file"
"""The source of a value that a file gives without one."""


@dataclass(slots=True)
class Sheet:
    """What one file says. A key with None is said not to be known; ``places`` are those of keys."""

    name: str
    inherits: tuple[str, Span] | None = None
    aliases: tuple[str, ...] = ()
    sources: dict[str, str] = field(default_factory=dict[str, str])
    facts: dict[str, Fact[Any] | None] = field(default_factory=dict[str, "Fact[Any] | None"])
    places: dict[str, Span] = field(default_factory=dict[str, Span])


def read_sheet(name: str, content: bytes, sink: DiagnosticSink) -> Sheet:
    """What a file holds; what is wrong with it goes to ``sink`` (K801 to K804)."""
    sheet = Sheet(name)
    root = compose(name, content, sink)
    if root is not None:
        _Reader(sheet, sink).read(root)
    return sheet


def compose(name: str, content: bytes, sink: DiagnosticSink) -> yaml.MappingNode | None:
    """The nodes of a YAML file that holds a mapping; None, and K801, for anything else."""
    if len(content) > MAX_BYTES:
        sink.add(Diagnostic("K801", f"the file is larger than {MAX_BYTES} bytes", Span(name, 0)))
        return None
    try:
        text = content.decode("utf-8")
        for token in _YAML.scan(text, Loader=_LOADER):
            if isinstance(token, yaml.AnchorToken | yaml.AliasToken | yaml.TagToken):
                at = Span(name, token.start_mark.line + 1, token.start_mark.column + 1)
                sink.add(Diagnostic("K801", "anchors, aliases and tags are not read", at))
                return None
        root = _YAML.compose(text, Loader=_LOADER)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        sink.add(Diagnostic("K801", "this line is not valid UTF-8", Span(name, line)))
        return None
    except yaml.YAMLError as error:
        sink.add(
            Diagnostic("K801", f"not valid YAML: {_problem(error)}", _error_place(name, error))
        )
        return None
    except RecursionError:
        sink.add(Diagnostic("K801", "not valid YAML: nested too deeply", Span(name, 0)))
        return None
    if not isinstance(root, yaml.MappingNode):
        sink.add(Diagnostic("K801", "the file must hold keys and values", Span(name, 1)))
        return None
    return root


_YAML: Any = yaml
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _problem(error: yaml.YAMLError) -> str:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None)
    return str(problem or "it cannot be parsed")


def _error_place(name: str, error: yaml.YAMLError) -> Span:
    mark = getattr(error, "problem_mark", None)
    return Span(name, 0) if mark is None else Span(name, mark.line + 1, mark.column + 1)


class _Reader:
    """Fills a sheet from the nodes of a file."""

    def __init__(self, sheet: Sheet, sink: DiagnosticSink) -> None:
        self.sheet = sheet
        self.sink = sink

    def read(self, root: yaml.MappingNode) -> None:
        for key, place, node in self._entries(root):
            match key:
                case "aliases":
                    self.sheet.aliases = tuple(self._texts(node))
                case "inherits":
                    self.sheet.inherits = (self._scalar(node), place)
                case "sources":
                    self._sources(node)
                case _ if key in SECTIONS:
                    self._section(key, node)
                case _:
                    self._fact(key, place, node)

    def _section(self, name: str, node: yaml.Node) -> None:
        if not isinstance(node, yaml.MappingNode):
            self._complain("K803", f"'{name}' must hold keys and values", self._span(node))
            return
        for key, place, inner in self._entries(node):
            self._fact(f"{name}.{key}", place, inner)

    def _fact(self, key: str, place: Span, node: yaml.Node) -> None:
        rule = rules().get(key)
        if rule is None:
            self._unknown(key, place)
            return
        self.sheet.places[key] = place
        if node.tag == _NULL:
            self.sheet.facts[key] = None
        elif isinstance(node, yaml.MappingNode):
            self._full_fact(key, rule, place, node)
        else:
            value = self._value(key, rule, node)
            if value is not None:
                self.sheet.facts[key] = Fact(value, rule.unit, USER_SOURCE, Quality.USER)

    def _full_fact(self, key: str, rule: Rule, place: Span, node: yaml.MappingNode) -> None:
        parts = self._parts(key, node, _FACT_KEYS)
        if "value" not in parts:
            self._complain("K804", f"'{key}' has no value", place)
            return
        value = self._value(key, rule, parts["value"])
        quality = self._quality(parts.get("quality"))
        note = self._scalar(parts["note"]) if "note" in parts else ""
        if quality is Quality.ASSUMED and not note:
            self._complain("K804", f"'{key}' is assumed without a note that says why", place)
        if value is None or quality is None:
            return
        source = self._scalar(parts["source"]) if "source" in parts else USER_SOURCE
        others = self._alternatives(key, rule, parts.get("alternatives"))
        self.sheet.facts[key] = Fact(value, rule.unit, source, quality, note, others)

    def _alternatives(
        self, key: str, rule: Rule, node: yaml.Node | None
    ) -> tuple[Alternative, ...]:
        found = list[Alternative]()
        if node is not None and not isinstance(node, yaml.SequenceNode):
            self._complain("K804", f"the alternatives of '{key}' must be a list", self._span(node))
        for each in node.value if isinstance(node, yaml.SequenceNode) else ():
            parts = self._parts(key, each, _ALTERNATIVE_KEYS)
            if "value" not in parts or "source" not in parts:
                message = f"an alternative of '{key}' needs a value and a source"
                self._complain("K804", message, self._span(each))
                continue
            value = self._value(key, rule, parts["value"])
            note = self._scalar(parts["note"]) if "note" in parts else ""
            if value is not None:
                found.append(Alternative(value, self._scalar(parts["source"]), note))
        return tuple(found)

    def _parts(self, key: str, node: yaml.Node, known: tuple[str, ...]) -> dict[str, yaml.Node]:
        parts = dict[str, yaml.Node]()
        for part, place, inner in self._entries(node):
            if part in known:
                parts[part] = inner
            else:
                message = f"'{part}' is no part of a value: they are {', '.join(known)}"
                self._complain("K804", f"{message} ('{key}')", place)
        return parts

    def _value(self, key: str, rule: Rule, node: yaml.Node) -> Value | None:
        try:
            if rule.kind is Kind.INTEGERS and isinstance(node, yaml.SequenceNode):
                return parse_integers([self._scalar(each) for each in node.value], rule)
            if not isinstance(node, yaml.ScalarNode) or node.tag == _NULL:
                raise BadValue(f"must be {rule.kind.value}")
            return parse_value(node.value, rule)
        except BadValue as error:
            self._complain("K803", f"'{key}' {error}", self._span(node))
            return None

    def _quality(self, node: yaml.Node | None) -> Quality | None:
        if node is None:
            return Quality.USER
        try:
            return Quality(self._scalar(node))
        except ValueError:
            known = ", ".join(quality.value for quality in Quality)
            self._complain("K804", f"the quality must be one of {known}", self._span(node))
            return None

    def _sources(self, node: yaml.Node) -> None:
        for key, _, inner in self._entries(node):
            self.sheet.sources[key] = self._scalar(inner)

    def _texts(self, node: yaml.Node) -> list[str]:
        if not isinstance(node, yaml.SequenceNode):
            self._complain("K803", "a list is wanted here", self._span(node))
            return []
        return [self._scalar(each) for each in node.value]

    def _scalar(self, node: yaml.Node) -> str:
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        self._complain("K803", "a text is wanted here", self._span(node))
        return ""

    def _entries(self, node: yaml.Node) -> Iterator[tuple[str, Span, yaml.Node]]:
        """The keys of a mapping; complains of what is none, and of a key that stands twice."""
        seen = set[str]()
        if not isinstance(node, yaml.MappingNode):
            self._complain("K803", "keys and values are wanted here", self._span(node))
            return
        for key_node, value_node in node.value:
            key, place = self._scalar(key_node), self._span(key_node)
            if key in seen:
                self._complain("K802", f"'{key}' stands twice", place)
            elif key:
                seen.add(key)
                yield key, place, value_node

    def _unknown(self, key: str, place: Span) -> None:
        self.sink.add(unknown_key(key, place))

    def _complain(self, code: str, message: str, at: Span) -> None:
        self.sink.add(Diagnostic(code, message, at))

    def _span(self, node: yaml.Node) -> Span:
        start, end = node.start_mark, node.end_mark
        length = end.column - start.column if start.line == end.line else 1
        return Span(self.sheet.name, start.line + 1, start.column + 1, max(1, length))


def unknown_key(key: str, place: Span | None) -> Diagnostic:
    """K802 with the keys that look like ``key``."""
    known = [*rules(), *_HEADER_KEYS]
    last = {name.rpartition(".")[2]: name for name in known}
    near = get_close_matches(key, known, n=1) or [
        last[name] for name in get_close_matches(key.rpartition(".")[2], list(last), n=1)
    ]
    hint = f"did you mean '{near[0]}'?" if near else "docs/reference/gpus.md lists the keys"
    return Diagnostic("K802", f"a GPU has no '{key}'", place, hint=hint)
