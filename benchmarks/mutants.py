"""How many seeded mutants of the source the tests kill.

    python -m scripts.short_suite FOLDER                            which lines each test runs
    python -m benchmarks.mutants FOLDER --count 60 --seed 1 --journal mutants.jsonl
    python -m benchmarks.mutants FOLDER --journal mutants.jsonl --all-short      survivors
    python -m benchmarks.mutants FOLDER --journal mutants.jsonl --whole

Each mutant changes one operator, comparison, constant or condition of a function in a copy of the
commit, equally many in each layer. The tests that run its line are run, nearest first, then those
that run none of kcc in their own process; of a line that no test was seen to run (numba compiles
it, or it runs in another process), those of its layer and all. The first that fails ends it. The
journal has a line for each mutant and choice of tests: a second call goes on where the first ended,
and no mutant is run twice.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from scripts import changed, short_suite
from scripts.short_suite import ALL_SHORT

ROOT = Path(__file__).resolve().parents[1]
LAYERS = ("frontend", "passes", "tracegen", "sim", "synth", "kcc")
WHOLE = "--whole"
LIMIT_SECONDS = 3600.0
"""A run of tests that takes longer counts as killed: the mutant does not end."""

SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//", ast.LShift: ">>",
    ast.RShift: "<<", ast.BitAnd: "|", ast.BitOr: "&", ast.And: "or", ast.Or: "and",
}  # fmt: skip
"""What stands for an operator in a mutant."""

SPELLED: dict[type[ast.AST], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.And: "and", ast.Or: "or",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a source line: ``column`` counts bytes, as ast does."""

    path: str
    line: int
    column: int
    old: str
    new: str


def between(
    path: str, left: ast.expr, right: ast.expr, operator: ast.AST, lines: list[bytes]
) -> list[Mutant]:
    """The mutant of an operator that stands between two operands on one line."""
    if type(operator) not in SWAPPED or left.end_lineno != right.lineno:
        return []
    old, new = SPELLED[type(operator)], SWAPPED[type(operator)]
    assert left.end_col_offset is not None
    place = lines[right.lineno - 1].find(old.encode(), left.end_col_offset, right.col_offset)
    return [] if place < 0 else [Mutant(path, right.lineno, place, old, new)]


def of_node(path: str, node: ast.AST, lines: list[bytes]) -> list[Mutant]:
    """The mutants of one node of a function's body."""
    match node:
        case ast.Compare(left, operators, rights):
            pairs = zip([left, *rights], rights, operators, strict=False)
            return [m for a, b, op in pairs for m in between(path, a, b, op, lines)]
        case ast.BinOp(left, operator, right):
            return between(path, left, right, operator, lines)
        case ast.BoolOp(operator, [first, second, *_]):
            return between(path, first, second, operator, lines)
        case ast.Constant(bool() as value):
            return [Mutant(path, node.lineno, node.col_offset, str(value), str(not value))]
        case ast.Constant(int() as value):
            old = lines[node.lineno - 1][node.col_offset : node.end_col_offset].decode()
            return [Mutant(path, node.lineno, node.col_offset, old, str(value + 1))]
        case ast.UnaryOp(ast.Not()):
            return [Mutant(path, node.lineno, node.col_offset, "not ", "")]
        case _:
            return []


@cache
def mutants_of(path: str) -> list[Mutant]:
    """All mutants of the bodies of a file's functions, in order."""
    text = (ROOT / path).read_bytes()
    lines, found = text.split(b"\n"), dict[Mutant, None]()
    for function in ast.walk(ast.parse(text)):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                for node in ast.walk(statement):
                    found.update(dict.fromkeys(of_node(path, node, lines)))
    return list(found)


def one_of(mutants: list[Mutant], draw: random.Random) -> list[Mutant]:
    """One of a file's mutants, if it has any."""
    return [draw.choice(mutants)] if mutants else []


def chosen(count: int, seed: int) -> list[Mutant]:
    """Equally many of each layer, drawn from all files that are committed by their size."""
    listed = changed.git("ls-files", *(f"{layer}/*.py" for layer in LAYERS))
    draw, found = random.Random(seed), dict[Mutant, None]()
    for layer in LAYERS:
        files = [name for name in listed if name.startswith(f"{layer}/")]
        sizes = [(ROOT / name).stat().st_size for name in files]
        wanted = len(found) + count // len(LAYERS)
        while len(found) < wanted:
            (name,) = draw.choices(files, sizes)
            found.update(dict.fromkeys(one_of(mutants_of(name), draw)))
    return list(found)


def applied(mutant: Mutant) -> str:
    """The file's text with the change."""
    lines = (ROOT / mutant.path).read_bytes().split(b"\n")
    line, old = lines[mutant.line - 1], mutant.old.encode()
    assert line[mutant.column :].startswith(old)
    end = mutant.column + len(old)
    lines[mutant.line - 1] = line[: mutant.column] + mutant.new.encode() + line[end:]
    return b"\n".join(lines).decode()


