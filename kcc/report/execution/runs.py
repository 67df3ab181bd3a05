"""What `kcc run` reports: a table by kernel or by launch, and the same as JSON ``kcc/run/1``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from textwrap import fill

import kcc
from kcc.base.records import dataclass
from kcc.opencl.session import LaunchRow
from kcc.report.shared.text import share_text

SCHEMA = "kcc/run/1"
WIDTH = 100
"""Characters of a line of the verdict."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What was run, and how."""

    script: str
    size: str
    seed: int
    warp_size: int
    workers: int


@dataclass(frozen=True, slots=True)
class Total:
    """The sum over launches. ``cpu_seconds`` count preparing and compiling them too."""

    launches: int
    warp_instructions: int
    thread_instructions: int
    cpu_seconds: float

    def simt_efficiency(self, warp_size: int) -> float | None:
        """Active lanes of all lanes, over warp instructions; None without any."""
        lanes = self.warp_instructions * warp_size
        return self.thread_instructions / lanes if lanes else None

    @property
    def speed(self) -> float | None:
        """Million warp instructions per CPU second; None if no time passed."""
        return self.warp_instructions / self.cpu_seconds / 1e6 if self.cpu_seconds > 0 else None


def total(rows: Iterable[LaunchRow]) -> Total:
    """The sum of launches."""
    listed = list(rows)
    return Total(
        len(listed),
        sum(row.warp_instructions for row in listed),
        sum(row.thread_instructions for row in listed),
        sum(row.cpu_seconds for row in listed),
    )


def totals(rows: Sequence[LaunchRow]) -> dict[str, Total]:
    """By kernel, in the order of first launches."""
    names = dict.fromkeys(row.kernel for row in rows)
    return {name: total(row for row in rows if row.kernel == name) for name in names}


FEW_LANES = 0.75
"""Share of active lanes below which the verdict names them."""


def run_verdict(rows: Sequence[LaunchRow], request: RunRequest) -> str:
    """One sentence: the kernel with most warp instructions, its active lanes, and its largest
    launch; "" where nothing was executed."""
    found, whole = totals(rows), total(rows).warp_instructions
    if not whole:
        return ""
    name = max(found, key=lambda name: found[name].warp_instructions)
    own = found[name]
    of_all = f"{share_text(own.warp_instructions / whole)} of the"
    said = f"{name} executes {of_all if len(found) > 1 else f'{whole:,}'} warp instructions"
    lanes = own.simt_efficiency(request.warp_size)
    if lanes is not None and lanes < FEW_LANES:
        said += f", with {lanes * request.warp_size:.1f} of {request.warp_size} lanes active"
    largest = max((r for r in rows if r.kernel == name), key=lambda r: r.warp_instructions)
    share = largest.warp_instructions / own.warp_instructions
    launch = (
        f"launch {largest.number} ({_by(largest.global_size)} work-items) has {share_text(share)}"
    )
    return f"{said}; {launch} of them." if own.launches > 1 else f"{said}."


def run_table(rows: Sequence[LaunchRow], request: RunRequest, *, by_launch: bool) -> str:
    """The report as text."""
    size = f", size {request.size}" if request.size else ""
    head = f"{request.script}{size}, seed {request.seed}, warps of "
    head += f"{request.warp_size}, {request.workers} worker" + "s" * (request.workers != 1)
    if not rows:
        return f"{head}\n\nno kernel was launched\n"
    said = run_verdict(rows, request)
    parts = [f"{head}\n{fill(said, WIDTH)}" if said else head, _kernel_table(rows, request)]
    if by_launch:
        parts.insert(1, _launch_table(rows, request))
    return "\n\n".join(parts) + "\n"


def _kernel_table(rows: Sequence[LaunchRow], request: RunRequest) -> str:
    cells = [["kernel", "launches", "warp instr", "thread instr", "SIMT eff.", "CPU s", "M warp/s"]]
    found = totals(rows)
    if len(found) > 1:
        found["total"] = total(rows)
    for name, each in found.items():
        cells.append([name, f"{each.launches:,}", *_figures(each, request)])
    return _aligned(cells, left=1)


def _launch_table(rows: Sequence[LaunchRow], request: RunRequest) -> str:
    head = ["launch", "kernel", "global", "local", "warp instr", "thread instr", "SIMT eff."]
    cells = [[*head, "CPU s", "M warp/s"]]
    for row in rows:
        sizes = [_by(row.global_size), _by(row.local_size)]
        cells.append([str(row.number), row.kernel, *sizes, *_figures(total([row]), request)])
    return _aligned(cells, left=2)


def _figures(each: Total, request: RunRequest) -> list[str]:
    efficiency = each.simt_efficiency(request.warp_size)
    return [
        f"{each.warp_instructions:,}",
        f"{each.thread_instructions:,}",
        "-" if efficiency is None else f"{100 * efficiency:.1f} %",
        f"{each.cpu_seconds:.3f}",
        "-" if each.speed is None else f"{each.speed:,.1f}",
    ]


def _by(sizes: Iterable[int]) -> str:
    return "x".join(map(str, sizes))


def _aligned(cells: Sequence[Sequence[str]], *, left: int) -> str:
    """Columns, the first ``left`` of them flush left."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = list[str]()
    for row in cells:
        padded = (
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def run_json(rows: Sequence[LaunchRow], request: RunRequest) -> str:
    """The report as a JSON document; its schema is kcc/schemas/run-1.json."""
    document = {
        "schema": SCHEMA,
        "kcc_version": kcc.__version__,
        "script": request.script,
        "size": request.size or None,
        "seed": request.seed,
        "warp_size": request.warp_size,
        "workers": request.workers,
        "verdict": run_verdict(rows, request),
        **_sums(total(rows), request),
        "kernels": [{"name": name, **_sums(each, request)} for name, each in totals(rows).items()],
        "launches": [
            {
                "number": row.number,
                "kernel": row.kernel,
                "global_size": list(row.global_size),
                "local_size": list(row.local_size),
                "warp_instructions": row.warp_instructions,
                "thread_instructions": row.thread_instructions,
                "cpu_seconds": row.cpu_seconds,
            }
            for row in rows
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _sums(each: Total, request: RunRequest) -> dict[str, int | float | None]:
    return {
        "launch_count": each.launches,
        "warp_instructions": each.warp_instructions,
        "thread_instructions": each.thread_instructions,
        "simt_efficiency": each.simt_efficiency(request.warp_size),
        "cpu_seconds": each.cpu_seconds,
    }
