"""The compiler's machine code beside the source: each line with its instructions, what the
scheduler is told of them and how many registers are live."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kcc.frontend.machine_code.model import Control, MachineCode, MachineInstruction
from kcc.report.analysis.model import MachineView
from kcc.report.shared.markup import NOTHING, Markup, join, tag
from kcc.report.shared.words import plural

Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

NO_LINE = "(no source line)"

_HEAD = ("address", "stall", "sets", "waits", "live", "instruction")


def summary(code: MachineCode) -> str:
    """What the compiler needs for a kernel, in one line."""
    parts = [plural(code.registers, "register")]
    if code.scalar_registers:
        parts.append(plural(code.scalar_registers, "scalar register"))
    stores, loads = code.spill_store_bytes, code.spill_load_bytes
    parts.append(f"spills of {stores:,} bytes stored, {loads:,} loaded" if code.spills else
                 "no spills")  # fmt: skip
    if code.stack_bytes:
        parts.append(f"{plural(code.stack_bytes, 'byte')} of stack")
    parts.append(f"{plural(code.shared_bytes, 'byte')} of shared memory")
    if code.code_bytes:
        parts.append(f"{plural(code.code_bytes, 'byte')} of code")
    return f"{code.compiler}: {', '.join(parts)}"


def pipes(code: MachineCode) -> str:
    """How many instructions each pipe has."""
    counts = Counter(each.pipe.value for each in code.instructions)
    shares = ", ".join(f"{count} {name}" for name, count in counts.most_common())
    return f"{plural(len(code.instructions), 'instruction')}: {shares}" if counts else code.reason


def machine_text(
    view: MachineView, sources: Mapping[str, Sequence[str]], own: str
) -> Iterator[str]:
    """The lines of the report; files other than ``own`` are named."""
    code = view.code
    yield f"  {summary(code)}"
    yield f"  {pipes(code)}"
    if not code.instructions:
        return
    yield "  {:>7} {:>5} {:4} {:6} {:>4}  {}".format(*_HEAD)
    for place, numbers in _groups(view):
        yield f"  {_source(place, sources, own)}"
        for number in numbers:
            row = code.instructions[number]
            cells = _cells(row, view.live[number])
            yield "  {:>7} {:>5} {:4} {:6} {:>4}  {}".format(*cells)


def _source(place: tuple[str, int] | None, sources: Mapping[str, Sequence[str]], own: str) -> str:
    if place is None:
        return NO_LINE
    file, line = place
    text = sources.get(file, ())
    shown = text[line - 1].strip() if 0 < line <= len(text) else ""
    return f"{'' if file == own else file + ':'}{line}  {shown}".rstrip()


def _groups(view: MachineView) -> Iterator[tuple[tuple[str, int] | None, list[int]]]:
    """Instructions by source line, those of no line last."""
    found = dict[tuple[str, int] | None, list[int]]()
    for number, place in enumerate(view.places):
        found.setdefault(place, []).append(number)
    for place in sorted(each for each in found if each is not None):
        yield place, found[place]
    if None in found:
        yield None, found[None]


def _cells(row: MachineInstruction, live: int) -> tuple[str, ...]:
    control = row.control
    return (
        f"{row.address:04x}",
        "" if control is None else str(control.stall_cycles),
        "" if control is None else _sets(control),
        "" if control is None else "".join(map(str, control.waits_for)),
        str(live),
        row.text,
    )


def _sets(control: Control) -> str:
    """The barriers that it sets: w when its result is written, r when its sources are read."""
    write = "" if control.write_barrier is None else f"w{control.write_barrier}"
    read = "" if control.read_barrier is None else f"r{control.read_barrier}"
    return write + read


LEGEND = (
    "stall: cycles until the warp may issue its next instruction; sets: barrier for when its "
    "result is written (w) or its operands are read (r); waits: barriers it waits for; live: "
    "registers in use before it"
)


def machine_json(view: MachineView | None) -> dict[str, Json]:
    """The key ``machine_code`` of a kernel, nothing where it was not asked for."""
    if view is None:
        return {}
    code = view.code
    rows: list[Json] = [
        {
            "address": row.address,
            "instruction": row.text,
            "pipe": row.pipe.value,
            "file": None if place is None else place[0],
            "line": None if place is None else place[1],
            "live_registers": live,
            "stall_cycles": None if row.control is None else row.control.stall_cycles,
            "write_barrier": None if row.control is None else row.control.write_barrier,
            "read_barrier": None if row.control is None else row.control.read_barrier,
            "waits_for": [] if row.control is None else list(row.control.waits_for),
        }
        for row, place, live in zip(code.instructions, view.places, view.live, strict=True)
    ]
    return {
        "machine_code": {
            "compiler": code.compiler,
            "registers": code.registers,
            "scalar_registers": code.scalar_registers,
            "spill_store_bytes": code.spill_store_bytes,
            "spill_load_bytes": code.spill_load_bytes,
            "stack_bytes": code.stack_bytes,
            "shared_bytes": code.shared_bytes,
            "barriers": code.barriers,
            "code_bytes": code.code_bytes,
            "reason": code.reason or None,
            "instructions": rows,
        }
    }


def machine_html(
    view: MachineView | None, sources: Mapping[str, Sequence[str]], own: str
) -> Markup:
    """The same for the page: a line opens to its instructions."""
    if view is None:
        return NOTHING
    parts = [tag("p", summary(view.code)), tag("p", pipes(view.code), class_="soft")]
    for place, numbers in _groups(view):
        rows = [_cells(view.code.instructions[n], view.live[n]) for n in numbers]
        cells = [tag("tr", *(tag("td", tag("code", cell)) for cell in row)) for row in rows]
        head = tag("tr", *(tag("th", name) for name in _HEAD))
        title = f"{_source(place, sources, own)}  ({plural(len(rows), 'instruction')})"
        parts.append(tag("details", tag("summary", tag("code", title)), tag("table", head, *cells)))
    return join(*parts, tag("p", LEGEND, class_="soft"))
