"""How near estimates come to the times of benchmark suites, on older and newer GPUs.

    python -m benchmarks.accuracy_suites --sources FOLDER [--data ../shared] [--only opendwarfs]

The measured times are those of `truth/` in the data folder; benchmarks/suite_tables.py says what
each row is. The sources folder holds copies of the public repositories OpenDwarfs, gpu-rodinia,
gpuperfpredict, PolyBench-ACC, cuda-samples and Parboil, by these names. Every row counts: what has
no estimate is listed with its reason.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.host_overhead import with_host
from benchmarks.suite_outcome import Figures, Outcome, figures, regrets
from benchmarks.suite_tables import SUITES, Program, Row, Step, Suite
from kcc.assumptions import Assumptions
from kcc.diagnostics import DiagnosticError, Span
from kcc.estimating import Question, Workshop
from kcc.expressions import Value, evaluate
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.source_file import read_source
from kcc.gpu.loading import load_gpu
from kcc.launch import LaunchRequest
from kcc.launch_language import parse_argument, parse_dimensions, parse_expression
from kcc.pipeline import AnalysisRequest, LaunchInputs
from kcc.sim.cache_options import CacheMethod, CacheOptions
from kcc.sim.estimate_result import Estimate
from kcc.sim.launch_overhead import LaunchWay

DATA = Path(__file__).parent / "data"
"""Where kernels of our own lie."""

SAMPLES = 9
"""Values of a loop's counter that stand for all: the first, the last and those evenly between."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Our time of a launch and its range, in microseconds; cycles without those of the launch."""

    time_us: float
    low_us: float
    high_us: float
    launch_us: float
    """The part that is not the kernel's."""
    cycles: float
    limiter: str
    counts: Mapping[str, float]


class _NotEstimated(Exception):
    """A row has no estimate, and why."""


class Estimator:
    """Estimates steps of programs; what was once compiled or estimated is kept."""

    def __init__(self, folder: Path, question: Question) -> None:
        self.folder, self.question = folder, question
        self.workshops = dict[tuple[str, tuple[str, ...]], Workshop]()
        self.answers = dict[tuple[object, ...], Answer]()

    def program(self, suite: Suite, program: Program, row: Row) -> Answer:
        """The sum of all launches of a row."""
        gpu = suite.gpus[suite.gpu_of(row)]
        parts = list[Answer]()
        for step in program.steps:
            found = self._launches(suite, step, program.names, gpu, suite.launches(row))
            parts += [_scaled(answer, n) for answer, n in found]
        return _total(parts)

    def _launches(
        self, suite: Suite, step: Step, names: Mapping[str, int], gpu: str, way: LaunchWay
    ) -> Iterable[tuple[Answer, float]]:
        """Answers, and how many launches each stands for."""
        count = float(_number(step.times, names))
        if step.over is None:
            yield self.launch(suite, step, names, gpu, way), count
            return
        name, first, end = step.over
        start, stop = int(_number(first, names)), int(_number(end, names))
        values = sorted({round(v) for v in np.linspace(start, stop - 1, SAMPLES)})
        weights = np.ones(len(values))
        if len(values) < stop - start:
            weights = np.gradient(np.array(values, float))
            weights[[0, -1]] /= 2  # the trapezoidal rule
        for value, weight in zip(values, weights / weights.sum(), strict=True):
            answer = self.launch(suite, step, {**names, name: value}, gpu, way)
            yield answer, count * (stop - start) * float(weight)

    def launch(
        self, suite: Suite, step: Step, names: Mapping[str, int], gpu: str, way: LaunchWay
    ) -> Answer:
        """One launch."""
        key = (suite.repository, step, tuple(sorted(names.items())), gpu, way)
        if key not in self.answers:
            workshop = self.workshops.setdefault((step.source, step.macros), Workshop())
            request = self._request(suite, step, names)
            (prepared,) = workshop.prepare(request)
            caches = replace(self.question.analysis, warm=suite.warm)
            way = way if step.waited else LaunchWay.QUEUED
            question = replace(self.question, analysis=caches, launches=way)
            found = workshop.estimate(prepared, _gpu(gpu), question).estimate
            if found.invalid:
                raise _NotEstimated(found.invalid)
            share = found.cpi_stack.get("launch", 0.0) / found.cpi
            cycles = found.cycles * (1 - share)
            self.answers[key] = Answer(
                found.time_us,
                *found.range_us,
                share * found.time_us,
                cycles,
                found.limiter,
                _counts(found),
            )
        return self.answers[key]

    def _request(self, suite: Suite, step: Step, names: Mapping[str, int]) -> AnalysisRequest:
        root = DATA if suite.repository == "kcc" else self.folder / suite.repository
        source = _source(root / step.source)
        at = Span(step.source, 0)
        values: dict[str, Value] = dict(names)
        launch = LaunchRequest(grid=parse_dimensions(step.grid, at),
                               block=parse_dimensions(step.block, at))  # fmt: skip
        given = tuple(parse_argument(text, at) for text in step.arguments)
        macros = tuple(MacroOption(*text.split("=", 1)) for text in step.macros)
        include = (str((root / step.source).parent), *(str(root / each) for each in suite.include))
        loops = {_line_of(source, text): int(_number(n, names)) for text, n in step.trips}
        return AnalysisRequest(
            source=source,
            options=BuildOptions(macros, include, opt_level=OptLevel.O2),
            kernels=(step.kernel,),
            other_launch=LaunchInputs(launch, values, given, "table"),
            assumptions=Assumptions(loops),
        )