class Tests:
    """Which tests can notice a mutant."""

    def __init__(self, folder: Path) -> None:
        self.by_line, self.elsewhere = dict[tuple[str, int], list[str]](), list[str]()
        places, ran = short_suite.lines(folder)
        for test in short_suite.times(folder, ALL_SHORT):
            if test not in ran:
                self.elsewhere.append(test)
        for test, numbers in ran.items():
            for number in numbers:
                self.by_line.setdefault(places[number], []).append(test)

    def stages(self, mutant: Mutant) -> Iterator[list[str]]:
        """Tests in the order in which they run."""
        near = [str(path) for path in changed.tests_of(Path(mutant.path))]
        tests = self.by_line.get((mutant.path, mutant.line), [])
        yield [test for test in tests if test.startswith(tuple(near))]
        yield [test for test in tests if not test.startswith(tuple(near))]
        yield self.elsewhere


def folders_of(mutant: Mutant) -> Iterator[list[str]]:
    """Files and folders of tests in the order in which they run, where the line tells nothing."""
    near = [str(path) for path in changed.tests_of(Path(mutant.path))]
    layer = str(Path("tests") / Path(mutant.path).parts[0])
    yield near
    if near != [layer]:
        yield [layer]
    yield ["tests"]


def verdict(mutant: Mutant, copy: Path, options: Sequence[str], tests: Tests) -> str:
    """The first test that fails, ``time`` if the tests do not end, or ``survived``. What the short
    suite does not kill is tried with the tests that it leaves out alone; of those that only
    --whole runs, no lines were measured."""
    known = WHOLE not in options and (mutant.path, mutant.line) in tests.by_line
    found = tests.stages(mutant) if known else folders_of(mutant)
    if options == [ALL_SHORT]:
        long = short_suite.LONG_TESTS.read_text(encoding="utf-8").splitlines()[2:]
        found = [[t for t in stage if t in set(long)] for stage in found] if known else [long]
    for stage in found:
        if stage and (failed := failing(stage, copy, options)):
            return failed
    return "survived"


def failing(stage: Sequence[str], copy: Path, options: Sequence[str]) -> str:
    """The first of these tests that fails."""
    only = copy / "only.txt"
    only.write_text("\n".join(stage), encoding="utf-8")
    files = dict.fromkeys(test.partition("::")[0] for test in stage)
    command = [sys.executable, "-P", "-m", "pytest", "-x", "-q", *options, *files]
    command += ["--only", str(only)] if "::" in stage[0] else []
    path = os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True,
            text=True, timeout=LIMIT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return "time"
    if done.returncode in (0, 5):  # 5: no tests
        return ""
    failed = [s for s in done.stdout.splitlines() if s.startswith(("FAILED", "ERROR"))]
    return failed[0].split(" - ")[0] if failed else f"exit code {done.returncode}"


def make_copy(folder: Path) -> None:
    """The commit, as a repository of its own: tests ask git."""
    silent = ["-c", "advice.detachedHead=false"]
    subprocess.run(["git", *silent, "clone", "--quiet", "--shared", ROOT, folder], check=True)


def main() -> None:
    """Entry point."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="measurements of scripts.short_suite")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--journal", type=Path, required=True)
    parser.add_argument(ALL_SHORT, action="store_true", help="tests/long_tests.txt too")
    parser.add_argument(WHOLE, action="store_true", help="slow tests and all cases too")
    given = parser.parse_args()
    options = [WHOLE] * given.whole or [ALL_SHORT] * given.all_short
    tests = Tests(given.folder)
    journal: Path = given.journal
    known = [json.loads(s) for s in journal.read_text().splitlines()] if journal.exists() else []
    kept = {(json.dumps(row["mutant"]), *row["options"]): row["verdict"] for row in known}
    with tempfile.TemporaryDirectory() as name:
        copy = Path(name)
        make_copy(copy)
        for mutant in chosen(given.count, given.seed):
            key = json.dumps(asdict(mutant))
            short = kept.get((key,))
            if (key, *options) in kept or (options and short not in (None, "survived")):
                continue
            (copy / mutant.path).write_text(applied(mutant), encoding="utf-8")
            found = verdict(mutant, copy, options, tests)
            (copy / mutant.path).write_bytes((ROOT / mutant.path).read_bytes())
            row = {"mutant": asdict(mutant), "options": options, "verdict": found}
            with journal.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            kept[key, *options] = found
            print(f"{mutant.path}:{mutant.line}: {mutant.old} -> {mutant.new}: {found}", flush=True)
    verdicts = [v for k, v in kept.items() if k[1:] == tuple(options)]
    print(f"{sum(v != 'survived' for v in verdicts)} of {len(verdicts)} killed")


if __name__ == "__main__":
    main()
