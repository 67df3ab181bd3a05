"""The table of built-in functions as a page of documentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from kcc.frontend.builtins.lowerings import lowering_of
from kcc.frontend.builtins.overloads import ROWS, overloads_of
from kcc.frontend.builtins.primitives import PRIMITIVES
from kcc.frontend.builtins.rows import (
    ALL_KINDS,
    FLOATS,
    GENTYPE,
    INTEGERS,
    SIGNED,
    VECTORS,
    Row,
    Section,
)
from kcc.frontend.builtins.table_lanes import PART
from kcc.frontend.types import ScalarKind

_LEGEND = """\
`G` is the gentype, `S` its element, `U` and `I` the unsigned and signed integers of its width, `N`
`int` with its lanes, `R` the result of a comparison (`int` for a scalar, `I` for a vector), `W` the
integers of twice the width, `@` each of the address spaces. *inlined*: defined in LLVM IR and gone
after inlining, vectors of math functions into one call per lane. Otherwise what remains is a call
that the instruction classes and the execution engine know."""

_HEAD = "| functions | signature | gentypes | address spaces | becomes |\n|---|---|---|---|---|"

_CONVERSIONS = (
    "| `convert_T`, `convert_T_sat` (T an integer type), each also with `_rte`, `_rtz`, `_rtp`, "
    "`_rtn` | `T(G)` | all | | *inlined* |"
)

_REINTERPRETATIONS = "| `as_T` | `T(G)` | all of the same size | | *inlined* |"

_KIND_SETS: dict[tuple[ScalarKind, ...], str] = {
    ALL_KINDS: "all",
    FLOATS: "float, double, half",
    INTEGERS: "integers",
    SIGNED: "signed integers",
}

_LANE_SETS: dict[tuple[int, ...], str] = {GENTYPE: "", VECTORS: " vectors", (1,): " scalars"}


def markdown_table() -> str:
    """Every built-in function by section of the specification: signature, types, lowering."""
    parts = [_LEGEND]
    for section in Section:
        rows = list(_section(section))
        parts.append(f"### {section.number} {section.title}\n\n{_HEAD}\n" + "\n".join(rows))
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> Iterator[str]:
    if section is Section.CONVERSIONS:
        yield _CONVERSIONS
    if section is Section.REINTERPRETATION:
        yield _REINTERPRETATIONS
    if section is Section.MISCELLANEOUS:
        yield from _shuffles()
        return
    for row in ROWS:
        if row.section is section and not row.names.startswith(PART):
            yield from _lines(row)


def _shuffles() -> Iterator[str]:
    for name, operands in (("shuffle", "Gm"), ("shuffle2", "Gm, Gm")):
        lanes = "all vectors of m and n lanes, 2, 4, 8, 16"
        yield f"| `{name}` | `Gn({operands}, Un)` | {lanes} | | *inlined* |"


def _lines(row: Row) -> Iterator[str]:
    """One line for the functions of a row that stay calls, by class, and one for the others."""
    groups: dict[str, list[str]] = {}
    for name in row.names.split():
        groups.setdefault(_becomes(name, row), []).append(name)
    spaces = ", ".join(s.name.lower() for s in row.spaces) if "@" in row.signature else ""
    for becomes, names in groups.items():
        shown = ", ".join(f"`{name}`" for name in names)
        cells = (shown, f"`{_signature(row)}`", _gentypes(row), spaces, becomes)
        yield f"| {' | '.join(cells)} |"


def _becomes(name: str, row: Row) -> str:
    primitive = PRIMITIVES.get(name)
    if primitive is None or all(lowering_of(o) for o in overloads_of(name)):
        return "*inlined*"
    kind = primitive.primitive_class.value
    return f"{kind}: scalar call" if primitive.scalars and len(row.lanes) > 1 else kind


def _signature(row: Row) -> str:
    return re.sub(
        r"\b(ro|wo):", lambda m: {"ro": "read_only ", "wo": "write_only "}[m[1]], row.signature
    )


def _gentypes(row: Row) -> str:
    if not re.search(r"\b[GSUINRW]\b", row.signature):
        return ""
    kinds = _KIND_SETS.get(row.kinds) or ", ".join(_spelled(row.kinds))
    if row.lanes in _LANE_SETS:
        return kinds + _LANE_SETS[row.lanes]
    return f"{kinds} of {', '.join(str(n) for n in row.lanes)} lanes"


def _spelled(kinds: Iterable[ScalarKind]) -> list[str]:
    return [kind.spelling for kind in kinds]