def _scaled(a: Answer, n: float) -> Answer:
    counts = {name: n * value for name, value in a.counts.items()}
    times = (a.time_us * n, a.low_us * n, a.high_us * n, a.launch_us * n)
    return Answer(*times, a.cycles * n, a.limiter, counts)


def _counts(found: Estimate) -> dict[str, float]:
    values = ((f.name, getattr(found.counts, f.name)) for f in fields(found.counts))
    return {name: value for name, value in values if isinstance(value, float)}


def _total(parts: Sequence[Answer]) -> Answer:
    """The sum, limited by what limits the longest part."""
    return Answer(
        sum(a.time_us for a in parts), sum(a.low_us for a in parts), sum(a.high_us for a in parts),
        sum(a.launch_us for a in parts), sum(a.cycles for a in parts),
        max(parts, key=lambda a: a.time_us).limiter,
        {name: sum(a.counts[name] for a in parts) for name in parts[0].counts},
    )  # fmt: skip


@cache
def _source(path: Path) -> SourceText:
    return read_source(str(path))


_gpu = cache(load_gpu)


def _number(text: str, names: Mapping[str, int]) -> Value:
    return evaluate(parse_expression(text, Span(text, 0)), dict(names))


def _line_of(source: SourceText, text: str) -> int:
    """The line that holds a text."""
    return next(n for n, line in enumerate(source.text.split("\n"), 1) if text in line)


def outcomes(suite: Suite, rows: Sequence[Row], estimator: Estimator) -> list[Outcome]:
    """All rows of a file."""
    found = list[Outcome]()
    for row in rows:
        ours, reason, limiter, low, high, launch = None, "", "", 0.0, 0.0, 0.0
        counters = dict[str, tuple[float, float]]()
        measured = suite.measured(row)
        try:
            if measured is None:
                raise _NotEstimated("the file has no time of it")
            program = suite.program(row)
            if isinstance(program, str):
                raise _NotEstimated(program)
            answer = estimator.program(suite, program, row)
            scale = 1.0 if suite.in_cycles else 1e-3
            ours = answer.cycles if suite.in_cycles else answer.time_us * scale
            spread = ours / answer.time_us
            low, high = answer.low_us * spread, answer.high_us * spread
            launch = answer.launch_us * spread
            limiter = answer.limiter
            counters = {k: (float(row[c]), answer.counts[k]) for k, c in suite.counters.items()}
        except DiagnosticError as error:
            reason = f"{error.diagnostics[0].code}: {error.diagnostics[0].message}"
        except _NotEstimated as error:
            reason = str(error)
        groups = tuple(key(row) for key in suite.groups)
        found.append(
            Outcome(groups, suite.choice(row), suite.gpu_of(row), suite.application(row),
                    _what(row), measured, ours, low, high, launch, limiter, reason, counters,
                    suite.is_smallest(row), suite.is_kernel(row))
        )  # fmt: skip
    return found


def _what(row: Row) -> str:
    """A row in few words."""
    names = (
        "gpu_variant",
        "elements_f64",
        "application",
        "benchmark",
        "app",
        "kernel",
        "size",
        "n",
        "input_size_1",
        "run_dir",
    )
    return " ".join(dict.fromkeys(row[name] for name in names if row.get(name)))


HEAD = "rows  est.   mean %  median %   max %  Spearman  ours/meas.  in range"


def _text(f: Figures) -> str:
    rank = "-" if f.spearman is None else f"{f.spearman:.3f}"
    return (
        f"{f.rows:4d}  {f.estimated:4d}  {f.mean:7.1f}  {f.median:8.1f}  {f.largest:6.0f}  "
        f"{rank:>8s}  {f.ratio:10.2f}  {100 * f.inside:6.0f} %"
    )


