"""`kcc compare --markdown`: a table for the comment on a pull request."""

from __future__ import annotations

from collections import Counter

from kcc.report.comparison import Comparison, Moved, Row
from kcc.report.shared.units import duration

MOST_ROWS = 50
"""Rows of the table: hosts cut comments at 65,536 characters."""

_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_{}[]<>|#"} | {"\n": " ", "\r": " "})


def comparison_markdown(found: Comparison) -> str:
    """GitHub's flavour of Markdown: the gate's result, a row for each configuration that changed,
    those that fail first, with the cause and the line whose part of the time changed most."""
    changed = [row for row in found.ranked if row.verdict != "same"]
    same = len(found.rows) - len(changed)
    lines = [f"### Kernel times: {_outcome(found)}", ""]
    if changed:
        lines += ["| configuration | before | after | change | cause | line |",
                  "|---|--:|--:|--:|---|---|"]  # fmt: skip
        lines += [_row(row) for row in changed[:MOST_ROWS]]
        lines.append("")
    if len(changed) > MOST_ROWS:
        lines.append(f"{len(changed) - MOST_ROWS} further changes are not shown.\n")
    if same:
        lines.append(f"{same} configuration{'s' * (same > 1)} unchanged.\n")
    if any(row.within_range for row in changed):
        lines.append(
            "± the new time lies within the range of the old estimate: the difference may be the "
            "model's error.\n"
        )
    lines += [f"> **Warning:** {_plain(text)}\n" for text in found.differences]
    return "\n".join(lines).rstrip() + "\n"


def _outcome(found: Comparison) -> str:
    counts = Counter(row.verdict for row in found.rows)
    said = ", ".join(f"{count} {what}" for what, count in counts.items()) or "nothing to compare"
    if found.limit is None:
        return said
    failed = sum(row.failed for row in found.rows)
    gate = f"{failed} beyond the limit of {100 * found.limit:g} %" if failed else "gate passed"
    return f"{gate} ({said})"


def _row(row: Row) -> str:
    change = f"{100 * (row.ratio - 1):+.1f} %" if row.ratio is not None else _plain(row.verdict)
    change += " ±" if row.within_range else ""
    if row.failed:
        change = f"**{change}** ❌"
    name = _plain(row.name + (f" (now {row.renamed})" if row.renamed else ""))
    reason = f" {_plain(row.reason)}" if row.reason and row.after_us is None else ""
    cells = (name, _time(row.before_us), _time(row.after_us), change + reason, _moved(row.cause),
             _moved(row.line))  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _time(us: float | None) -> str:
    return "-" if us is None else duration(us)


def _moved(moved: Moved | None) -> str:
    if moved is None:
        return ""
    sign = "+" if moved.change_us > 0 else "-"
    return f"{_plain(moved.name)} {sign}{duration(abs(moved.change_us))}"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return text.translate(_SPECIAL)
