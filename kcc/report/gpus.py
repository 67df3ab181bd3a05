"""GPU descriptions as text and as the JSON document `kcc/gpu/1`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import kcc
from kcc.base.gpu.description import GpuDescription
from kcc.base.gpu.facts import QUALITY_MEANING, WEAK, Fact, Rule
from kcc.base.gpu.schema import CORE, SECTIONS, facts_of, rules

SCHEMA = "kcc/gpu/1"

MAX_ALIASES = 30
"""Columns for aliases in the list; `show` has them all."""

MAX_COLUMN = 30
"""Longer cells stick out instead of widening their column."""


def completeness(gpu: GpuDescription) -> tuple[int, int]:
    """How many of the values that models ask for are known, and how many of those are weak."""
    facts = facts_of(gpu)
    known = [fact for key in CORE if (fact := facts[key])]
    return len(known), sum(fact.is_weak for fact in known)


def list_text(gpus: Sequence[GpuDescription]) -> str:
    """The table of `kcc gpus list`."""
    titles = ("name", "aliases", "architecture", "SMs", "MHz", "GB/s", "L2 KiB", "known", "weak")
    rows = [titles, *(_row(gpu) for gpu in gpus)]
    text = columns(rows, right=(3, 4, 5, 6, 7, 8))
    return (
        f"{text}\nMHz is the clock of an SM under load. known: of {len(CORE)} values that the "
        "timing models ask for;\nweak: those among them that are of a sibling, of a simulator, "
        "or guessed.\n"
    )


def _row(gpu: GpuDescription) -> tuple[str, ...]:
    l2, bandwidth = gpu.l2.size_bytes, gpu.memory_bandwidth_gbs
    known, weak = completeness(gpu)
    return (
        gpu.stem,
        _some_aliases(gpu.aliases),
        gpu.arch.value if gpu.arch else "?",
        _plain(gpu.sm_count),
        _plain(gpu.sm_clock_mhz),
        _plain(bandwidth),
        "?" if l2 is None else str(l2.value // 1024),
        str(known),
        str(weak),
    )


def _some_aliases(aliases: Sequence[str]) -> str:
    shown = ""
    for number, alias in enumerate(aliases):
        longer = f"{shown}, {alias}" if shown else alias
        if len(longer) > MAX_ALIASES - 4 * (number < len(aliases) - 1):
            return f"{shown} ..."
        shown = longer
    return shown


def show_text(gpu: GpuDescription, *, sources: bool) -> str:
    """Everything that is known of a GPU; with ``sources``, where each value comes from."""
    lines = [gpu.name.value if gpu.name else gpu.stem, f"{gpu.stem}  {', '.join(gpu.aliases)}", ""]
    facts = facts_of(gpu)
    rows = [_shown(key, fact, sources) for key, fact in facts.items() if fact]
    lines.append(columns(rows).rstrip("\n"))
    lines += _unknown_lines(facts)
    lines += _weak_lines(facts)
    if sources:
        lines += _source_lines(gpu, facts)
    return "\n".join(lines) + "\n"


def _shown(key: str, fact: Fact[Any], sources: bool) -> tuple[str, ...]:
    mark = "~" if fact.is_weak else ""
    row = (key, mark + _value(fact.value), fact.unit)
    if not sources:
        return row
    others = "; ".join(
        f"or {_value(each.value)} ({each.source}{': ' + each.note if each.note else ''})"
        for each in fact.alternatives
    )
    remarks = "; ".join(part for part in (fact.note, others) if part)
    return (*row, fact.quality.value, fact.source, remarks)


def _unknown_lines(facts: Mapping[str, Fact[Any] | None]) -> list[str]:
    missing = [key for key in CORE if facts[key] is None]
    optional = [key for key, fact in facts.items() if fact is None and key not in missing]
    lines = [""]
    if missing:
        lines += ["not known, and models ask for it:", *_filled(missing)]
    return [*lines, "not known:", *_filled(optional)] if optional else lines


def _weak_lines(facts: Mapping[str, Fact[Any] | None]) -> list[str]:
    weak = sum(fact is not None and fact.is_weak for fact in facts.values())
    if not weak:
        return []
    kinds = ", ".join(sorted(quality.value for quality in WEAK))
    return [f"~ marks {weak} weak values ({kinds})"]


def _source_lines(gpu: GpuDescription, facts: Mapping[str, Fact[Any] | None]) -> list[str]:
    used = {fact.source for fact in facts.values() if fact}
    used |= {each.source for fact in facts.values() if fact for each in fact.alternatives}
    rows = [(f"  {key}", gpu.sources.get(key, "given by the user")) for key in sorted(used)]
    qualities = {fact.quality for fact in facts.values() if fact}
    kinds = [
        (f"  {quality.value}", text)
        for quality, text in QUALITY_MEANING.items()
        if quality in qualities
    ]
    return ["", "sources:", columns(rows), "qualities:", columns(kinds).rstrip("\n")]


def diff_text(left: GpuDescription, right: GpuDescription) -> str:
    """The keys in which two GPUs differ, side by side."""
    first, second = facts_of(left), facts_of(right)
    rows = [("", left.stem, right.stem, "")]
    for key, rule in rules().items():
        ours, theirs = first[key], second[key]
        if (ours and ours.value) != (theirs and theirs.value):
            rows.append((key, _plain(ours), _plain(theirs), rule.unit))
    if len(rows) == 1:
        return f"{left.stem} and {right.stem} differ in nothing\n"
    same = len(rules()) - len(rows) + 1
    return f"{columns(rows)}\n{len(rows) - 1} keys differ, {same} are the same\n"


def list_json(gpus: Sequence[GpuDescription]) -> str:
    """All of them in one document."""
    return _dump({"gpus": [gpu_json(gpu) for gpu in gpus]})


def show_json(gpu: GpuDescription) -> str:
    """One GPU, in the same document as a list of it alone."""
    return list_json([gpu])


def diff_json(left: GpuDescription, right: GpuDescription) -> str:
    """Two GPUs in full, and the keys in which they differ."""
    first, second = facts_of(left), facts_of(right)
    differing = [
        key
        for key in rules()
        if ((a := first[key]) and a.value) != ((b := second[key]) and b.value)
    ]
    return _dump({"gpus": [gpu_json(left), gpu_json(right)], "differing": differing})


def gpu_json(gpu: GpuDescription) -> dict[str, Any]:
    """One GPU as plain JSON values; what is not known is null, with the reason beside it."""
    known, weak = completeness(gpu)
    facts = facts_of(gpu)
    values: dict[str, Any] = {
        key: _fact_json(fact) for key, fact in facts.items() if "." not in key
    }
    for section in SECTIONS:
        values[section] = {
            key.partition(".")[2]: _fact_json(fact)
            for key, fact in facts.items()
            if key.startswith(f"{section}.")
        }
    return {
        "stem": gpu.stem,
        "aliases": list(gpu.aliases),
        "completeness": {"known": known, "asked": len(CORE), "weak": weak},
        "values": values,
    }


def _fact_json(fact: Fact[Any] | None) -> dict[str, Any]:
    if fact is None:
        return {"value": None, "reason": "no source gives it"}
    return {
        "value": fact.value,
        "unit": fact.unit or None,
        "source": fact.source,
        "quality": fact.quality.value,
        "note": fact.note or None,
        "alternatives": [
            {"value": each.value, "source": each.source, "note": each.note or None}
            for each in fact.alternatives
        ],
    }


def _dump(body: Mapping[str, Any]) -> str:
    head = {"schema": SCHEMA, "kcc_version": kcc.__version__}
    return json.dumps(head | dict(body), indent=1, ensure_ascii=False) + "\n"


def keys_table() -> str:
    """The keys of a GPU file as rows of a Markdown table, for the documentation."""
    lines = ["| key | takes | unit | meaning |", "|---|---|---|---|"]
    for key, rule in rules().items():
        lines.append(f"| `{key}` | {_takes(rule)} | {rule.unit} | {rule.meaning} |")
    return "\n".join(lines) + "\n"


def _takes(rule: Rule) -> str:
    return ", ".join(f"`{choice}`" for choice in rule.choices) or rule.kind.value


def _plain(fact: Fact[Any] | None) -> str:
    return "?" if fact is None else _value(fact.value)


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, cast("tuple[int, ...]", value)))
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def columns(
    rows: Sequence[Sequence[str]], right: Sequence[int] = (), widest: int = MAX_COLUMN
) -> str:
    """Rows of cells below each other; those numbered in ``right`` are set flush right. Cells of
    more than ``widest`` characters move the rest of their row."""
    count = max((len(row) for row in rows), default=0)
    lengths = [[len(row[i]) for row in rows if i < len(row)] for i in range(count)]
    widths = [max(n for n in column if n <= widest or n == min(column)) for column in lengths]
    return "".join(_aligned(row, widths, right) + "\n" for row in rows)


def _aligned(row: Sequence[str], widths: Sequence[int], right: Sequence[int]) -> str:
    cells = (
        cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row)
    )
    return "  ".join(cells).rstrip()


def _filled(words: Sequence[str]) -> Iterator[str]:
    """Words in lines of at most 96 columns, indented."""
    line = " "
    for word in words:
        if len(line) + len(word) + 1 > 96:
            yield line
            line = " "
        line += f" {word}"
    yield line
