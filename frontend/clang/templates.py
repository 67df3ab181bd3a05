"""Kernel templates of a CUDA source, and the instantiations that the source itself names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kcc.frontend.clang.host_code import closing_angle

_TEMPLATE = re.compile(r"\btemplate\s*<")
_NAME = re.compile(r"(\w+)\s*\(")


@dataclass(frozen=True, slots=True)
class FunctionTemplate:
    """A function template; ``parameters`` as the source writes them."""

    name: str
    parameters: str
    line: int
    is_kernel: bool


@dataclass(frozen=True, slots=True)
class Instantiation:
    """``name<arguments>`` at a launch or in an explicit instantiation."""

    text: str
    line: int


def function_templates(plain: str) -> list[FunctionTemplate]:
    """The function templates of a source whose comments and literals are blank."""
    found = list[FunctionTemplate]()
    for match in _TEMPLATE.finditer(plain):
        close = closing_angle(plain, match.end() - 1)
        if close is None or not plain[match.end() : close].strip():
            continue
        head = plain[close + 1 : close + 600]
        end = min((p for p in (head.find("{"), head.find(";")) if p >= 0), default=len(head))
        head = re.sub(r"__launch_bounds__\s*\([^)]*\)", " ", head[:end])
        name = _NAME.search(head)
        if name is not None:
            parameters = " ".join(plain[match.end() : close].split())
            line = plain.count("\n", 0, match.start()) + 1
            found.append(FunctionTemplate(name[1], parameters, line, "__global__" in head))
    return found


def instantiations(plain: str, templates: Sequence[FunctionTemplate]) -> list[Instantiation]:
    """What launches and explicit instantiations name, each once."""
    found = dict[str, Instantiation]()
    for name in dict.fromkeys(t.name for t in templates if t.is_kernel):
        for match in re.finditer(rf"\b{name}\s*<(?!<)", plain):
            close = closing_angle(plain, match.end() - 1)
            if close is None:
                continue
            text = f"{name}<{' '.join(plain[match.end() : close].split())}>"
            line = plain.count("\n", 0, match.start()) + 1
            found.setdefault(text, Instantiation(text, line))
    return list(found.values())
