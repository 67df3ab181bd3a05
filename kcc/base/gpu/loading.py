"""From a GPU's name to its description: names and aliases, inheritance, overlays, overrides.

A description is made in layers, each over the one before, key by key: what the file inherits, the
file, the overlay of the same name in ``kcc/gpus/overlays`` (values that no source prints, each with
its reason), and the user's overrides. ``null`` in a layer takes a value away.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from difflib import get_close_matches
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml

from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink, Severity, Span
from kcc.base.gpu.consistency import contradictions
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import Fact, Quality
from kcc.base.gpu.reading import Sheet, compose, read_sheet, unknown_key
from kcc.base.gpu.schema import described, rules
from kcc.base.gpu.values import BadValue, parse_value
from kcc.base.records import dataclass

FOLDER = Path(__file__).resolve().parents[2] / "gpus"
OVERLAYS = FOLDER / "overlays"
SOURCES_FILE = "sources.yaml"

OVERRIDE_SOURCE = "--set"

_ALIASES = re.compile(r"^aliases: \[(.*)\]$", re.MULTILINE)
_ENDINGS = (".yaml", ".yml")


@dataclass(frozen=True, slots=True)
class Examined:
    """A description, None if it has errors, and everything that was found about it."""

    gpu: GpuDescription | None
    diagnostics: tuple[Diagnostic, ...]


def load_gpu(name: str, overrides: Sequence[str] = ()) -> GpuDescription:
    """The GPU called ``name``: a shipped file's stem, an alias, or the path of a YAML file.

    ``overrides`` are texts KEY=VALUE with dotted keys; ``null`` makes a value unknown.

    :raises DiagnosticError: K800 for an unknown name, K801 to K805, K808 and K809 for what is
        wrong with a file or an override.
    """
    examined = examine_gpu(name, overrides)
    if examined.gpu is None:
        raise DiagnosticError(examined.diagnostics)
    return examined.gpu


def examine_gpu(name: str, overrides: Sequence[str] = ()) -> Examined:
    """The description with warnings and errors; raises :class:`DiagnosticError` (K800) only."""
    sink = DiagnosticSink()
    layers = _Layers(sink)
    path = resolve(name)
    stem = path.stem if path.parent == FOLDER else name
    layers.put_file(path, ())
    for text in overrides:
        layers.put_override(text)
    layers.link_threads()
    if sink.errors:
        return Examined(None, tuple(sink.diagnostics))
    facts = {key: fact for key, fact in layers.facts.items() if fact is not None}
    gpu = described(stem, layers.aliases, facts, dict(shipped_sources()) | layers.sources)
    for each in contradictions(gpu, layers.places):
        sink.add(each)
    if path.parent == FOLDER:
        _check_sources(gpu, facts, layers.places, sink)
    broken = any(each.severity is Severity.ERROR for each in sink.diagnostics)
    return Examined(None if broken else gpu, tuple(sink.diagnostics))


def gpu_names() -> list[str]:
    """The stems of the shipped files, sorted."""
    return sorted(path.stem for path in FOLDER.glob("*.yaml") if path.name != SOURCES_FILE)


CARDS, SIMULATED = "all", "simulated"
"""Names of several GPUs: cards that can be bought, and machines of simulators and papers."""

_VENDORS = ("amd-", "nvidia-")
"""How the stems of cards begin."""


def named_gpus(name: str) -> list[str]:
    """The shipped GPUs that a name stands for: one, or those of :data:`CARDS` or
    :data:`SIMULATED`."""
    if name not in {CARDS, SIMULATED}:
        return [name]
    return [stem for stem in gpu_names() if stem.startswith(_VENDORS) == (name == CARDS)]


@cache
def gpu_aliases() -> Mapping[str, str]:
    """From alias to stem. The files' aliases are lists on one line, found without reading YAML."""
    found = dict[str, str]()
    for stem in gpu_names():
        match = _ALIASES.search((FOLDER / f"{stem}.yaml").read_text(encoding="utf-8"))
        for alias in match[1].split(",") if match else ():
            found[alias.strip()] = stem
    return found


@cache
def shipped_sources() -> Mapping[str, str]:
    """What the source keys of the shipped files stand for."""
    content = (FOLDER / SOURCES_FILE).read_bytes()
    root = compose(SOURCES_FILE, content, DiagnosticSink())
    assert isinstance(root, yaml.MappingNode)
    return {str(key.value): str(value.value) for key, value in root.value}


def resolve(name: str) -> Path:
    """The file of a GPU; raises :class:`DiagnosticError` (K800) if there is none."""
    if name.endswith(_ENDINGS) or "/" in name:
        return Path(name)
    plain = "-".join(name.lower().split())
    stem = plain if plain in gpu_names() else gpu_aliases().get(plain)
    if stem is None:
        raise DiagnosticError([_no_gpu(name, plain)])
    return FOLDER / f"{stem}.yaml"


def _no_gpu(name: str, plain: str) -> Diagnostic:
    known = [*gpu_names(), *gpu_aliases()]
    near = [each for each in known if plain and plain in each]
    near += get_close_matches(plain, known, n=4, cutoff=0.5)
    unique = list(dict.fromkeys(near))[:4]
    hint = f"did you mean {' or '.join(unique)}?" if unique else "`kcc gpus list` has the names"
    return Diagnostic("K800", f"there is no GPU '{name}'", hint=hint)


