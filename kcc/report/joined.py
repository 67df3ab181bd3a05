"""`kcc report DIR`: the documents that commands wrote about one kernel, joined in one page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

from kcc.base.records import dataclass
from kcc.base.terms import bottleneck_label, stall_label
from kcc.report.shared.markup import NOTHING, Markup, join, table, tag
from kcc.report.shared.page import STACK_STYLE, page
from kcc.report.shared.stacks import legend, stack_bar
from kcc.report.shared.units import duration

ROWS_SHOWN = 20

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Joined:
    """A document: the name of its file, what kind it is (``estimate``), what it holds."""

    name: str
    kind: str
    content: Json


def kind_of(content: Any) -> str:
    """The kind of a document of kcc, "" for anything else."""
    schema = content.get("schema", "") if isinstance(content, dict) else ""  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    parts = str(schema).split("/")  # pyright: ignore[reportUnknownArgumentType]
    return parts[1] if len(parts) == 3 and parts[0] == "kcc" else ""


def joined_page(
    title: str, documents: Sequence[Joined], kernel: str | None, left_out: Sequence[str] = ()
) -> str:
    """The page, in the order in which one asks: what it is, how long it takes, stall reasons,
    what would help, what else was found. With a ``kernel`` only what is said of it."""
    order = {kind: n for n, kind in enumerate(SECTIONS)}
    ranked = sorted(documents, key=lambda d: (order[d.kind], d.name))
    sections = [(d, SECTIONS[d.kind](d.content, kernel)) for d in ranked]
    shown = [(d, join(_verdict(_of_document(d, kernel)), body)) for d, body in sections if body]
    links = [tag("a", d.name, href=f"#d{n}") for n, (d, _) in enumerate(shown)]
    notes = [tag("li", each) for each in left_out]
    return page(
        f"{title} - kcc report",
        tag(
            "header",
            tag("h1", tag("code", kernel or title)),
            tag("div", f"{len(shown)} documents of {title}", class_="soft"),
            tag("nav", *links),
        ),
        *(
            join(tag("h2", _TITLES[d.kind], tag("small", f" {d.name}"), id=f"d{n}"), body)
            for n, (d, body) in enumerate(shown)
        ),
        join(tag("h2", "Left out"), tag("ul", *notes, class_="soft")) if notes else NOTHING,
        style=STACK_STYLE,
    )


_TITLES = {
    "analysis": "Analysis", "estimate": "Estimate", "comparison": "Comparison", "run": "Run",
    "profile": "Profile", "simulation": "Simulation", "exploration": "Exploration",
    "memory": "Memory hierarchy", "phases": "Phases", "synthesis": "Miniature",
    "trace-summary": "Trace", "tuning": "Tuning",
}  # fmt: skip


def _of_document(d: Joined, kernel: str | None) -> object:
    """The verdict on all that a document is about, where its section has none of its own; with a
    ``kernel`` only one that is about it: a verdict begins with what it is about."""
    if d.kind in {"analysis", "estimate", "simulation", "tuning"}:
        return None
    verdict = d.content.get("verdict")
    about = kernel is None or str(verdict).startswith(f"{kernel} ")
    return verdict if about else None


def _verdict(text: object) -> Markup:
    return tag("p", str(text), class_="verdict") if text else NOTHING


def _rows(entries: object) -> list[Json]:
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list) else []  # pyright: ignore[reportUnknownVariableType]


def _named(entries: object, kernel: str | None, key: str = "name") -> list[Json]:
    return [e for e in _rows(entries) if kernel in (None, e.get(key))]


def _analysis(d: Json, kernel: str | None) -> Markup:
    parts = list[Markup]()
    for each in _named(d["kernels"], kernel):
        found = [
            (f["severity"], ", ".join(map(str, f["lines"])), f["message"], f.get("fix") or "")
            for f in _rows(each["findings"])
        ]
        parts.append(
            join(
                tag("h3", tag("code", each["name"])), _verdict(each.get("verdict")),
                table(("", "lines", "finding", "fix"), found),
            )
        )  # fmt: skip
    return join(*parts)


def _estimate(d: Json, kernel: str | None) -> Markup:
    entries = [e for e in _rows(d["estimates"]) if kernel in (None, e["configuration"]["kernel"])]
    timed = sorted(
        (e for e in entries if e["time_us"] is not None), key=lambda e: float(e["time_us"])
    )
    if not timed:
        return NOTHING
    rows = [
        (
            e["configuration"]["kernel"], e["gpu"], _sizes(e["configuration"]),
            duration(e["time_us"]), " to ".join(duration(us) for us in e["range_us"]),
            bottleneck_label(e["limiter"]), stack_bar(e["cpi_stack"]),
        )
        for e in timed[:ROWS_SHOWN]
    ]  # fmt: skip
    head = ("kernel", "GPU", "configuration", "time", "range", "bottleneck", "CPI stack")
    first = timed[0]
    verdict = str(first.get("verdict") or "")
    if verdict and len(timed) > 1:
        verdict = f"{first['configuration']['kernel']} on {first['gpu']}, the fastest: {verdict}"
    names = dict.fromkeys(n for e in timed[:ROWS_SHOWN] for n, c in e["cpi_stack"].items() if c)
    return join(_verdict(verdict), legend(names), table(head, rows, (3,)))


def _sizes(configuration: Json) -> str:
    sizes = ("global_size", "local_size")
    launch = "/".join("x".join(map(str, configuration[name])) for name in sizes)
    macros = " ".join(f"{k}={v}" for k, v in configuration["macros"].items())
    return f"{launch} {macros}".strip()


def _simulation(d: Json, kernel: str | None) -> Markup:
    rows, verdicts, names = list[tuple[str, ...]](), list[Markup](), dict[str, None]()
    for run in _rows(d["gpus"]):
        label = " ".join((run["gpu"], *run["settings"]))
        verdicts += [_verdict(f"{label}: {run['verdict']}")] if run.get("verdict") else []
        by_kernel = dict[str, list[Json]]()
        for launch in _named(run["launches"], kernel, "kernel"):
            by_kernel.setdefault(launch["kernel"], []).append(launch)
        for name, own in by_kernel.items():
            stack = dict[str, float]()
            for launch in own:
                for cause, cycles in launch["cpi_stack"].items():
                    stack[cause] = stack.get(cause, 0.0) + cycles
            time_us = math.fsum(launch["time_us"] for launch in own)
            names.update(dict.fromkeys(name for name, cycles in stack.items() if cycles))
            rows.append((name, label, str(len(own)), duration(time_us), stack_bar(stack)))
    head = ("kernel", "configuration", "launches", "time", "CPI stack")
    return join(*verdicts, legend(names), table(head, rows, (2, 3))) if rows else NOTHING


def _exploration(d: Json, _kernel: str | None) -> Markup:
    base = [d["base"]] if d.get("base") else []
    each = [*_rows(d["points"]), *base, *_rows(d["what_if"])][:ROWS_SHOWN]
    rows = [
        (
            e["name"], f"{e['cycles']:,.0f}", duration(e["time_us"]),
            f"{e['gain']:.2f} x" if "gain" in e else "", stack_bar(e["cpi_stack"]),
        )
        for e in each
    ]  # fmt: skip
    names = dict.fromkeys(n for e in each for n, c in e["cpi_stack"].items() if c)
    head = ("design point", "cycles", "time", "gain", "CPI stack")
    return join(legend(names), table(head, rows, (1, 2, 3)))


def _tuning(d: Json, kernel: str | None) -> Markup:
    timed = [e for e in _rows(d["configurations"]) if e["time_us"] is not None]
    if kernel not in (None, d["kernel"]) or not timed:
        return NOTHING
    varied = [name for name, values in d["parameters"].items() if len(values) > 1]
    rows = [
        (
            " ".join(f"{name}={e['configuration'][name]}" for name in varied),
            duration(e["time_us"]), " to ".join(duration(us) for us in e["range_us"]),
            bottleneck_label(e["limiter"]),
        )
        for e in sorted(timed, key=lambda e: float(e["time_us"]))[:ROWS_SHOWN]
    ]  # fmt: skip
    head = ("configuration", "time", "range", "bottleneck")
    return join(_verdict(d.get("verdict")), table(head, rows, (1,)))


def _comparison(d: Json, kernel: str | None) -> Markup:
    rows = [
        (
            e["name"], _time(e["before_us"]), _time(e["after_us"]),
            e["verdict"] if e["ratio"] is None else f"{100 * (e['ratio'] - 1):+.1f} %",
            stall_label(e["cause"]["name"]) if e.get("cause") else "",
            e["line"]["name"] if e.get("line") else "",
        )
        for e in _rows(d["changes"]) if kernel is None or kernel in e["name"]
    ]  # fmt: skip
    return table(("configuration", "before", "after", "change", "cause", "line"), rows, (1, 2, 3))


def _time(us: float | None) -> str:
    return "-" if us is None else duration(us)


def _run(d: Json, kernel: str | None) -> Markup:
    rows = [
        (
            e["name"], f"{e['launch_count']:,}", f"{e['warp_instructions']:,}",
            f"{e['thread_instructions']:,}", _percent(e["simt_efficiency"]),
        )
        for e in _named(d["kernels"], kernel)
    ]  # fmt: skip
    head = ("kernel", "launches", "warp instructions", "thread instructions", "SIMT efficiency")
    return table(head, rows, (1, 2, 3, 4))


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _trace(d: Json, kernel: str | None) -> Markup:
    rows = [
        (str(e["number"]), e["kernel"], f"{e['thread_blocks']:,}", f"{e['warp_instructions']:,}")
        for e in _named(d["launches"], kernel, "kernel")[:ROWS_SHOWN]
    ]
    return table(("launch", "kernel", "thread blocks", "warp instructions"), rows, (0, 2, 3))


def _generic(*tables: tuple[str, str, tuple[str, ...]]) -> Callable[[Json, str | None], Markup]:
    """Tables of entries out of lists of a document: heading, the list's key, keys of entries."""

    def section(d: Json, _kernel: str | None) -> Markup:
        return join(*_tables(d))

    def _tables(d: Json) -> Iterator[Markup]:
        for heading, key, columns in tables:
            rows = [tuple(_cell(e.get(c)) for c in columns) for e in _rows(d.get(key))[:ROWS_SHOWN]]
            if rows:
                head = tuple(c.replace("_", " ") for c in columns)
                yield join(tag("h3", heading), table(head, rows))

    return section


