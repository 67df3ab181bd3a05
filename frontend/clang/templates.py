"""Kernel templates of a CUDA source, and the instantiations that the source itself names."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from kcc.base.records import dataclass
from kcc.frontend.clang.host_code import closing_angle, matching_brace

_TEMPLATE = re.compile(r"\btemplate\s*<")
_NAME = re.compile(r"(\w+)\s*\(")


@dataclass(frozen=True, slots=True)
class FunctionTemplate:
    """A function template; ``parameters`` as the source writes them, ``body`` from the first
    character to behind the last, empty of a declaration."""

    name: str
    parameters: str
    line: int
    is_kernel: bool
    body: tuple[int, int] = (0, 0)

    @property
    def names(self) -> list[str]:
        """Those of the parameters."""
        plain = [one.split("=")[0] for one in _split(self.parameters)]
        return [(re.findall(r"\w+", one) or [""])[-1] for one in plain]


@dataclass(frozen=True, slots=True)
class Instantiation:
    """``name<arguments>`` at a launch or in an explicit instantiation."""

    text: str
    line: int
    place: int = 0


def function_templates(plain: str) -> list[FunctionTemplate]:
    """The function templates of a source whose comments and literals are blank."""
    found = list[FunctionTemplate]()
    for match in _TEMPLATE.finditer(plain):
        close = closing_angle(plain, match.end() - 1)
        if close is None or not plain[match.end() : close].strip():
            continue
        head = plain[close + 1 : close + 600]
        ends = (p for p in (head.find("{"), head.find(";")) if p >= 0)
        end_of_head = min(ends, default=len(head))
        head = re.sub(r"__launch_bounds__\s*\([^)]*\)", " ", head[:end_of_head])
        name = _NAME.search(head)
        if name is not None:
            parameters = " ".join(plain[match.end() : close].split())
            line = plain.count("\n", 0, match.start()) + 1
            opening = plain.find("{", close)
            is_whole = 0 <= opening <= close + 1 + end_of_head
            body = (opening, matching_brace(plain, opening)) if is_whole else (0, 0)
            found.append(FunctionTemplate(name[1], parameters, line, "__global__" in head, body))
    return found


_NAMESPACE = re.compile(r"\b(?:inline\s+)?namespace\s+([\w:]+)\s*\{")


def namespaces_of_kernels(plain: str, templates: Sequence[FunctionTemplate]) -> list[str]:
    """The namespaces around kernel templates, outer ones before inner ones; those left out that
    have a name which another one has as well."""
    spans = [(match[1], match.end() - 1, matching_brace(plain, match.end() - 1))
             for match in _NAMESPACE.finditer(plain)]  # fmt: skip
    places = dict[str, set[str]]()
    for each in templates:
        around = [name for name, start, end in spans if start < each.body[0] < end]
        places.setdefault(each.name, set()).add("::".join(around))
    found = dict[str, None]()
    for name in (each.name for each in templates if each.is_kernel):
        for space in places[name] if len(places[name]) == 1 else ():
            parts = space.split("::") if space else []
            found |= dict.fromkeys("::".join(parts[: n + 1]) for n in range(len(parts)))
    return list(found)


def instantiations(plain: str, templates: Sequence[FunctionTemplate]) -> list[Instantiation]:
    """What launches and explicit instantiations name, each once."""
    found = dict[str, Instantiation]()
    for name in dict.fromkeys(t.name for t in templates if t.is_kernel):
        for use in _uses(plain, name):
            found.setdefault(use.text, use)
    return list(found.values())


def _uses(plain: str, name: str) -> Iterator[Instantiation]:
    """Where a template is named with arguments."""
    for match in re.finditer(rf"\b{name}\s*<(?!<)", plain):
        close = closing_angle(plain, match.end() - 1)
        if close is not None:
            text = f"{name}<{' '.join(plain[match.end() : close].split())}>"
            line = plain.count("\n", 0, match.start()) + 1
            yield Instantiation(text, line, match.start())


def by_defaults(templates: Sequence[FunctionTemplate], made: Collection[str]) -> list[str]:
    """Instantiations by their parameters' defaults of the kernels that are not ``made``."""
    return list(
        dict.fromkeys(
            f"{each.name}<>"
            for each in templates
            if each.is_kernel and each.name not in made
            and all("=" in one for one in _split(each.parameters))
        )
    )  # fmt: skip


_MOST_STEPS = 2_000
"""Templates that instantiate one another with ever larger arguments would not end."""


def substituted(plain: str, templates: Sequence[FunctionTemplate]) -> list[str]:
    """The kernels' instantiations with arguments that mean something outside: where they stand in
    a function template and name its parameters, once for each of its own instantiations."""
    kernels = dict.fromkeys(t.name for t in templates if t.is_kernel)
    pending = [(use.text, use.place) for name in kernels for use in _uses(plain, name)]
    done, seen = dict[str, None](), set[tuple[str, int]]()
    while pending and len(seen) < _MOST_STEPS:
        text, place = pending.pop(0)
        if (text, place) in seen:
            continue
        seen.add((text, place))
        around = next((t for t in templates if t.body[0] < place < t.body[1]), None)
        name, _, rest = text.partition("<")
        if around is None or not set(around.names) & set(re.findall(r"\w+", rest)):
            done[text] = None
            continue
        for use in _uses(plain, around.name):
            if around.body[0] < use.place < around.body[1]:
                continue
            values = _split(use.text.partition("<")[2][:-1])
            meant = dict(zip(around.names, values, strict=False))
            words = re.split(r"(\w+)", rest)
            new = "".join(meant.get(word, word) for word in words)
            pending.append((f"{name}<{new}", use.place))
    return list(done)


def _split(arguments: str) -> list[str]:
    """Template arguments at their commas, those inside brackets left alone."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]
