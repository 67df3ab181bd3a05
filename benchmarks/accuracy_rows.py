"""The rows of the tables of benchmarks.accuracy, estimated: by one process or several, with a
journal behind which a later run goes on.

Rows of several tables that are the same configuration, measured on different GPUs, are compiled and
analysed once.
"""

from __future__ import annotations

import csv
import gc
import hashlib
import json
import multiprocessing
import os
import random
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import kcc
from benchmarks.accuracy_tables import COUNTERS, Row, Table
from kcc.diagnostics import DiagnosticError, Span
from kcc.estimating import PreparedKernel, Question, Workshop
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.gpu.loading import load_gpu
from kcc.launch import LaunchRequest
from kcc.launch_language import parse_argument, parse_dimensions
from kcc.pipeline import AnalysisRequest, LaunchInputs
from kcc.sim.estimate_result import Estimate

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """A row of a table, by its number there."""

    table: Table
    number: int
    row: Row

    @property
    def key(self) -> str:
        """As the journal calls it."""
        return f"{self.table.file} {self.number}"


def rows_of(table: Table, data: Path) -> list[Row]:
    """All rows of a table."""
    with (data / "truth" / table.file).open() as file:
        return list(csv.DictReader(file))


def chosen(table: Table, data: Path, sample: int, seed: int) -> list[Place]:
    """A sample that the seed alone draws, so that it is the same one of two tables with the same
    rows; all of them with a sample of 0, in an order drawn as well: what is done of them at any
    time is a sample."""
    rows = rows_of(table, data)
    numbers = random.Random(seed).sample(range(len(rows)), min(sample or len(rows), len(rows)))
    return [Place(table, number, rows[number]) for number in numbers]


def request_of(table: Table, row: Row, folder: Path) -> AnalysisRequest:
    """What is compiled and analysed for a row."""
    macros = {name: value for name, value in row.items() if name.isupper()}
    if "PADDING" in macros:
        macros["use_padding"] = macros["PADDING"]
    macros |= dict(table.macros)
    at = Span(table.source, 0)
    text = (folder / table.source).read_text()
    arguments = tuple(parse_argument(a, at) for a in table.arguments)
    return AnalysisRequest(
        source=SourceText(table.source, text, str(folder)),
        options=BuildOptions(
            macros=tuple(MacroOption(n, v) for n, v in macros.items()), opt_level=OptLevel.O2
        ),
        kernels=(table.kernel,),
        other_launch=LaunchInputs(_launch(row, at), {}, arguments, "table"),
    )