@dataclass(slots=True)
class _Layers:
    """Layers put one over the other so far."""

    sink: DiagnosticSink
    facts: dict[str, Fact[Any] | None] = field(default_factory=dict[str, "Fact[Any] | None"])
    places: dict[str, Span] = field(default_factory=dict[str, Span])
    sources: dict[str, str] = field(default_factory=dict[str, str])
    aliases: tuple[str, ...] = ()
    overridden: set[str] = field(default_factory=set[str])

    def put_file(self, path: Path, inside: tuple[Path, ...]) -> None:
        """A file over what it inherits, and its overlay; ``inside`` are the files that led here."""
        sheet = self._read(path)
        if sheet is None:
            return
        if sheet.inherits is not None:
            self._inherit(sheet.inherits, path, (*inside, path.resolve()))
        self._put(sheet)
        overlay = OVERLAYS / path.name
        if path.parent == FOLDER and overlay.is_file() and (over := self._read(overlay)):
            self._put(over)
        self.aliases = sheet.aliases

    def _inherit(self, parent: tuple[str, Span], path: Path, inside: tuple[Path, ...]) -> None:
        name, place = parent
        try:
            found = resolve(name)
        except DiagnosticError as error:
            (why,) = error.diagnostics
            self.sink.add(Diagnostic("K809", why.message, place, hint=why.hint))
            return
        if found.parent != FOLDER:
            found = path.parent / found
        if found.resolve() in inside:
            self.sink.add(Diagnostic("K809", f"'{name}' inherits from this file in turn", place))
        elif not found.is_file():
            self.sink.add(Diagnostic("K809", f"there is no file '{name}'", place))
        else:
            self.put_file(found, inside)

    def _read(self, path: Path) -> Sheet | None:
        shown = f"kcc/gpus/{path.relative_to(FOLDER)}" if FOLDER in path.parents else str(path)
        try:
            content = path.read_bytes()
        except OSError as error:
            message = f"the GPU description cannot be read: {error.strerror}"
            self.sink.add(Diagnostic("K801", message, Span(shown, 0)))
            return None
        return _sheet_without_fault(shown, content) or read_sheet(shown, content, self.sink)

    def _put(self, sheet: Sheet) -> None:
        self.facts |= sheet.facts
        self.places |= sheet.places
        self.sources |= sheet.sources

    def put_override(self, text: str) -> None:
        """KEY=VALUE over everything."""
        key, equals, value = (part.strip() for part in text.partition("="))
        rule = rules().get(key)
        if not equals or not key or not value:
            message = f"'{text}' is not of the form KEY=VALUE"
            self.sink.add(Diagnostic("K808", message, hint="for example l2.size_bytes=4194304"))
        elif rule is None:
            self.sink.add(unknown_key(key, None))
        elif value == "null":
            self.facts[key] = None
        else:
            try:
                parsed = parse_value(value, rule)
            except BadValue as error:
                self.sink.add(Diagnostic("K803", f"'{key}' {error}"))
                return
            self.facts[key] = Fact(parsed, rule.unit, OVERRIDE_SOURCE, Quality.USER)
            self.places.pop(key, None)
            self.overridden.add(key)

    def link_threads(self) -> None:
        """Threads and warps per SM are one figure: the user who sets one sets the other, and
        a block is never larger than an SM. An SM has places for warps, of whatever size.
        """
        size = self.facts.get("warp_size")
        threads, warps = "max_threads_per_sm", "max_warps_per_sm"
        given = self.overridden & {threads, warps}
        if not given and "warp_size" in self.overridden:
            given = {warps}
        if size is None or len(given) != 1:
            return
        (key,) = given
        fact = self.facts[key]
        if fact is None or (key == threads and fact.value % size.value):
            return
        other = warps if key == threads else threads
        value = fact.value // size.value if key == threads else fact.value * size.value
        note = f"follows from {key}"
        self.facts[other] = Fact(value, rules()[other].unit, OVERRIDE_SOURCE, Quality.USER, note)
        block, resident = self.facts.get("max_threads_per_block"), self.facts[threads]
        if block and resident and block.value > resident.value:
            note = f"no more than {threads}"
            self.facts["max_threads_per_block"] = replace(
                block, value=resident.value, source=OVERRIDE_SOURCE, quality=Quality.USER, note=note
            )


@lru_cache(maxsize=128)
def _sheet_without_fault(shown: str, content: bytes) -> Sheet | None:
    """What a file says, None if anything is wrong with it. Kept, since design points ask for one
    file again and again, and reading YAML takes as long as predicting a launch."""
    sink = DiagnosticSink()
    sheet = read_sheet(shown, content, sink)
    return None if sink.diagnostics else sheet


def _check_sources(
    gpu: GpuDescription,
    facts: Mapping[str, Fact[Any]],
    places: Mapping[str, Span],
    sink: DiagnosticSink,
) -> None:
    """What kcc ships names its sources, all of them known."""
    for key, fact in facts.items():
        named = [fact.source, *(each.source for each in fact.alternatives)]
        for source in named:
            if source != OVERRIDE_SOURCE and source not in gpu.sources:
                message = f"'{source}', the source of '{key}', is not among the sources"
                sink.add(Diagnostic("K804", message, places.get(key)))
