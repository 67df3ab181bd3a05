"""Which kernels of a module use what has no meaning here, and where their source says so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from kcc.base.diagnostics import Diagnostic, Span
from kcc.base.records import dataclass
from kcc.frontend.builtins.lower import symbol_info
from kcc.frontend.builtins.primitives import SAMPLER_INITIALISER
from kcc.frontend.clang.canonical import functions
from kcc.frontend.clang.debug_nodes import DebugNodes

PREFIX = "__kcc_refuse_"

CONSTRUCTS: dict[str, tuple[str, str]] = {
    "texture": ("K410", "a texture is read"),
    "surface": ("K410", "a surface is accessed"),
    "cooperative_grid": ("K411", "a cooperative group larger than a thread block is synchronised"),
    "inline_ptx": ("K413", "inline PTX is used"),
    "dynamic_parallelism": ("K414", "a kernel is launched from a kernel"),
    "pointer": ("K416", "a function is called through a pointer"),
    "recursion": ("K416", "a function calls itself"),
    "format": ("K417", "the format of a printf is not a constant"),
    "memory": ("K417", "memory is allocated on the device"),
}
"""What a refused name stands for: code and words."""

_HINTS = {"K413": "--frontend nvrtc reads inline PTX (kcc[nvidia])"}

_CALL = re.compile(r"\bcall\b[^@%\n]*?(?:@(\"[^\"]+\"|[\w.$]+)|%[\w.$]+|\basm\b[^\n]*?)\((.*)$")
_LOCATION = re.compile(r"!dbg (!\d+)")
_SOURCE = re.compile(r"_Z\d+__kcc_refuse_sourceILi(\d+)E")
_ALLOCATION = {"malloc", "free", "_Znwm", "_Znam", "_ZdlPv", "_ZdlPvm", "_ZdaPv"}


@dataclass(frozen=True, slots=True)
class _Use:
    callee: str
    location: str | None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A kernel that cannot be analysed, with the reason."""

    symbol: str
    diagnostic: Diagnostic


_THROUGH = re.compile(r"^  (?:%\S+ = )?(?:tail )?call [^@\n]*? %[\w.$]+\(", re.MULTILINE)


def has_calls_through_pointers(text: str) -> bool:
    """Whether a module calls functions through values."""
    return _THROUGH.search(text) is not None


def refused_kernels(
    text: str,
    kernels: Iterable[str],
    names: Mapping[str, str],
    errors: Sequence[Diagnostic] = (),
    reasons: Mapping[str, str] = MappingProxyType({}),
) -> list[Refusal]:
    """The kernels that come to a call without meaning; ``names`` are those of the source,
    ``errors`` what calls of ``__kcc_refuse_source`` stand for, by number, ``reasons`` what is said
    of other refusals."""
    defined = functions(text)
    uses = {name: _uses(body, defined) for name, body in defined.items()}
    nodes = DebugNodes(text)
    found = list[Refusal]()
    for kernel in kernels:
        path = _path(kernel, uses, defined, ())
        if path is not None:
            known = _SOURCE.match(path[-1].callee)
            reason = errors[int(known[1])] if known else None
            reason = reason or _diagnostic(path, nodes, names.get(kernel, kernel), reasons)
            found.append(Refusal(kernel, reason))
    return found


def _uses(body: str, defined: Mapping[str, str]) -> list[_Use]:
    found = list[_Use]()
    for line in body.split("\n"):
        if " call " not in line:
            continue
        where = _LOCATION.search(line)
        location = where[1] if where else None
        if re.search(r"\bcall\b[^@]*\basm\b", line.split("(")[0] + "("):
            found.append(_Use(PREFIX + "inline_ptx", location))
            continue
        match = _CALL.search(line)
        if match is None:
            continue
        if match[1] is None:
            found.append(_Use(PREFIX + "pointer", location))
            continue
        callee = match[1].strip('"')
        if callee in defined or not _is_known(callee):
            found.append(_Use(callee, location))
    return found


def _is_known(symbol: str) -> bool:
    """Whether a function without body has a meaning."""
    if symbol.startswith("llvm.nvvm"):
        return False
    own = symbol in ("printf", SAMPLER_INITIALISER) or symbol.startswith(
        ("llvm.", "__kcc_is_shared", "__kcc_matrix_", "__kcc_mma_")
    )
    return own or symbol_info(symbol) is not None


def _path(
    name: str, uses: Mapping[str, list[_Use]], defined: Mapping[str, str], seen: tuple[str, ...]
) -> list[_Use] | None:
    """The calls that lead from a function to one without meaning."""
    for use in uses[name]:
        if use.callee in (*seen, name):
            return [use, _Use(PREFIX + "recursion", None)]
        if use.callee not in defined:
            return [use]
        inner = _path(use.callee, uses, defined, (*seen, name))
        if inner is not None:
            return [use, *inner]
    return None


def _diagnostic(
    path: list[_Use], nodes: DebugNodes, kernel: str, reasons: Mapping[str, str]
) -> Diagnostic:
    symbol = path[-1].callee
    spans = [nodes.span(use.location) for use in path if use.location]
    named = [span for span in spans if span is not None]
    code, words = "K415", f"'{symbol}' is called, which is not defined here"
    if symbol in _ALLOCATION:
        code, words = CONSTRUCTS["memory"]
    elif symbol.startswith(PREFIX):
        code, words = CONSTRUCTS[symbol.removeprefix(PREFIX).partition(".")[0]]
        words = reasons.get(symbol, words)
    message = f"kernel '{kernel}' is left out: {words}"
    span = named[-1] if named else Span(nodes.unit_name, 0)
    return Diagnostic(code, message, span, hint=_HINTS.get(code))
