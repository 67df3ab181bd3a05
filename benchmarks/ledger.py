"""The ledger: estimates beside all measured tables, at one commit.

    python -m benchmarks.ledger --sources FOLDER [--data ../shared] [--sample 100] [--only hotspot]
    python -m benchmarks.ledger --sources FOLDER --frontend nvrtc --only gemm --only convolution
    python -m benchmarks.ledger --sources FOLDER --journal rows.jsonl --json ledger.json

The measured times are those of `truth/` in the data folder; benchmarks/measured_tables.py says what
each row is. The kernels are public and not kept here: the sources folder holds them by the names
that stand there. Of each table a sample is estimated that the seed alone draws (--sample 0: all).
With a journal what is done is kept: after an interruption the same command goes on, a larger sample
resumes after a smaller one, and --so-far reports what there is. With --left-out each table is also
predicted without what was calibrated on it (benchmarks/calibrated.py). Exit code 1 where a table is
worse than --against another ledger's document by more than noise.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import kcc
from benchmarks.calibrated import left_out, rests_on, without_sources
from benchmarks.ledger_cases import cases_of
from benchmarks.ledger_figures import TableFigures, headline, table_figures, worse
from benchmarks.measured_tables import CLOCKS, TABLES, Table
from kcc.commands.journal import Journal, Kind
from kcc.commands.machine_code import code_request
from kcc.commands.progress import shown_progress
from kcc.report.validation import FIGURES_HEAD, figures_cells
from kcc.sim.caches.options import CacheMethod, CacheOptions
from kcc.sim.estimate.hpca19_reading import Code, Latency, Reading, Trace
from kcc.stages.estimate import MODELS, Question
from kcc.validation.case import Case
from kcc.validation.outcome import Outcome, read_outcome
from kcc.validation.predict import Predictor, described
from kcc.validation.simulated import CyclePredictor

ROWS: Kind[Outcome] = Kind("kcc/ledger-journal/1", asdict, read_outcome)
ROOT = Path(__file__).parents[1]


def commit() -> str:
    """The commit of the working tree, marked where files differ from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout.strip() or "unknown"


def digest(arguments: argparse.Namespace) -> str:
    """Of all that estimates depend on but the sample."""
    reading = f"{arguments.latency} {arguments.trace} {arguments.instructions}"
    asked = f"{arguments.model} {arguments.caches} {arguments.seed} {arguments.code} {reading}"
    if arguments.frontend != "auto":
        asked += f" {arguments.frontend}"
    found = hashlib.sha256(asked.encode())
    package = Path(kcc.__file__).parent
    code = (p for part in sorted(package.iterdir()) if part.is_dir() for p in part.rglob("*"))
    own = [*ROOT.glob("benchmarks/measured_*.py"), ROOT / "benchmarks" / "calibrated.py"]
    for path in sorted(p for p in (*code, *own) if p.suffix in (".py", ".yaml", ".json")):
        found.update(path.read_bytes())
    return found.hexdigest()


def interleaved(cases: Sequence[Sequence[Case]]) -> list[Case]:
    """One row of each table after another, so that what is done at any time is a sample of all;
    rows of one configuration on several GPUs stand together."""
    groups = dict[object, list[Case]]()
    for number in range(max(map(len, cases), default=0)):
        for table in cases:
            if number < len(table):
                works = table[number].works()
                first = table[number].key if isinstance(works, str) else works[0].key
                groups.setdefault(first, []).append(table[number])
    return [case for group in groups.values() for case in group]


CYCLE = "cycle"
"""The cycle-level model, beside those of an estimate."""

LEFT_OUT = "left out: "
"""Before the key of a row that is predicted without what was calibrated on its table."""


def estimated(
    tables: Sequence[Table], cases: Sequence[Sequence[Case]], arguments: argparse.Namespace
) -> dict[str, Outcome]:
    """The outcomes of cases by key: those that the journal has, and the others."""
    gc.set_threshold(200_000, 20, 100)  # a tenth of the time is saved
    gpus = [described(each) for each in {case.gpu for row in cases for case in row}]
    codes = {gpu.stem: code_request(arguments.code, gpu) for gpu in gpus}
    cycle = arguments.model == CYCLE
    question = Question(
        "pipeline" if cycle else arguments.model,
        analysis=CacheOptions(CacheMethod(arguments.caches)),
        codes={name: code for name, code in codes.items() if code is not None},
        reading=Reading(
            Latency(arguments.latency), Trace(arguments.trace), Code(arguments.instructions)
        ),
    )
    path: Path | None = arguments.journal
    journal = Journal(path, digest(arguments), ROWS, resume=True) if path else None
    found = {str(k): v for k, v in journal.done.items()} if journal else {}
    with journal or nullcontext():
        work = [(case, case.key, "") for case in interleaved(cases)]
        if arguments.left_out:
            work += [
                (without(case, table), LEFT_OUT + case.key, table.name)
                for table, rows in zip(tables, cases, strict=True) if rests_on(table)
                for case in rows
            ]  # fmt: skip
        left = [] if arguments.so_far else [each for each in work if each[1] not in found]
        with shown_progress(len(left)) as show:
            for number, (key, outcome) in enumerate(
                _outcomes(left, question, cycle=cycle), start=1
            ):
                show(number, 0, key)
                found[key] = outcome
                if journal:
                    journal.add(key, outcome)
    return found


