"""The JSON document `kcc/profile/1` of a :class:`~kcc.base.profile.model.Profile`, and back.

Its schema is kcc/schemas/profile-1.json. Histograms are rows of value and count; what is given by
thread block is in runs of value and length.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import kcc
from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.profile.model import (
    AccessCount,
    AccessInfo,
    BlockInfo,
    Buffer,
    Counts,
    EdgeCount,
    Histogram,
    KernelInfo,
    LaunchProfile,
    LoopCount,
    LoopInfo,
    Node,
    PerBlock,
    Profile,
)

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

SCHEMA = "kcc/profile/1"

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

_PER_BLOCK = (
    "warp_instructions",
    "thread_instructions",
    "memory_instructions",
    "memory_requests",
    "sectors",
)
_HISTOGRAMS = ("sectors", "lines", "bank_passes", "half_warp_bank_passes", "reuse")


def to_json(profile: Profile, parts: Mapping[str, Json] | None = None) -> str:
    """The document as text; ``parts`` are further keys of it."""
    whole = {**document(profile), **(parts or {})}
    return json.dumps(whole, indent=None, separators=(",", ":")) + "\n"


def document(profile: Profile) -> dict[str, Json]:
    """The document as plain JSON values."""
    return {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "run": dict(profile.run),
        "kernels": [_kernel(kernel) for kernel in profile.kernels],
        "launches": [_launch(launch) for launch in profile.launches],
    }


def _kernel(kernel: KernelInfo) -> dict[str, Json]:
    return {
        "name": kernel.name,
        "source": kernel.source,
        "optimisation": kernel.optimisation,
        "local_bytes": kernel.local_bytes,
        "private_bytes": kernel.private_bytes,
        "blocks": [
            {
                "id": b.id,
                "label": b.label,
                "line": b.line or None,
                "instructions": b.instructions,
                "barriers": b.barriers,
                "loop": b.loop,
            }
            for b in kernel.blocks
        ],
        "edges": [list(edge) for edge in kernel.edges],
        "loops": [
            {
                "id": loop.id,
                "header": loop.header,
                "line": loop.line or None,
                "depth": loop.depth,
                "blocks": list(loop.blocks),
            }
            for loop in kernel.loops
        ],
        "accesses": [
            {
                "id": a.id,
                "block": a.block,
                "line": a.line or None,
                "column": a.column or None,
                "op": a.op,
                "array": a.array or None,
                "address_space": a.address_space,
                "bytes": a.bytes,
            }
            for a in kernel.accesses
        ],
    }


def _launch(launch: LaunchProfile) -> dict[str, Json]:
    return {
        "number": launch.number,
        "kernel": launch.kernel,
        "warp_size": launch.width,
        "global_size": list(launch.global_size),
        "local_size": list(launch.local_size),
        "local_bytes": launch.local_bytes,
        "buffers": [
            {
                "argument": b.argument,
                "name": b.name,
                "address_space": b.space,
                "size_bytes": b.size_bytes,
            }
            for b in launch.buffers
        ],
        "warp_instructions": launch.warp_instructions,
        "thread_instructions": launch.thread_instructions,
        "instruction_mix": {
            name: {"warp": warp, "thread": thread} for name, (warp, thread) in launch.mix.items()
        },
        "dfsg": {
            "nodes": [
                {
                    "block": n.block,
                    "ECount": n.ecount,
                    "LCount": n.lcount,
                    "SCount": n.scount,
                    "threads": n.threads,
                    "warps": n.warps,
                }
                for n in launch.nodes
            ],
            "edges": [
                {
                    "from": e.source,
                    "to": e.target,
                    "OECount": e.oecount,
                    "IECount": e.iecount,
                    "TCount": e.tcount,
                    "warps": e.warps,
                }
                for e in launch.edges
            ],
            "loops": [
                {
                    "loop": c.loop,
                    "entries": c.entries,
                    "trips": c.trips,
                    "least": c.least,
                    "most": c.most,
                    "histogram": _pairs(c.histogram),
                }
                for c in launch.loops
            ],
        },
        "accesses": [
            {
                "access": a.access,
                "executions": a.executions,
                "full": a.full,
                "lanes": a.lanes,
                **{name: _pairs(getattr(a, name)) for name in _HISTOGRAMS},
                "new_lines": a.new_lines,
            }
            for a in launch.accesses
        ],
        "reuse_sampled": launch.reuse_sampled,
        "per_block": {name: _runs(getattr(launch.per_block, name)) for name in _PER_BLOCK},
    }


def _pairs(histogram: Histogram) -> list[list[int]]:
    return [[value, count] for value, count in histogram.items()]


def _runs(counts: Counts) -> list[list[int]]:
    """Runs of equal values: value and length."""
    if not counts.size:
        return []
    starts = np.flatnonzero(np.concatenate([[True], counts[1:] != counts[:-1]]))
    lengths = np.diff(np.append(starts, counts.size))
    return [[int(v), int(n)] for v, n in zip(counts[starts], lengths, strict=True)]


def read_profile(path: str) -> Profile:
    """The profile in a file.

    :raises DiagnosticError: K001 for a file that cannot be read, K780 for what is not a profile.
    """
    return from_json(_text(path), path)


def read_profile_and(path: str, part: str) -> tuple[Profile, Json]:
    """The same with one of the document's further keys, None where it is not there."""
    text = _text(path)
    return from_json(text, path), json.loads(text).get(part)


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        message = f"cannot read '{path}': {error.strerror}"
        raise DiagnosticError([Diagnostic("K001", message)]) from None
    except ValueError:
        message = f"'{path}' is not a profile ({SCHEMA}): it is no text"
        raise DiagnosticError([Diagnostic("K780", message)]) from None