def _cell(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return str(value).lower()
        case float():
            return f"{value:,.4g}"
        case int():
            return f"{value:,}"
        case list():
            return ", ".join(_cell(each) for each in cast("list[object]", value)[:6])
        case _:
            return str(value)


def _profile(d: Json, kernel: str | None) -> Markup:
    names = [each["name"] for each in _rows(d["kernels"])]
    rows = [
        (str(e["number"]), names[e["kernel"]], f"{e['warp_instructions']:,}",
         f"{e['thread_instructions']:,}")
        for e in _rows(d["launches"]) if kernel in (None, names[e["kernel"]])
    ]  # fmt: skip
    head = ("launch", "kernel", "warp instructions", "thread instructions")
    return table(head, rows[:ROWS_SHOWN], (0, 2, 3))


def _memory(d: Json, kernel: str | None) -> Markup:
    rows = list[tuple[str, ...]]()
    for run in _rows(d["gpus"]):
        for launch in _named(run["launches"], kernel, "kernel"):
            for a in _rows(launch["accesses"]):
                rows.append(
                    (run["gpu"], str(launch["launch"]), launch["kernel"], str(a.get("line", "")),
                     str(a.get("array", "")), _cell(a.get("executed")))
                )  # fmt: skip
    head = ("GPU", "launch", "kernel", "line", "array", "executed")
    return table(head, rows[:ROWS_SHOWN], (1, 3, 5))


SECTIONS: Mapping[str, Callable[[Json, str | None], Markup]] = {
    "analysis": _analysis,
    "estimate": _estimate,
    "simulation": _simulation,
    "comparison": _comparison,
    "exploration": _exploration,
    "tuning": _tuning,
    "memory": _memory,
    "run": _run,
    "profile": _profile,
    "trace-summary": _trace,
    "phases": _generic(("Phases", "phases", ("phase", "units", "weight", "mean", "points"))),
    "synthesis": _generic(
        ("Simulated beside the original", "simulations", ("gpu", "original", "miniature")),
        ("Launches", "launches", ("kernel", "thread_blocks", "global_size", "local_size")),
    ),
}
"""What is said of each kind of document, in the order of the page."""
