"""Rows of the functions that touch memory, the work-item or other work-items.

Work-item queries (6.12.1), vector data (6.12.7), synchronisation (6.12.8, 6.12.9), async copies
(6.12.10), atomics (6.12.11, cl_khr_*_int32_*_atomics, cl_khr_int64_*_atomics), shuffles (6.12.12),
printf (6.12.13).
"""

from __future__ import annotations

from kcc.frontend.builtins.rows import (
    ALL_KINDS,
    DOUBLE,
    FLOAT,
    GENTYPE,
    INT32,
    INT64,
    READABLE,
    SHARED,
    VECTORS,
    WRITABLE,
    Row,
    Section,
)
from kcc.frontend.builtins.signatures import Effect

ROUNDINGS = ("", "_rte", "_rtz", "_rtp", "_rtn")
"""Suffixes of rounding modes (OpenCL C 1.2, section 6.2.3.2)."""

WORK_ITEM = (
    Row(Section.WORK_ITEM, "get_work_dim", "uint()"),
    Row(
        Section.WORK_ITEM,
        "get_global_id get_global_offset get_global_size get_group_id get_local_id "
        "get_local_size get_num_groups",
        "size_t(uint)",
    ),
)

SYNCHRONISATION = (
    Row(Section.SYNCHRONISATION, "barrier", "void(uint)", effect=Effect.BARRIER),
    Row(
        Section.SYNCHRONISATION, "mem_fence read_mem_fence write_mem_fence", "void(uint)",
        effect=Effect.WRITE,
    ),
)  # fmt: skip


def _vector_data() -> tuple[Row, ...]:
    rows = list[Row]()
    for n in VECTORS:
        rows += (
            Row(
                Section.VECTOR_DATA, f"vload{n}", "G(size_t, @ const S*)", ALL_KINDS, (n,),
                READABLE, Effect.READ,
            ),
            Row(
                Section.VECTOR_DATA, f"vstore{n}", "void(G, size_t, @ S*)", ALL_KINDS, (n,),
                WRITABLE, Effect.WRITE,
            ),
        )  # fmt: skip
    for n in GENTYPE:
        suffix = "" if n == 1 else str(n)
        aligned = ("", "a") if n > 1 else ("",)
        loads = " ".join(f"vload{a}_half{suffix}" for a in aligned)
        stores = [f"vstore{a}_half{suffix}{r}" for a in aligned for r in ROUNDINGS]
        rows += (
            Row(
                Section.VECTOR_DATA, loads, "G(size_t, @ const half*)", FLOAT, (n,), READABLE,
                Effect.READ,
            ),
            Row(
                Section.VECTOR_DATA, " ".join(stores), "void(G, size_t, @ half*)", FLOAT + DOUBLE,
                (n,), WRITABLE, Effect.WRITE,
            ),
        )  # fmt: skip
    return tuple(rows)


VECTOR_DATA = _vector_data()

_COPY = "async_work_group_copy"
_STRIDED = "async_work_group_strided_copy"

ASYNC_COPY = (
    Row(
        Section.ASYNC_COPY, _COPY, "event_t(local G*, global const G*, size_t, event_t)",
        ALL_KINDS, GENTYPE, effect=Effect.BARRIER,
    ),
    Row(
        Section.ASYNC_COPY, _COPY, "event_t(global G*, local const G*, size_t, event_t)",
        ALL_KINDS, GENTYPE, effect=Effect.BARRIER,
    ),
    Row(
        Section.ASYNC_COPY, _STRIDED, "event_t(local G*, global const G*, size_t, size_t, event_t)",
        ALL_KINDS, GENTYPE, effect=Effect.BARRIER,
    ),
    Row(
        Section.ASYNC_COPY, _STRIDED, "event_t(global G*, local const G*, size_t, size_t, event_t)",
        ALL_KINDS, GENTYPE, effect=Effect.BARRIER,
    ),
    Row(Section.ASYNC_COPY, "wait_group_events", "void(int, event_t*)", effect=Effect.BARRIER),
    Row(
        Section.ASYNC_COPY, "prefetch", "void(global const G*, size_t)", ALL_KINDS, GENTYPE,
        effect=Effect.READ,
    ),
)  # fmt: skip


def _atomics() -> tuple[Row, ...]:
    base, extended = "add sub xchg", "and or xor min max"
    rows = list[Row]()
    for prefix, kinds in (("atomic_", INT32), ("atom_", INT32 + INT64)):
        shapes = (
            (f"{base} {extended}", "G(@ volatile G*, G)"),
            ("inc dec", "G(@ volatile G*)"),
            ("cmpxchg", "G(@ volatile G*, G, G)"),
        )
        for names, signature in shapes:
            full = " ".join(prefix + name for name in names.split())
            rows.append(
                Row(Section.ATOMIC, full, signature, kinds, spaces=SHARED, effect=Effect.WRITE)
            )
    exchange = Row(
        Section.ATOMIC, "atomic_xchg", "G(@ volatile G*, G)", FLOAT, spaces=SHARED,
        effect=Effect.WRITE,
    )  # fmt: skip
    return (*rows, exchange)


ATOMIC = _atomics()

_SHUFFLE_LANES = (2, 4, 8, 16)


def _shuffles() -> tuple[Row, ...]:
    """One row per kind, lanes of the operand and lanes of the result."""
    rows = list[Row]()
    for kind in ALL_KINDS:
        mask = {1: "uchar", 2: "ushort", 4: "uint", 8: "ulong"}[kind.size_bytes]
        for m in _SHUFFLE_LANES:
            for n in _SHUFFLE_LANES:
                operand, result = f"{kind.spelling}{m}", f"{kind.spelling}{n}"
                rows += (
                    Row(Section.MISCELLANEOUS, "shuffle", f"{result}({operand}, {mask}{n})"),
                    Row(
                        Section.MISCELLANEOUS,
                        "shuffle2",
                        f"{result}({operand}, {operand}, {mask}{n})",
                    ),
                )
    return tuple(rows)


MISCELLANEOUS = _shuffles()

PRINTF = (Row(Section.PRINTF, "printf", "int(constant const char*, ...)", effect=Effect.OUTPUT),)

ROWS = (
    WORK_ITEM + SYNCHRONISATION + VECTOR_DATA + ASYNC_COPY + ATOMIC + MISCELLANEOUS
    + PRINTF
)  # fmt: skip
