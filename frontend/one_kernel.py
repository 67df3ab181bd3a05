"""One kernel of a module by itself: what a trace keeps of a module, so that the kernel can be read
back from it."""

from __future__ import annotations

import re

from kcc.frontend.ir.model import Module
from kcc.frontend.ir.reader import read_module
from kcc.frontend.kernel import Kernel, Language
from kcc.frontend.unit import kernel_of

_DEFINITION = re.compile(
    r"^define [^@\n]*@([\w.$]+|\"[^\"\n]*\")\(.*?^}\n", re.MULTILINE | re.DOTALL
)
_SYMBOL = re.compile(r"@([\w.$]+|\"[^\"\n]*\")")


def cut_out(text: str, symbol: str) -> str:
    """The text of a module with the bodies of one kernel and of what it calls alone."""
    bodies = {m[1].strip('"'): m[0] for m in _DEFINITION.finditer(text)}
    kept, left = set[str](), [symbol]
    while left:
        name = left.pop()
        if name in bodies and name not in kept:
            kept.add(name)
            left += [m[1].strip('"') for m in _SYMBOL.finditer(bodies[name])]
    return _DEFINITION.sub(lambda m: m[0] if m[1].strip('"') in kept else "", text)


def read_kernel(text: str, symbol: str, language: Language, unit: str) -> tuple[Module, Kernel]:
    """A kernel and its module, from such a text.

    :raises ValueError: where the text is none, or has no such kernel.
    """
    try:
        module = read_module(text)
    except Exception as error:  # whatever a text may be that is no module
        raise ValueError(f"its IR cannot be read: {error}") from error
    for function in module.kernels:
        if function.name == symbol and function.blocks:
            return module, kernel_of(function, language, unit)
    raise ValueError(f"its IR has no kernel '{symbol}'")
