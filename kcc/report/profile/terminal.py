"""A profile as text for a terminal, a file or a pipe."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from kcc.base.profile.merge import merge
from kcc.base.profile.model import AccessCount, Histogram, KernelInfo, LaunchProfile, Profile
from kcc.report.profile.verdict import verdict_of_profile
from kcc.report.shared.style import Style
from kcc.report.shared.text import bar, fill, make_table, written
from kcc.report.shared.words import percent, place, plural

BAR_COLUMNS = 24


def render_profile(profile: Profile, style: Style, *, each_launch: bool) -> str:
    """The report: what ran, then each kernel with its launches summed (or apart)."""

    def write(console: Console) -> None:
        console.print(Text(" ".join(str(word) for word in profile.run.values()), "bold"))
        if verdict := verdict_of_profile(profile):
            console.print(verdict, markup=False, highlight=False)
        console.print(summary_table(profile, style))
        for name, which, tables, _ in kernel_tables(profile, style, each_launch=each_launch):
            console.print()
            console.print(Text(f"{name}: {which}", "bold"))
            for table in tables:
                if table.row_count:
                    console.print(Padding(table, (1, 0, 0, 2)))

    return written(style, write)


def kernel_tables(
    profile: Profile, style: Style, *, each_launch: bool
) -> Iterator[tuple[str, str, list[Table], LaunchProfile]]:
    """The name of each kernel, which launches of it are meant, tables of what they did, and their
    sum."""
    for number, info in enumerate(profile.kernels):
        launches = [x for x in profile.launches if x.kernel == number]
        for group in [[x] for x in launches] if each_launch else [launches]:
            total = merge(group)
            yield info.name, _which(group), list(_tables(info, total, style)), total


def summary_table(profile: Profile, style: Style) -> Table:
    """A row for each kernel."""
    columns = ("launches", "blocks", "warp instr", "thread instr", "lanes", "requests")
    table = make_table("Kernels", style, "kernel", *columns, right=columns)
    rows = list[tuple[str, ...]]()
    for number, info in enumerate(profile.kernels):
        launches = [x for x in profile.launches if x.kernel == number]
        total = merge(launches)
        rows.append(
            (
                info.name,
                f"{len(launches):,}",
                f"{total.per_block.warp_instructions.size:,}",
                f"{total.warp_instructions:,}",
                f"{total.thread_instructions:,}",
                _efficiency(total),
                f"{int(total.per_block.memory_requests.sum()):,}",
            )
        )
    caption = "lanes: mean active lanes; requests: lines of 128 bytes asked for"
    return fill(table, rows, caption)


def _efficiency(launch: LaunchProfile) -> str:
    if not launch.warp_instructions:
        return "-"
    return f"{launch.thread_instructions / launch.warp_instructions:.1f} of {launch.width}"


def _which(launches: list[LaunchProfile]) -> str:
    """Which launches, by number and size."""
    sizes = list(dict.fromkeys((x.global_size, x.local_size) for x in launches))
    geometry = ", ".join(
        f"{' x '.join(map(str, all_))} in blocks of {' x '.join(map(str, own))}"
        for all_, own in sizes[:2]
    )
    if len(sizes) > 2:
        geometry += f" and {plural(len(sizes) - 2, 'other size')}"
    if len(launches) == 1:
        return f"launch {launches[0].number}, {geometry}"
    return f"{plural(len(launches), 'launch', 'launches')}, {geometry}"


def _tables(info: KernelInfo, total: LaunchProfile, style: Style) -> Iterator[Table]:
    yield _mix(total, style)
    yield _flow(info, total, style)
    yield _loops(info, total, style)
    yield _cached(info, total, style)
    yield _banked(info, total, style)


def _mix(total: LaunchProfile, style: Style) -> Table:
    table = make_table(
        "Instructions", style, "class", "warp instr", "thread instr", "share", "",
        right=("warp instr", "thread instr", "share"),
    )  # fmt: skip
    ranked = sorted(total.mix.items(), key=lambda item: -item[1][0])
    whole = sum(warp for warp, _ in total.mix.values())
    columns = min(BAR_COLUMNS, style.width // 4)
    rows = [
        (
            name,
            f"{warp:,}",
            f"{thread:,}",
            percent(warp, whole),
            bar(warp / ranked[0][1][0] * columns, style),
        )
        for name, (warp, thread) in ranked
    ]
    return fill(table, rows)


def _flow(info: KernelInfo, total: LaunchProfile, style: Style) -> Table:
    """The nodes of the divergence flow statistics graph, with where threads go from them."""
    columns = ("block", "line", "ECount", "threads", "SCount", "lanes", "to")
    table = make_table("Control flow", style, *columns, right=columns[1:-1])
    rows = list[tuple[str, ...]]()
    for block, node in zip(info.blocks, total.nodes, strict=True):
        out = [e for e in total.edges if e.source == block.id and e.oecount]
        ways = (f"{info.blocks[e.target].label} {percent(e.oecount, node.ecount)}" for e in out)
        rows.append(
            (
                block.label,
                place(block.line, 0),
                f"{node.ecount:,}",
                f"{node.threads:,}",
                f"{node.scount:,}",
                f"{node.ecount / node.warps:.1f}" if node.warps else "-",
                ", ".join(ways)
                if len(out) > 1
                else info.blocks[out[0].target].label
                if out
                else "",
            )
        )
    return fill(
        table,
        rows,
        "ECount: thread executions; SCount: thread arrivals at barriers; lanes: active ones",
    )


def _loops(info: KernelInfo, total: LaunchProfile, style: Style) -> Table:
    columns = ("loop", "line", "depth", "entries", "iterations", "min", "mean", "max")
    table = make_table("Loops", style, *columns, right=columns)
    rows = [
        (
            str(loop.id),
            place(loop.line, 0),
            str(loop.depth),
            f"{count.entries:,}",
            f"{count.trips:,}",
            f"{count.least:,}",
            f"{count.trips / count.entries:.1f}" if count.entries else "-",
            f"{count.most:,}",
        )
        for loop, count in zip(info.loops, total.loops, strict=True)
    ]
    return fill(
        table,
        rows,
        "entries and iterations of all threads; min, mean and max: trip count of one entry",
    )


def _cached(info: KernelInfo, total: LaunchProfile, style: Style) -> Table:
    columns = ("at", "op", "array", "bytes", "requests", "sectors", "lines", "cold", "reuse")
    right = ("at", "bytes", "requests", "sectors", "lines", "cold", "reuse")
    table = make_table("Cached memory", style, *columns, right=right)
    rows = [
        (
            place(access.line, access.column),
            access.op,
            access.array or "?",
            str(access.bytes),
            f"{count.executions:,}",
            _spread(count.sectors),
            _spread(count.lines),
            percent(count.new_lines, _touches(count)),
            _median(count.reuse),
        )
        for access, count in zip(info.accesses, total.accesses, strict=True)
        if count.sectors
    ]
    notes = [
        "sectors (32 bytes) and lines (128 bytes) per request: mean (min-max)",
        "cold: share of the lines touched for the first time in the launch",
        "reuse: median reuse distance of the others, in lines",
    ]
    if total.reuse_sampled < 1:
        notes.append(
            f"reuse distances of a sample of lines, at least 1 in {round(1 / total.reuse_sampled)}"
        )
    return fill(table, rows, "\n".join(notes))


def _banked(info: KernelInfo, total: LaunchProfile, style: Style) -> Table:
    columns = ("at", "op", "array", "bytes", "requests", "conflict", "16 banks")
    right = ("at", "bytes", "requests", "conflict", "16 banks")
    table = make_table("Shared memory (OpenCL: local)", style, *columns, right=right)
    rows = [
        (
            place(access.line, access.column),
            access.op,
            access.array or "?",
            str(access.bytes),
            f"{count.executions:,}",
            _spread(count.bank_passes),
            _spread(count.half_warp_bank_passes),
        )
        for access, count in zip(info.accesses, total.accesses, strict=True)
        if count.bank_passes
    ]
    caption = (
        "conflict: n of n-way bank conflicts with 32 banks of 4 bytes; 16 banks: with half warps"
    )
    return fill(table, rows, caption)


def _touches(count: AccessCount) -> int:
    return count.new_lines + sum(count.reuse.values())


def _spread(histogram: Histogram) -> str:
    """The mean, and the range where there is one."""
    total = sum(histogram.values())
    mean = sum(value * count for value, count in histogram.items()) / total
    if len(histogram) == 1:
        return f"{mean:g}"
    return f"{mean:.1f} ({min(histogram)}-{max(histogram)})"


def _median(histogram: Histogram) -> str:
    """The bucket that holds the middle."""
    half = sum(histogram.values()) / 2
    below = 0
    for value, count in sorted(histogram.items()):
        below += count
        if below >= half:
            return f"{value:,}" if value < 2 else f"{value:,}+"
    return "-"