def _report_counters(suite: Suite, rows: Sequence[Outcome]) -> None:
    """Ours over measured (geometric mean) and the median error, by the last grouping."""
    for group in dict.fromkeys(r.groups[-1].strip() for r in rows):
        members = [r.counters for r in rows if r.groups[-1].strip() == group]
        for name in suite.counters:
            pairs = [each[name] for each in members if name in each]
            good = np.array([(m, o) for m, o in pairs if m > 0 and o > 0])
            if len(good):
                ratio = good[:, 1] / good[:, 0]
                mean = np.exp(np.log(ratio).mean())
                error = np.median(np.abs(ratio - 1)) * 100
                print(f"  counted: {group} {name}: ours/measured {mean:.3f}, median error "
                      f"{error:.1f} %, {len(good)} of {len(members)} rows")  # fmt: skip


def _report_regret(rows: Sequence[Outcome]) -> None:
    chosen = regrets(rows)
    if chosen:
        wrong = sum(each > 0 for each in chosen)
        print(f"  regret of {len(chosen)} choices: mean {np.mean(chosen):.1f} %, largest "
              f"{max(chosen):.0f} %, {wrong} not the best")  # fmt: skip


def _report_host(rows: Sequence[Outcome]) -> None:
    """What comes out with the host's part from the smallest rows, where a table has such."""
    if not any(row.smallest for row in rows):
        return
    kernels = [row for row in rows if row.alone]
    print(f"  {'kernels alone':32s}{_text(figures(kernels))}")
    _report_regret(kernels)
    rest = [row for row in kernels if not row.smallest]
    print(f"  {'- but the smallest':32s}{_text(figures(rest))}")
    _report_regret(rest)
    known = with_host(kernels)
    print(f"  {'- with the host of the others':32s}{_text(figures(known))}")
    _report_regret(known)
    for place in range(len(known[0].groups)):
        for name in dict.fromkeys(r.groups[place].strip() for r in known):
            members = [r for r in known if r.groups[place].strip() == name]
            print(f"    {name:30s}{_text(figures(members))}")


def report(suite: Suite, rows: Sequence[Outcome], seconds: float) -> None:
    """Print what there is to say of a file."""
    print(f"{suite.file}: {seconds:.1f} CPU seconds\n{'':34s}{HEAD}")
    print(f"  {'all rows':32s}{_text(figures(rows))}")
    for place in range(len(suite.groups)):
        for name in dict.fromkeys(r.groups[place].strip() for r in rows):
            members = [r for r in rows if r.groups[place].strip() == name]
            print(f"  {name:32s}{_text(figures(members))}")
    _report_regret(rows)
    _report_host(rows)
    pairs = [(r, r.measured, r.ours) for r in rows if r.measured and r.ours]
    for r, measured, ours in sorted(pairs, key=lambda p: -abs(np.log(p[2] / p[1])))[:5]:
        unit = "cycles" if suite.in_cycles else "ms"
        print(f"  worst: {r.what} on {r.gpu}: {measured:.4g} {unit} measured, {ours:.4g} ours, "
              f"{r.limiter}")  # fmt: skip
    _report_counters(suite, rows)
    reasons = dict[str, int]()
    for r in rows:
        if r.ours is None:
            reasons[r.reason] = reasons.get(r.reason, 0) + 1
    for reason, count in reasons.items():
        print(f"  not estimated: {count} rows: {reason}")


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=Path("../shared"))
    parser.add_argument("--sources", type=Path, required=True)
    parser.add_argument("--only", default="", help="files whose name holds this")
    parser.add_argument("--model", default="pipeline")
    methods = [method.value for method in CacheMethod]
    parser.add_argument("--caches", choices=methods, default=CacheOptions().method.value)
    parser.add_argument("--json", type=Path, help="write every row")
    arguments = parser.parse_args()
    if not (arguments.data / "truth").is_dir():
        print(f"there is no {arguments.data / 'truth'}: give --data")
        return 1
    kept = dict[str, list[dict[str, object]]]()
    for suite in SUITES:
        if arguments.only not in suite.file:
            continue
        question = Question(arguments.model, analysis=CacheOptions(CacheMethod(arguments.caches)))
        estimator = Estimator(arguments.sources, question)
        with (arguments.data / "truth" / suite.file).open() as file:
            rows = list(csv.DictReader(file))
        began = time.process_time()
        found = outcomes(suite, rows, estimator)
        report(suite, found, time.process_time() - began)
        kept[suite.file] = [asdict(each) for each in found]
        sys.stdout.flush()
    if arguments.json:
        arguments.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