def _launch(row: Row, at: Span) -> LaunchRequest:
    """By the macros where they say it: the tables do not have the launches of rows that failed."""
    if "MWG" in row:
        whole = f"4096*{row['MDIMC']}//{row['MWG']},4096*{row['NDIMC']}//{row['NWG']}"
        local = f"{row['MDIMC']},{row['NDIMC']}"
        return LaunchRequest(parse_dimensions(whole, at), parse_dimensions(local, at))
    grid, block = row["grid_blocks"].replace(".", ","), row["block"].replace(".", ",")
    if "BLOCK_SIZE_X" in row:
        block = ",".join(row[f"BLOCK_SIZE_{d}"] for d in "XY")
        sizes = zip(("IMAGE_WIDTH", "IMAGE_HEIGHT"), "XY", strict=True)
        grid = ",".join(
            str(-(-int(row[whole]) // (int(row[f"BLOCK_SIZE_{d}"]) * int(row[f"TILE_SIZE_{d}"]))))
            for whole, d in sizes
        )
    return LaunchRequest(grid=parse_dimensions(grid, at), block=parse_dimensions(block, at))


@dataclass(frozen=True, slots=True)
class How:
    """What is asked of kcc. Rows whose number ``boost_every`` divides are estimated at the boost
    clock too."""

    question: Question = field(default_factory=Question)
    boost_every: int = 1


AS_USUAL = How()


def answered(
    places: Sequence[Place], folder: Path, how: How = AS_USUAL
) -> Iterator[tuple[str, Entry]]:
    """The entries of rows that are one configuration; CPU seconds, of compilers as well, are shared
    among them."""
    began, found, workshop = _cpu_seconds(), list[tuple[str, Entry]](), Workshop()
    try:
        (prepared,) = workshop.prepare(request_of(places[0].table, places[0].row, folder))
    except DiagnosticError as error:
        reason = error.diagnostics[0].message
        found = [(p.key, _measured(p.row) | {"ours_ms": None, "invalid": reason}) for p in places]
    else:
        found = [(p.key, _estimated(p, workshop, prepared, how)) for p in places]
    seconds = (_cpu_seconds() - began) / len(places)
    for key, entry in found:
        yield key, entry | {"cpu_s": seconds}


def _cpu_seconds() -> float:
    """Of this process and those that it waited for."""
    return sum(os.times()[:4])


def _measured(row: Row) -> Entry:
    entry: Entry = {name: value for name, value in row.items() if name.isupper()}
    entry["status"] = row["status"].lower()
    entry["measured_ms"] = float(row["time_ms"]) if row["time_ms"] else None
    return entry


def _estimated(place: Place, workshop: Workshop, prepared: PreparedKernel, how: How) -> Entry:
    """At the table's clock, and at the data sheet's boost clock where that is asked."""
    table, entry = place.table, _measured(place.row)
    at_boost = place.number % how.boost_every == 0

    def estimate(*changes: str) -> Estimate:
        gpu = load_gpu(table.gpu, list(changes))
        return workshop.estimate(prepared, gpu, how.question).estimate

    try:
        clock = (f"core_clock_boost_mhz={table.clock_mhz}",) if table.clock_mhz else ()
        found = estimate(*clock)
        boost = found if not clock else estimate() if at_boost else None
    except DiagnosticError as error:
        return entry | {"ours_ms": None, "invalid": error.diagnostics[0].message}
    entry["ours_ms"] = None if found.invalid else found.time_us / 1e3
    entry["boost_ms"] = None if found.invalid or boost is None else boost.time_us / 1e3
    entry["range_ms"] = None if found.invalid else [us / 1e3 for us in found.range_us]
    entry["port_cycles"] = found.bounds.get("memory_port", 0.0)
    entry["limiter"], entry["invalid"] = found.limiter, found.invalid
    entry["warps"], entry["registers"] = found.occupancy.warps, found.occupancy.registers
    for column, name in COUNTERS.items():
        if place.row.get(column):
            entry[column] = (float(place.row[column]), getattr(found.counts, name))
    return entry


def configurations(places: Sequence[Place]) -> list[tuple[Place, ...]]:
    """Rows that ask for the same code and launch, together."""
    groups = dict[tuple[object, ...], list[Place]]()
    for place in places:
        table, row = place.table, place.row
        names = tuple((name, value) for name, value in row.items() if name.isupper())
        launch = _launch(row, Span(table.source, 0))
        key = table.source, table.kernel, table.arguments, table.macros, names, repr(launch)
        groups.setdefault(key, []).append(place)
    return [tuple(group) for group in groups.values()]


class Journal:
    """What has been estimated, by row: a line of JSON each, behind one that says with what."""

    def __init__(
        self, path: Path | None, tables: Sequence[Table], folder: Path, how: How = AS_USUAL
    ) -> None:
        self.path, self.entries = path, dict[str, Entry]()
        head = json.dumps({"code, sources and tables": _digest(tables, folder, how)})
        if path is None:
            return
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        if lines and lines[0] != head:
            sys.exit(f"{path} is of other sources, tables or another state of kcc")
        for line in lines[1:]:
            content = json.loads(line)
            self.entries[content["row"]] = content["entry"]
        # A line that was not written to its end is not there.
        path.write_text("".join(f"{line}\n" for line in (lines or [head])), encoding="utf-8")

    def add(self, found: Sequence[tuple[str, Entry]]) -> None:
        """Keep rows."""
        self.entries |= dict(found)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.writelines(
                    json.dumps({"row": key, "entry": entry}) + "\n" for key, entry in found
                )


def _digest(tables: Sequence[Table], folder: Path, how: How) -> str:
    """Of all that estimates depend on."""
    package = Path(kcc.__file__).parent
    found = hashlib.sha256(repr((tables, how.question)).encode())
    code = (p for part in sorted(package.iterdir()) if part.is_dir() for p in part.rglob("*"))
    for path in sorted(p for p in (*code, *package.glob("*.py")) if p.suffix in (".py", ".yaml")):
        found.update(path.read_bytes())
    for source in sorted({table.source for table in tables}):
        found.update((folder / source).read_bytes())
    return found.hexdigest()


def run(
    places: Sequence[Place], folder: Path, journal: Journal, jobs: int, how: How = AS_USUAL
) -> None:
    """Estimate all rows that the journal lacks, in ``jobs`` processes."""
    tasks = [t for t in configurations(places) if any(p.key not in journal.entries for p in t)]
    found = _apart if jobs > 1 else _here
    for done, rows in enumerate(found(tasks, folder, how, jobs), start=1):
        journal.add(rows)
        if sys.stderr.isatty():
            sys.stderr.write(f"\r{done} of {len(tasks)} configurations")


def _rarely_collect() -> None:
    """Collecting cycles of garbage as often as Python does by itself takes a tenth of the time."""
    gc.set_threshold(200_000, 20, 100)


def _here(
    tasks: Sequence[tuple[Place, ...]], folder: Path, how: How, _jobs: int
) -> Iterator[list[tuple[str, Entry]]]:
    _rarely_collect()
    for task in tasks:
        yield list(answered(task, folder, how))


def _apart(
    tasks: Sequence[tuple[Place, ...]], folder: Path, how: How, jobs: int
) -> Iterator[list[tuple[str, Entry]]]:
    """By processes that are started afresh: compiled code and its threads do not survive a fork."""
    spawned = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(jobs, spawned, initializer=_rarely_collect)
    try:
        futures = [pool.submit(_listed, task, folder, how) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _listed(task: tuple[Place, ...], folder: Path, how: How) -> list[tuple[str, Entry]]:
    return list(answered(task, folder, how))


def entries(places: Sequence[Place], journal: Journal) -> list[Mapping[str, Any]]:
    """Those of some rows, in their order, as far as there are any."""
    return [journal.entries[place.key] for place in places if place.key in journal.entries]
