"""Loads kernel.toml: the build options, launches and arguments that belong to a kernel source.

The format is described in kernels/README.md. Everything in the file is checked before anything is
given back, and every complaint points at its line.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NoReturn, TypeAlias, TypeVar, cast

from kcc.base.arguments import Argument
from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink, Span
from kcc.base.expressions import MAX_BITS, Expression, Value
from kcc.base.launch import LaunchRequest
from kcc.base.launch_language import macro_value, parse_argument_value, parse_dimensions
from kcc.base.records import dataclass

FILE_NAME = "kernel.toml"

MAX_BYTES = 1_000_000
"""Those in kernels/ have two thousand."""

SIZES = ("tiny", "small", "large")

_TABLES = ("source", "sizes", "launch", "args", "provenance")
_SOURCE_KEYS = ("file", "defines", "includes", "options")
_LAUNCH_KEYS = ("global", "local", "grid", "block")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_HEADER = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(#.*)?")
_ENTRY = re.compile(r"""\s*(?P<key>[A-Za-z0-9_-]+)\s*=\s*(?P<quote>["'](?!["']{2}))?""")
_TOML_PLACE = re.compile(r"^(?P<message>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)$")

Table: TypeAlias = Mapping[str, object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WorkloadFile:
    """A kernel.toml, read. Launches and arguments go by kernel name, free names by size.

    ``defines`` are macro texts; ``includes`` and ``source`` are paths that start at the folder of
    the file as it was named.
    """

    path: Path
    source: Path
    defines: Mapping[str, str]
    includes: tuple[Path, ...]
    options: tuple[str, ...]
    sizes: Mapping[str, Mapping[str, Value]]
    launches: Mapping[str, LaunchRequest]
    arguments: Mapping[str, tuple[Argument, ...]]
    provenance: Mapping[str, str]

    def names(self, size: str | None = None) -> dict[str, Value]:
        """The values of names in its expressions: numeric defines, and those of a size."""
        numbers = {name: macro_value(text) for name, text in self.defines.items()}
        names = {name: value for name, value in numbers.items() if value is not None}
        return names | dict(self.sizes[size] if size is not None else {})


def find_workload_file(source: Path) -> Path | None:
    """The kernel.toml beside a source; None when there is none or it is for another source. One
    in another language is the same source if the names are equal but for their endings.

    :raises DiagnosticError: K036 when there is one that is not valid TOML.
    """
    path = source.parent / FILE_NAME
    if not path.is_file():
        return None
    table = _read(path)[0].get("source")
    file = cast("Table", table).get("file") if isinstance(table, dict) else None
    mine = isinstance(file, str) and Path(file).stem == source.stem
    return path if mine else None


def load_workload_file(path: Path) -> WorkloadFile:
    """Read a kernel.toml.

    :raises DiagnosticError: K001, K004, K036 or K037 for the file, and the codes of
        :mod:`kcc.base.launch_language` for the texts in it.
    """
    content, lines = _read(path)
    loader = _Loader(path, _places(str(path), lines), DiagnosticSink())
    workload = loader.load(content)
    if loader.sink.errors:
        raise DiagnosticError(sorted(loader.sink.diagnostics, key=_order))
    return workload


def _order(diagnostic: Diagnostic) -> tuple[int, int]:
    return (diagnostic.span.line, diagnostic.span.column) if diagnostic.span else (0, 0)


def _read(path: Path) -> tuple[Table, list[str]]:
    """The file as TOML and as lines."""
    name = str(path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        _fail("K001", f"{name} cannot be read: {error.strerror}", Span(name, 0))
    if len(raw) > MAX_BYTES:
        _fail("K004", f"{name} is larger than {MAX_BYTES} bytes", Span(name, 0))
    try:
        text = raw.decode("utf-8")
        return tomllib.loads(text), text.splitlines()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        _fail("K036", "this line is not valid UTF-8", Span(name, line))
    except tomllib.TOMLDecodeError as error:
        found = _TOML_PLACE.match(str(error))
        if found is None:
            _fail("K036", f"not valid TOML: {error}", Span(name, 0))
        at = Span(name, int(found["line"]), int(found["column"]))
        _fail("K036", f"not valid TOML: {found['message']}", at)
    except RecursionError:
        _fail("K036", "not valid TOML: nested too deeply", Span(name, 0))


def _fail(code: str, message: str, at: Span) -> NoReturn:
    raise DiagnosticError([Diagnostic(code, message, at)]) from None


def _places(name: str, lines: Iterable[str]) -> dict[tuple[str, str], Span]:
    """Where values stand, by table and key: tomllib does not tell.

    A text's place is its first character; with escapes in it the columns are not known. What is
    written in an unusual way has no place here.
    """
    places: dict[tuple[str, str], Span] = {}
    table = ""
    for number, line in enumerate(lines, start=1):
        if header := _HEADER.fullmatch(line):
            table = header[1]
            places.setdefault((table, ""), Span(name, number, header.start(1) + 1, len(table)))
        elif entry := _ENTRY.match(line):
            escaped = entry["quote"] == '"' and "\\" in line
            column = 0 if escaped else entry.end() + 1
            places.setdefault((table, entry["key"]), Span(name, number, column))
    return places


@dataclass(frozen=True, slots=True)
class _Loader:
    """Checks the tables of one file; complaints go to the sink, and reading goes on."""

    path: Path
    places: Mapping[tuple[str, str], Span]
    sink: DiagnosticSink

    def at(self, table: str, key: str = "") -> Span:
        """The place of an entry, or of what is known around it."""
        for place in ((table, key), (table, ""), ("", table)):
            if place in self.places:
                return self.places[place]
        return Span(str(self.path), 0)

    def complain(self, message: str, at: Span, hint: str | None = None) -> None:
        """Record a K037."""
        self.sink.report("K037", message, at, hint=hint)

    def load(self, content: Table) -> WorkloadFile:
        """The whole file."""
        self.known_keys(content, "", _TABLES)
        tables = {name: self.table(content, "", name) for name in _TABLES}
        folder = self.path.parent
        source = tables["source"]
        self.known_keys(source, "source", _SOURCE_KEYS)
        includes = self.texts(source, "source", "includes")
        arguments = {name: self.arguments(tables["args"], name) for name in tables["args"]}
        launches = {name: self.launch(tables["launch"], name) for name in tables["launch"]}
        for name in arguments:
            if name not in launches:
                self.complain(f"[args.{name}] has no [launch.{name}]", self.at(f"args.{name}"))
        return WorkloadFile(
            path=self.path,
            source=folder / self.source_file(source),
            defines=self.defines(self.table(source, "source", "defines")),
            includes=tuple(folder / include for include in includes),
            options=self.texts(source, "source", "options"),
            sizes=self.sizes(tables["sizes"]),
            launches=launches,
            arguments=arguments,
            provenance={
                key: self.text(tables["provenance"], "provenance", key) or ""
                for key in tables["provenance"]
            },
        )

    def known_keys(self, table: Table, name: str, known: tuple[str, ...]) -> None:
        """Complain of keys that mean nothing."""
        from difflib import get_close_matches

        where = f"[{name}]" if name else "kernel.toml"
        for key in table:
            if key not in known:
                near = get_close_matches(key, known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(known)}"
                at = self.at(name, key) if (name, key) in self.places else self.at(key)
                self.complain(f"{where} has no entry '{key}'", at, hint)

    def table(self, parent: Table, name: str, key: str) -> Table:
        """A table within another; empty when it is not there."""
        value = parent.get(key, {})
        if isinstance(value, dict):
            return cast("Table", value)
        self.complain(f"'{key}' has to be a table", self.at(name, key))
        return {}

    def text(self, table: Table, name: str, key: str) -> str | None:
        """A text; complains when it is not there or something else, and gives None."""
        value = table.get(key)
        if not isinstance(value, str):
            what = f"has no '{key}'" if value is None else f"'{key}' has to be a text"
            self.complain(f"[{name}] {what}" if value is None else what, self.at(name, key))
            return None
        return value

    def texts(self, table: Table, name: str, key: str) -> tuple[str, ...]:
        """A list of texts; empty when it is not there."""
        value = table.get(key, [])
        items = cast("list[object]", value) if isinstance(value, list) else [None]
        found = tuple(item for item in items if isinstance(item, str))
        if len(found) < len(items):
            self.complain(f"'{key}' has to be a list of texts", self.at(name, key))
        return found

    def source_file(self, source: Table) -> str:
        """The name of the source, which stands beside the file."""
        name = self.text(source, "source", "file") or ""
        if Path(name).name != name:
            self.complain("the source has to stand beside kernel.toml", self.at("source", "file"))
        return name

    def number(self, value: object) -> Value | None:
        """A number that an expression can use."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        if isinstance(value, int):
            return value if value.bit_length() <= MAX_BITS else None
        return value if math.isfinite(value) else None

    def defines(self, table: Table) -> dict[str, str]:
        """Macro texts; a number stands for the text in which it is written."""
        texts: dict[str, str] = {}
        for key, value in table.items():
            number = self.number(value)
            at = self.at("source.defines", key)
            at = at if at.line else self.at("source", "defines")
            if not _IDENTIFIER.fullmatch(key):
                self.complain(f"'{key}' is not a macro name", at)
            elif isinstance(value, str) and "\n" not in value:
                texts[key] = value
            elif number is not None:
                texts[key] = repr(value)
            else:
                self.complain(f"the macro '{key}' has to be a number or a text on one line", at)
        return texts

    def sizes(self, table: Table) -> dict[str, dict[str, Value]]:
        """The free names of each size."""
        self.known_keys(table, "sizes", SIZES)
        sizes: dict[str, dict[str, Value]] = {}
        for size in table:
            sizes[size] = {}
            for name, value in self.table(table, "sizes", size).items():
                number = self.number(value)
                at = self.at(f"sizes.{size}", name)
                at = at if at.line else self.at("sizes", size)
                if number is None or not _IDENTIFIER.fullmatch(name):
                    self.complain(f"size '{size}': '{name}' has to be a name with a number", at)
                else:
                    sizes[size][name] = number
        return sizes

    def parsed(
        self, parse: Callable[[str, Span], T], table: Table, name: str, key: str
    ) -> T | None:
        """What a text of the launch language means; None when there was something wrong."""
        text = self.text(table, name, key)
        try:
            return None if text is None else parse(text, self.at(name, key))
        except DiagnosticError as error:
            for diagnostic in error.diagnostics:
                self.sink.add(diagnostic)
            return None

    def launch(self, launches: Table, kernel: str) -> LaunchRequest:
        """A table [launch.KERNEL]."""
        name = f"launch.{kernel}"
        table = self.table(launches, "launch", kernel)
        self.known_keys(table, name, _LAUNCH_KEYS)
        sizes: dict[str, tuple[Expression, ...] | None] = {}
        for key in _LAUNCH_KEYS:
            if key in table:
                sizes[key] = self.parsed(parse_dimensions, table, name, key)
        if not sizes.keys() & {"global", "grid"}:
            self.complain(f"[{name}] has no 'global'", self.at(name))
        return LaunchRequest(
            sizes.get("global"), sizes.get("local"), sizes.get("grid"), sizes.get("block")
        )

    def arguments(self, tables: Table, kernel: str) -> tuple[Argument, ...]:
        """A table [args.KERNEL], in its order."""
        name = f"args.{kernel}"
        table = self.table(tables, "args", kernel)
        arguments: list[Argument] = []
        for key in table:
            value = self.parsed(parse_argument_value, table, name, key)
            if value is not None:
                arguments.append(Argument(key, value, self.at(name, key)))
        return tuple(arguments)
