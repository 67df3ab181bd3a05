"""What a miniature is, in a screenful: how near its flow is, what it does, how it simulates."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from kcc.report.miniature.verdict import verdict_of_miniature
from kcc.report.shared.style import Style
from kcc.report.shared.text import fill, make_table, written
from kcc.report.shared.words import plural
from kcc.synth.assembly.model import LoopControl, Miniature
from kcc.synth.comparison.behaviour import Behaviour, Pair, mix_difference
from kcc.synth.comparison.compare import FlowDifference


def summary_text(  # noqa: PLR0913 - all that is shown
    miniature: Miniature, thread_blocks: int, differences: Sequence[FlowDifference],
    behaviours: tuple[Behaviour, Behaviour], pairs: Sequence[Pair], files: Sequence[str],
    style: Style, *, twin: bool = False,
) -> str:  # fmt: skip
    """The summary; ``thread_blocks`` are the original's, ``pairs`` the simulations, if there are
    any; ``twin``: these are of two miniatures."""

    def write(console: Console) -> None:
        kernels = plural(len(miniature.kernels), "kernel")
        count = len(miniature.launches)
        launches = f"{count:,} launch{'' if count == 1 else 'es'}"
        console.print(Text(f"a miniature of {kernels} in {launches}", "bold"))
        console.print(Text(verdict_of_miniature(behaviours, pairs)))
        for file in files:
            console.print(Text(f"  {file}"))
        console.print(_loops(miniature, style))
        kept = sum(launch.thread_blocks for launch in miniature.launches)
        if kept < thread_blocks:
            moved = any(kernel.moved for kernel in miniature.kernels)
            how = "evenly over regions; ids are remapped" if moved else "the first ones"
            console.print(Text(f"thread blocks: {kept:,} of {thread_blocks:,}, {how}"))
        if differences:
            console.print(Text(_flow(miniature, differences)))
        console.print(_table(behaviours, style))
        if pairs:
            console.print(_simulations(pairs, style, twin=twin))
            for pair in pairs:
                if pair.settings:
                    console.print(Text(_part(pair)))

    return written(style, write)


def _loops(miniature: Miniature, style: Style) -> object:
    table = make_table("Loops", style, "loop", "blocks", "trips / R", "ends", right=("trips / R",))
    rows = [
        (f"{kernel.name}.{loop.number}", str(len(loop.blocks)), str(factors[loop.number]),
         _ends(loop.control, factors[loop.number]))
        for kernel, factors in zip(miniature.kernels, miniature.reductions, strict=True)
        for loop in kernel.loops
    ]  # fmt: skip
    return fill(table, rows or [("none", "", "", "")], "")


def _ends(control: LoopControl, factor: int) -> str:
    return (
        control.value if factor == 1 or control is not LoopControl.KEPT else "at most one iteration"
    )


def _flow(miniature: Miniature, differences: Sequence[FlowDifference]) -> str:
    """How the flow graphs compare; where trips are divided, only that they differ."""
    same = sum(d.same for d in differences)
    worst = max(d.worst for d in differences)
    all_of_them = plural(len(differences), "launch", "launches")
    text = f"flow graph: {same} of {all_of_them} with equal counts"
    if any(f > 1 for row in miniature.reductions for f in row):
        text = f"flow graph: trips are divided; {same} of {all_of_them} with equal counts"
    elif same < len(differences):
        text += f"; the largest difference of a block is {100 * worst:.1f} % of its executions"
    extra = {a for d in differences for a in d.auxiliary}
    joined = {j for d in differences for j in d.joined}
    if extra or joined:
        text += f"; auxiliary blocks: {len(extra)}, empty blocks left out: {len(joined)}"
    return text


def _table(behaviours: tuple[Behaviour, Behaviour], style: Style) -> object:
    one, two = behaviours
    columns = ("original", "miniature")
    table = make_table("By profile", style, "", *columns, right=columns)
    rows = [
        ("warp instructions", f"{one.warp_instructions:,}", f"{two.warp_instructions:,}"),
        ("active lanes", f"{100 * one.lanes:.1f} %", f"{100 * two.lanes:.1f} %"),
        ("sectors per access", f"{one.sectors:.2f}", f"{two.sectors:.2f}"),
        ("bank cycles per shared-memory access", f"{one.passes:.2f}", f"{two.passes:.2f}"),
        ("largest difference in mix", "", f"{100 * mix_difference(one, two):.1f} %"),
    ]
    return fill(table, rows, "")


def _simulations(pairs: Sequence[Pair], style: Style, *, twin: bool) -> object:
    own, its = ("both say", "theirs") if twin else ("miniature's", "its")
    columns = ("cycles", own, "IPC", its, "error", "with aux", "instructions", "time", "hits")
    table = make_table("Simulated", style, "GPU", *columns, right=columns)
    rows = [
        (
            pair.original.gpu, f"{pair.original.cycles:,.0f}", f"{pair.miniature.cycles:,.0f}",
            f"{pair.original.ipc:.2f}", f"{pair.miniature.own_ipc:.2f}",
            f"{100 * pair.ipc_error:+.1f} %", f"{pair.miniature.ipc:.2f}",
            f"{pair.instruction_speedup:.1f} x", f"{pair.time_speedup:.1f} x", _hits(pair),
        )
        for pair in pairs
    ]  # fmt: skip
    divisor = "those of both miniatures" if twin else "the miniature's"
    caption = (
        f"IPC: of the original's instructions; with aux: of all that the miniature issues; "
        f"instructions, time: the original's over {divisor}, simulated instructions and CPU "
        f"time; hits: rates by level, original and {'larger ' if twin else ''}miniature"
    )
    return fill(table, rows, caption)


def _part(pair: Pair) -> str:
    """How the part of a GPU is made on which the miniature ran."""
    settings = " ".join(f"--set {each}" for each in pair.settings)
    return (
        f"the miniature ran on a part of {pair.original.gpu} that stands for all of it (as many "
        f"cycles): {settings}"
    )


def _hits(pair: Pair) -> str:
    return ", ".join(
        f"{level} {100 * rate:.0f} / {100 * pair.miniature.hits.get(level, 0.0):.0f} %"
        for level, rate in pair.original.hits.items()
    )
