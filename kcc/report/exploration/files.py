"""The documents of `kcc explore`: `kcc/exploration/1`, CSV, pictures."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence

import kcc
from kcc.report.exploration.exploration import (
    Exploration,
    Explored,
    changed_gpu,
    checked_gain,
    choice_regret,
    gain,
    pareto_front,
    verdict_of,
)
from kcc.report.exploration.stack_chart import PARTS, StackBar, stack_chart
from kcc.report.plots.parallel import parallel_chart
from kcc.report.plots.pareto import pareto_chart
from kcc.report.plots.render import Chart
from kcc.report.plots.sensitivity import sensitivity_chart
from kcc.report.plots.space import Sensitivity, sensitivities

SCHEMA = "kcc/exploration/1"
MOST_BARS = 40
"""Design points whose stacks are drawn: the front, else the fastest, of more."""

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None


def exploration_json(found: Exploration) -> str:
    """The document."""
    document: dict[str, Json] = {
        "schema": SCHEMA, "kcc_version": kcc.__version__, "source": found.source,
        "gpu": found.gpu, "settings": list(found.settings), "model": found.model,
        "cache_passes": found.passes, "verdict": verdict_of(found),
        "points": [_json(each) for each in found.points],
        "pareto_front": [each.words for each in pareto_front(found.points)],
        "failed": [{"name": each.words, "reason": each.reason} for each in found.failed],
        "base": _json(found.base) if found.base else None,
        "search": _search_json(found), "choice_regret": choice_regret(found.points),
        "parameters": [_parameter_json(each) for each in sensitivities(found.space)],
        "what_if": [_what_if_json(found.base, each) for each in found.what_if if found.base],
        "notes": list(found.notes),
    }  # fmt: skip
    return json.dumps(document, separators=(",", ":")) + "\n"


def _json(each: Explored) -> dict[str, Json]:
    p = each.point
    return {
        "name": each.words, "settings": list(p.settings), "cycles": p.cycles,
        "time_us": p.time_us, "issued": p.issued, "cpi_stack": dict(p.stack),
        "checked_cycles": each.checked_cycles, "cost": each.cost, "searched": each.is_searched,
    }  # fmt: skip


def _search_json(found: Exploration) -> dict[str, Json] | None:
    each = found.searched
    if each is None:
        return None
    regret = each.regret
    return {
        "name": each.name, "seen": each.seen, "of": each.of,
        "regret": None if regret is None else {
            "fastest": regret.fastest, "front_mean": _finite(regret.front_mean),
            "front_most": _finite(regret.front_most), "front_missed": regret.front_missed,
        },
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _parameter_json(each: Sensitivity) -> dict[str, Json]:
    return {
        "name": each.name, "share_of_variance": each.share,
        "values": [
            {"value": v.value, "fastest_us": v.fastest_us, "median_us": v.median_us}
            for v in each.values
        ],
    }  # fmt: skip


def _what_if_json(base: Explored, each: Explored) -> dict[str, Json]:
    return {**_json(each), "gain": gain(base, each), "checked_gain": checked_gain(base, each)}


def exploration_csv(found: Exploration) -> str:
    """A row for each design point, a column for each part of the stack."""
    buffer = io.StringIO()
    rows = csv.writer(buffer, lineterminator="\n")
    every = (*found.points, *((found.base,) if found.base else ()), *found.what_if)
    priced = any(each.cost is not None for each in every)
    head = ("name", "settings", "cycles", "time_us", "issued", "checked_cycles", *PARTS)
    rows.writerow((*head, *(["cost"] if priced else [])))
    for each in every:
        p = each.point
        checked = "" if each.checked_cycles is None else f"{each.checked_cycles:g}"
        stack = [f"{p.stack.get(name, 0.0):.6g}" for name in PARTS]
        rows.writerow(
            (each.words, " ".join(p.settings), f"{p.cycles:.6g}", f"{p.time_us:.6g}",
             f"{p.issued:g}", checked, *stack,
             *(["" if each.cost is None else f"{each.cost:g}"] if priced else []))
        )  # fmt: skip
    return buffer.getvalue()


def drawn_points(found: Exploration) -> Sequence[Explored]:
    """The points of pictures that show each: all, or the front or the fastest of many."""
    if len(found.points) <= MOST_BARS:
        return found.points
    fastest = sorted(found.points, key=lambda each: each.point.time_us)
    return (pareto_front(found.points) or fastest)[:MOST_BARS]


def bars_of(found: Exploration) -> list[StackBar]:
    """The bars of the picture: scheduler cycles per instruction."""
    chosen: Sequence[Explored] = drawn_points(found) or (
        *((found.base,) if found.base else ()),
        *found.what_if,
    )
    bars = list[StackBar]()
    for each in chosen:
        p = each.point
        issued = p.issued or 1.0
        checked = each.checked_cycles
        bars.append(
            StackBar(
                each.words,
                {name: cycles / issued for name, cycles in p.stack.items()},
                None if checked is None else checked * p.schedulers / issued,
            )
        )
    return bars


def exploration_svg(found: Exploration) -> str:
    """The stacks as a picture of their own."""
    return stack_chart(bars_of(found), _title(found)) + "\n"


def exploration_png(found: Exploration) -> bytes:
    """The same in pixels; raises K013 where the extra `plots` is not installed."""
    from kcc.report.plots.render import png_of

    return png_of(exploration_svg(found))


def _title(found: Exploration) -> str:
    return f"{found.source} on {changed_gpu(found)}: scheduler cycles per instruction"


def pareto_of(found: Exploration) -> Chart | None:
    """Time over cost; None where there are no costs."""
    priced = [(p.words, p.cost, p.point.time_us) for p in found.points if p.cost is not None]
    return pareto_chart(priced, [each.words for each in pareto_front(found.points)])


def exploration_charts(found: Exploration) -> list[Chart]:
    """All charts of the page."""
    stacks = Chart("stacks", _title(found), drawn=stack_chart(bars_of(found), _title(found)))
    return [stacks, *space_charts(found)]


def space_charts(found: Exploration) -> list[Chart]:
    """Those of many points at once: the front, each point over all parameters, what each parameter
    does."""
    space = found.space
    drawn = (pareto_of(found), parallel_chart(space), sensitivity_chart(space))
    return [each for each in drawn if each]
