"""Rows of the functions of sub-groups and of whole work-groups.

Sub-groups: OpenCL C 3.0, section 6.15.19 (cl_khr_subgroups), the extensions cl_khr_subgroup_*
(OpenCL extension specification, chapter "Sub-group extensions"), and what cl_intel_subgroups has
beside them. Work-groups: OpenCL C 2.0, section 6.13.15.
"""

from __future__ import annotations

from kcc.frontend.builtins.rows import (
    ALL_KINDS,
    DOUBLE,
    FLOAT,
    FLOATS,
    GENTYPE,
    INT32,
    INT64,
    INTEGERS,
    SHARED,
    Row,
    Section,
)
from kcc.frontend.builtins.signatures import Effect
from kcc.frontend.types import ScalarKind

PART = "__part_"
"""Before the name of a function whose sub-group is a part of a warp; sources do not write it."""

_QUERIES = (
    "get_max_sub_group_size get_num_sub_groups get_sub_group_id get_sub_group_local_id "
    "get_sub_group_size"
)
_SHUFFLES = "sub_group_shuffle sub_group_shuffle_down sub_group_shuffle_up sub_group_shuffle_xor"
_WORDS = INT32 + INT64 + FLOAT + DOUBLE


def _all(prefix: str, operations: str) -> str:
    return " ".join(f"{prefix}_{each}" for each in operations.split())


def _row(names: str, signature: str, *rest: tuple[ScalarKind, ...] | tuple[int, ...]) -> Row:
    return Row(Section.SUBGROUP, names, signature, *rest, effect=Effect.BARRIER)  # pyright: ignore[reportArgumentType]


_ORDERED = "add min max"
_UNIFORM = " ".join(
    _all(f"sub_group_{kind}", _ORDERED) for kind in ("reduce", "scan_inclusive", "scan_exclusive")
)
_NON_UNIFORM = [
    f"sub_group_non_uniform_{k}" for k in ("reduce", "scan_inclusive", "scan_exclusive")
]
_CLUSTERED = "sub_group_clustered_reduce"

SUBGROUP = (
    Row(Section.SUBGROUP, _QUERIES + " get_enqueued_num_sub_groups", "uint()"),
    _row("sub_group_barrier", "void(uint)"),
    _row("sub_group_barrier", "void(uint, uint)"),
    _row("sub_group_all sub_group_any", "int(int)"),
    _row("sub_group_elect", "int()"),
    _row("sub_group_non_uniform_all sub_group_non_uniform_any", "int(int)"),
    _row("sub_group_non_uniform_all_equal", "int(G)", ALL_KINDS),
    _row("sub_group_ballot", "uint4(int)"),
    _row("sub_group_inverse_ballot", "int(uint4)"),
    _row("sub_group_ballot_bit_extract", "int(uint4, uint)"),
    _row(
        "sub_group_ballot_bit_count sub_group_ballot_inclusive_scan "
        "sub_group_ballot_exclusive_scan sub_group_ballot_find_lsb sub_group_ballot_find_msb",
        "uint(uint4)",
    ),
    _row(" ".join(f"get_sub_group_{c}_mask" for c in ("eq", "ge", "gt", "le", "lt")), "uint4()"),
    _row(_UNIFORM, "G(G)", ALL_KINDS),
    _row(" ".join(_all(k, _ORDERED + " mul") for k in _NON_UNIFORM), "G(G)", ALL_KINDS),
    _row(" ".join(_all(k, "and or xor") for k in _NON_UNIFORM), "G(G)", INTEGERS),
    _row(" ".join(_all(f"{k}_logical", "and or xor") for k in _NON_UNIFORM), "int(int)"),
    _row(_all(_CLUSTERED, _ORDERED + " mul"), "G(G, uint)", ALL_KINDS),
    _row(_all(_CLUSTERED, "and or xor"), "G(G, uint)", INTEGERS),
    _row(_all(f"{_CLUSTERED}_logical", "and or xor"), "int(int, uint)"),
    _row("sub_group_broadcast sub_group_non_uniform_broadcast", "G(G, uint)", ALL_KINDS, GENTYPE),
    _row("sub_group_broadcast_first", "G(G)", ALL_KINDS),
    _row(
        _SHUFFLES + " intel_sub_group_shuffle intel_sub_group_shuffle_xor", "G(G, uint)",
        ALL_KINDS, GENTYPE,
    ),
    _row(
        "intel_sub_group_shuffle_down intel_sub_group_shuffle_up", "G(G, G, uint)",
        ALL_KINDS, GENTYPE,
    ),
    _row("sub_group_rotate", "G(G, int)", ALL_KINDS),
    _row("sub_group_clustered_rotate", "G(G, int, uint)", ALL_KINDS),
)  # fmt: skip

PARTS = (
    _row(" ".join(PART + name for name in _QUERIES.split()), "uint()"),
    _row(f"{PART}sub_group_all {PART}sub_group_any", "int(int)"),
    _row(f"{PART}sub_group_ballot", "uint4(int)"),
    _row(f"{PART}sub_group_shuffle", "G(G, uint)", _WORDS),
)

_BLOCK_KINDS = {
    "": ScalarKind.UINT, "_ui": ScalarKind.UINT, "_us": ScalarKind.USHORT,
    "_uc": ScalarKind.UCHAR, "_ul": ScalarKind.ULONG,
}  # fmt: skip


def _blocks() -> tuple[Row, ...]:
    """Reads and writes of a sub-group side by side (cl_intel_subgroups and its sisters)."""
    rows = list[Row]()
    for suffix, kind in _BLOCK_KINDS.items():
        for lanes in (1, 2, 4, 8, 16):
            count = "" if lanes == 1 else str(lanes)
            read, write = (f"intel_sub_group_block_{k}{suffix}{count}" for k in ("read", "write"))
            types = ((kind,), (lanes,), SHARED, Effect.BARRIER)
            rows += (
                Row(Section.SUBGROUP, read, "G(@ const S*)", *types),
                Row(Section.SUBGROUP, write, "void(@ S*, G)", *types),
            )  # fmt: skip
    return tuple(rows)


_GROUP_KINDS = INT32 + INT64 + FLOATS
_GROUP = " ".join(
    _all(f"work_group_{kind}", _ORDERED) for kind in ("reduce", "scan_inclusive", "scan_exclusive")
)

WORK_GROUP = (
    _row("work_group_all work_group_any", "int(int)"),
    _row(_GROUP, "G(G)", _GROUP_KINDS),
    _row("work_group_broadcast", "G(G, size_t)", _GROUP_KINDS),
    _row("work_group_broadcast", "G(G, size_t, size_t)", _GROUP_KINDS),
    _row("work_group_broadcast", "G(G, size_t, size_t, size_t)", _GROUP_KINDS),
)

ROWS = SUBGROUP + PARTS + _blocks() + WORK_GROUP
