"""How wide the sub-groups of a module are, and what depends on it."""

from __future__ import annotations

import re

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.builtins.lower import SubGroups
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.builtins.primitives import is_primitive
from kcc.frontend.builtins.table_lanes import PART, PARTS

NARROWEST_WARP = 32
"""Sub-groups of fewer work-items are parts of a warp on every GPU that is described."""

_REQUIRED = re.compile(r"!intel_reqd_sub_group_size (!\d+)")
_SYMBOL = re.compile(r"@_Z(\d+)((?:get_|sub_group_)\w+)")
_PARTED = {name.removeprefix(PART) for row in PARTS for name in row.names.split()}
_WRITTEN_OUT = re.compile(
    r"@(_Z\d+(?:sub_group_(?:reduce|scan|non_uniform|rotate|clustered_rotate|ballot_)"
    r"|intel_sub_group|work_group_(?:reduce|scan)|get_sub_group_(?:eq|g[et]|l[et])_mask)\w*)"
)


def sub_groups_of(text: str, otherwise: int = NARROWEST_WARP) -> SubGroups:
    """What the kernels of a module ask for.

    Raises :class:`DiagnosticError` (K423) where they ask for several sizes.
    """
    sizes = set[int]()
    for node in set(_REQUIRED.findall(text)):
        if found := re.search(rf"^{node} = !{{i32 (\d+)}}", text, re.MULTILINE):
            sizes.add(int(found[1]))
    if len(sizes) > 1:
        shown = " and ".join(map(str, sorted(sizes)))
        message = f"kernels of one source ask for sub-groups of {shown} work-items"
        hint = "a macro that selects the kernels of one size leaves the others out"
        raise DiagnosticError([Diagnostic("K423", message, hint=hint)])
    size = sizes.pop() if sizes else otherwise
    return SubGroups(size, in_parts=size < NARROWEST_WARP)


def in_parts(text: str) -> str:
    """The module with calls of functions of parts of a warp in place of those of warps."""

    def renamed(match: re.Match[str]) -> str:
        length = int(match[1])
        name, rest = match[2][:length], match[2][length:]
        builtin = overload_of_symbol(match[0][1:])
        if name not in _PARTED or builtin is None or not is_primitive(builtin):
            return match[0]
        return f"@_Z{length + len(PART)}{PART}{name}{rest}"

    return _SYMBOL.sub(renamed, text)


def is_written_out(text: str) -> bool:
    """Whether a module calls functions whose definitions fit one size only."""
    found = (overload_of_symbol(symbol) for symbol in set(_WRITTEN_OUT.findall(text)))
    return any(builtin is not None and not is_primitive(builtin) for builtin in found)