def without(case: Case, table: Table) -> Case:
    """At the data sheet's clock where the table names another, without values of the GPU that come
    from the table."""
    clocks = CLOCKS if table.clocks_mhz or table.boards_mhz else ()
    card = (each for each in case.gpu.settings if each.partition("=")[0] not in clocks)
    settings = (*card, *without_sources(case.gpu.name, table.name))
    return replace(case, gpu=replace(case.gpu, settings=settings))


def _outcomes(
    work: Sequence[tuple[Case, str, str]], question: Question, *, cycle: bool
) -> Iterator[tuple[str, Outcome]]:
    """Key and outcome of cases, each with the table that is left out (none: empty)."""
    for table, members in groupby(work, key=lambda each: each[2]):
        predictor = (CyclePredictor if cycle else Predictor)(question)
        for case, key, _ in members:
            with left_out(table):
                outcome = predictor.outcome(case)
            yield key, outcome


def row_key(row: Outcome) -> str:
    """The key of its case."""
    return f"{row.table} {row.number}"


def printed(tables: Sequence[TableFigures], title: str, *, whole: bool) -> None:
    """Print figures by table, and by its groups where ``whole``."""
    print(f"{title:44s}{FIGURES_HEAD}")
    for table in tables:
        print(f"{table.name:44s}{figures_cells(table.counted)}")
        for name, figures in table.groups if whole else ():
            print(f"  {name:42s}{figures_cells(figures)}")
        for reason, rows in table.aside.items():
            print(f"  {'aside: ' + reason:42.42s}{figures_cells(rows)}")
        for reason, count in table.reasons.items() if whole else ():
            print(f"    {count} rows without: {reason}")
    print(f"{'all tables alike':44s}{headline(tables)}\n")


def main() -> int:
    """Run it."""
    arguments = _arguments()
    folder = arguments.data / "truth"
    for what, path in (("--data", folder), ("--sources", arguments.sources)):
        if not path.is_dir():
            print(f"there is no {path}: give {what}")
            return 1
    tables = [table for table in TABLES if any(o in table.file for o in arguments.only or [""])]
    cases = [
        cases_of(
            table, folder, arguments.sources, arguments.sample, arguments.seed, arguments.frontend
        )
        for table in tables
    ]
    found = estimated(tables, cases, arguments)
    seen = [[found[c.key] for c in each if c.key in found] for each in cases]
    blind = [
        [found.get(LEFT_OUT + row_key(row), row) for row in rows if not rests_on(table)
         or LEFT_OUT + row_key(row) in found]
        for table, rows in zip(tables, seen, strict=True)
    ]  # fmt: skip
    figures, without = (
        [table_figures(t, rows) for t, rows in zip(tables, side, strict=True) if rows]
        for side in (seen, blind)
    )
    printed(figures, "as it is", whole=not arguments.brief)
    if arguments.left_out:
        printed(without, "each table left out", whole=False)
    asked = {
        "model": arguments.model, "code": arguments.code or "default", "sample": arguments.sample,
        "seed": arguments.seed, "frontend": arguments.frontend,
    }  # fmt: skip
    head = {"schema": "kcc/ledger/1", "kcc_version": kcc.__version__, "commit": commit(), **asked}
    if arguments.json:
        content = {
            **head,
            "tables": [each.document() for each in figures],
            "tables_left_out": [each.document() for each in without],
            "rows": [asdict(row) for table in seen for row in table],
            "rows_left_out": [asdict(row) for table in blind for row in table],
        }
        arguments.json.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    if arguments.against:
        before: Any = json.loads(arguments.against.read_text(encoding="utf-8"))
        complaints = worse([read_outcome(row) for row in before["rows"]], seen)
        print("\n".join(complaints) or f"no table is worse than at {before['commit']}")
        return 1 if complaints else 0
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--sample", type=int, default=100, help="rows of a table; 0: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="tables whose name holds this (repeatable)")
    parser.add_argument("--journal", type=Path, help="keep what is done there, and resume")
    parser.add_argument(
        "--so-far", action="store_true", help="estimate nothing, report what the journal has"
    )
    parser.add_argument(
        "--left-out", action="store_true", help="also without what was calibrated on each table"
    )
    parser.add_argument("--brief", action="store_true", help="one line for a table")
    parser.add_argument("--against", type=Path, help="a document of an earlier commit")
    parser.add_argument("--code", choices=("kcc", "auto"), help="of `kcc estimate`")
    parser.add_argument(
        "--frontend", choices=("auto", "nvrtc"), default="auto",
        help="auto: from the sources; nvrtc: NVRTC's PTX of those that are CUDA (kcc[nvidia])",
    )  # fmt: skip
    parser.add_argument("--model", choices=(*sorted(MODELS), CYCLE), default="pipeline")
    for option, kind in (("--latency", Latency), ("--trace", Trace), ("--instructions", Code)):
        values = [each.value for each in kind]
        parser.add_argument(option, choices=values, default=values[0], help="of pipeline-hpca19")
    methods = [method.value for method in CacheMethod]
    parser.add_argument("--caches", choices=methods, default=CacheOptions().method.value)
    parser.add_argument("--json", type=Path, help="write figures and every row")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
