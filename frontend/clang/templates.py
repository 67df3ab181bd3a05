"""Kernel templates of a CUDA source, and the instantiations that the source itself names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_TEMPLATE = re.compile(r"\btemplate\s*<")
_KERNEL = re.compile(r"\s*(?:[\w:]+\s+|__launch_bounds__\s*\([^)]*\)\s*)*?__global__\b([^;{(]*(?:\([^)]*\)\s*)?)")
_NAME = re.compile(r"(\w+)\s*\(")


@dataclass(frozen=True, slots=True)
class KernelTemplate:
    """A kernel template; ``parameters`` as the source writes them."""

    name: str
    parameters: str
    line: int


@dataclass(frozen=True, slots=True)
class Instantiation:
    """``name<arguments>`` at a launch or in an explicit instantiation."""

    text: str
    line: int


def kernel_templates(plain: str) -> list[KernelTemplate]:
    """The kernel templates of a source whose comments and literals are blank."""
    found = list[KernelTemplate]()
    for match in _TEMPLATE.finditer(plain):
        close = closing(plain, match.end() - 1)
        if close is None or not plain[match.end() : close].strip():
            continue
        head = plain[close + 1 : close + 600]
        end = min((p for p in (head.find("{"), head.find(";")) if p >= 0), default=len(head))
        head = re.sub(r"__launch_bounds__\s*\([^)]*\)", " ", head[:end])
        name = _NAME.search(head)
        if "__global__" in head and name is not None:
            parameters = " ".join(plain[match.end() : close].split())
            line = plain.count("\n", 0, match.start()) + 1
            found.append(KernelTemplate(name[1], parameters, line))
    return found


def closing(text: str, opening: int) -> int | None:
    """The ``>`` that closes the ``<`` at ``opening``."""
    depth = 0
    for place in range(opening, min(len(text), opening + 2000)):
        if text[place] == "<":
            depth += 1
        elif text[place] == ">":
            depth -= 1
            if depth == 0:
                return place
        elif text[place] in ";{":
            return None
    return None


def instantiations(plain: str, templates: Sequence[KernelTemplate]) -> list[Instantiation]:
    """What launches and explicit instantiations name, each once."""
    found = dict[str, Instantiation]()
    for name in dict.fromkeys(t.name for t in templates):
        for match in re.finditer(rf"\b{name}\s*<(?!<)", plain):
            close = closing(plain, match.end() - 1)
            if close is None:
                continue
            text = f"{name}<{' '.join(plain[match.end() : close].split())}>"
            line = plain.count("\n", 0, match.start()) + 1
            found.setdefault(text, Instantiation(text, line))
    return list(found.values())