def from_json(text: str, name: str) -> Profile:
    """The profile that ``text``, from the file ``name``, describes.

    :raises DiagnosticError: K780 for what is not a document of this kind.
    """
    try:
        return _read(json.loads(text))
    except (
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        reason = f"{type(error).__name__}: {error}"
        message = f"'{name}' is not a profile ({SCHEMA}): {reason}"
        raise DiagnosticError([Diagnostic("K780", message)]) from error


def _read(data: Any) -> Profile:
    if data["schema"] != SCHEMA:
        raise ValueError(f"its schema is {data['schema']!r}")
    found = Profile(
        run=dict(data["run"]),
        kernels=tuple(_read_kernel(kernel) for kernel in data["kernels"]),
        launches=tuple(_read_launch(launch) for launch in data["launches"]),
    )
    for row in (*found.kernels, *found.launches):
        _check_fields(row)
    for launch in found.launches:
        _check_launch(launch, found.kernels)
    return found


def _check_fields(row: DataclassInstance) -> None:
    """Raise TypeError or OverflowError where a field has not the type it is declared with."""
    for field in fields(row):
        value: Any = getattr(row, field.name)
        where = f"{type(row).__name__}.{field.name}"
        if field.type in _EXPECTED:
            _check_value(value, _EXPECTED[field.type], where)
            continue
        if isinstance(value, Mapping):
            value = tuple(cast(Mapping[str, Any], value).values())
        if isinstance(value, tuple):
            for item in cast(tuple[Any, ...], value):
                if is_dataclass(item) and not isinstance(item, type):
                    _check_fields(item)
                else:
                    pair = cast(tuple[Any, ...], item) if isinstance(item, tuple) else (item,)
                    for number in pair:
                        _check_value(number, int, where)


def _check_value(value: Any, expected: Any, where: str) -> None:
    if isinstance(value, bool) or not isinstance(value, expected):
        raise TypeError(f"{where} is {value!r}")
    if isinstance(value, int) and abs(value) >= 1 << 63:
        raise OverflowError(f"{where} is too large")


_EXPECTED: dict[Any, Any] = {"int": int, "str": str, "float": int | float, "int | None": int | None}
"""By the text of a field's annotation."""


def _check_launch(launch: LaunchProfile, kernels: Sequence[KernelInfo]) -> None:
    """Raise ValueError where a launch is not one of its kernel."""
    if not 0 <= launch.kernel < len(kernels):
        raise ValueError(f"there is no kernel {launch.kernel}")
    info = kernels[launch.kernel]
    if launch.width < 1 or min((*launch.global_size, *launch.local_size), default=0) < 1:
        raise ValueError("a launch without work-items")
    pairs = (
        (len(launch.nodes), len(info.blocks)),
        (len(launch.loops), len(info.loops)),
        (len(launch.accesses), len(info.accesses)),
    )
    if any(own != of_kernel for own, of_kernel in pairs):
        raise ValueError(f"launch {launch.number} is not one of the kernel '{info.name}'")


def _read_kernel(data: Any) -> KernelInfo:
    return KernelInfo(
        name=data["name"],
        source=data["source"],
        optimisation=data["optimisation"],
        blocks=tuple(
            BlockInfo(
                b["id"], b["label"], b["line"] or 0, b["instructions"], b["barriers"], b["loop"]
            )
            for b in data["blocks"]
        ),
        edges=tuple((source, target) for source, target in data["edges"]),
        loops=tuple(
            LoopInfo(x["id"], x["header"], x["line"] or 0, x["depth"], tuple(x["blocks"]))
            for x in data["loops"]
        ),
        accesses=tuple(
            AccessInfo(
                a["id"], a["block"], a["line"] or 0, a["column"] or 0, a["op"], a["array"] or "",
                a["address_space"], a["bytes"],
            )
            for a in data["accesses"]
        ),
        local_bytes=data["local_bytes"],
        private_bytes=data["private_bytes"],
    )  # fmt: skip


def _read_launch(data: Any) -> LaunchProfile:
    graph = data["dfsg"]
    return LaunchProfile(
        number=data["number"],
        kernel=data["kernel"],
        width=data["warp_size"],
        global_size=tuple(data["global_size"]),
        local_size=tuple(data["local_size"]),
        local_bytes=data["local_bytes"],
        buffers=tuple(
            Buffer(b["argument"], b["name"], b["address_space"], b["size_bytes"])
            for b in data["buffers"]
        ),
        warp_instructions=data["warp_instructions"],
        thread_instructions=data["thread_instructions"],
        mix={name: (n["warp"], n["thread"]) for name, n in data["instruction_mix"].items()},
        nodes=tuple(
            Node(n["block"], n["ECount"], n["LCount"], n["SCount"], n["threads"], n["warps"])
            for n in graph["nodes"]
        ),
        edges=tuple(
            EdgeCount(e["from"], e["to"], e["OECount"], e["IECount"], e["TCount"], e["warps"])
            for e in graph["edges"]
        ),
        loops=tuple(
            LoopCount(
                c["loop"], c["entries"], c["trips"], c["least"], c["most"], _dict(c["histogram"])
            )
            for c in graph["loops"]
        ),
        accesses=tuple(
            AccessCount(
                a["access"], a["executions"], a["full"], a["lanes"],
                *(_dict(a[name]) for name in _HISTOGRAMS), new_lines=a["new_lines"],
            )
            for a in data["accesses"]
        ),
        per_block=PerBlock(*(_unrun(data["per_block"][name]) for name in _PER_BLOCK)),
        reuse_sampled=data["reuse_sampled"],
    )  # fmt: skip


def _dict(pairs: Any) -> Histogram:
    return {int(value): int(count) for value, count in pairs}


def _unrun(runs: Any) -> Counts:
    table = np.array(runs, np.int64).reshape(-1, 2)
    if (table[:, 1] < 0).any() or table[:, 1].sum() > 1 << 32:
        raise ValueError("impossible lengths of runs")
    return np.repeat(table[:, 0], table[:, 1])
