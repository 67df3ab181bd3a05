"""What our front end and PoCL say of the same programs: accepted or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError, DiagnosticSink
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.frontend.parser import parse
from kcc.frontend.sema.program import analyse
from tests.frontend.acceptance_cases import PRELUDE, Case
from tests.pocl import build

BATCH = 2000
STOP = "void stop(void) { stop_here; }"
"""The last line of a batch: an error keeps PoCL from generating code for all the others."""

_OPTIONS = BuildOptions(opt_level=OptLevel.O0)
_ERROR = re.compile(r"^error: [^\n]*?\.cl:(\d+):\d+(?: <[^>]*>)?:(.*)$", re.MULTILINE)


def source_of(case: Case, number: int = 0) -> str:
    """The whole source of a case."""
    return case.text if case.alone else PRELUDE + line_of(case, number)


def line_of(case: Case, number: int) -> str:
    return case.text.replace("@", str(number))


def own_errors(text: str) -> list[Diagnostic]:
    """The errors of our parser and semantic pass."""
    sink = DiagnosticSink()
    try:
        analyse(parse(SourceText("k.cl", text, "."), _OPTIONS, sink), _OPTIONS, sink)
    except DiagnosticError as error:
        return [d for d in error.diagnostics if d.severity.value == "error"]
    return sink.errors


def own_verdict(case: Case) -> str:
    """Empty when we accept the case, else our first message."""
    errors = own_errors(source_of(case))
    return f"{errors[0].code}: {errors[0].message}" if errors else ""


def lower(cases: Sequence[Case]) -> None:
    """Compile accepted cases to the end, all in one source; raises when that fails."""
    lines = [line_of(case, number) for number, case in enumerate(cases)]
    compile_source(SourceText("k.cl", PRELUDE + "\n".join(lines), "."), _OPTIONS)


def pocl_verdicts(context: Any, cases: Sequence[Case]) -> list[str]:
    """PoCL's first message for each case, empty where it has none."""
    verdicts = [""] * len(cases)
    batched = [n for n, case in enumerate(cases) if not case.alone]
    for start in range(0, len(batched), BATCH):
        numbers = batched[start : start + BATCH]
        for n, message in _batch(context, {n: line_of(cases[n], n) for n in numbers}).items():
            verdicts[n] = message
    for n, case in enumerate(cases):
        if case.alone:
            verdicts[n] = _alone(context, case.text)
    return verdicts


def pocl_refuses(context: Any, text: str) -> bool:
    """Whether PoCL's compiler has an error for a source."""
    return bool(_alone(context, text))


def pocl_refuses_late(context: Any, case: Case) -> bool:
    """Whether PoCL refuses a case that is built alone and to the end: when it generates code."""
    return bool(_errors(context, source_of(case)))


def _alone(context: Any, text: str) -> str:
    messages = _errors(context, text + STOP).values()
    return next((m for m in messages if "stop_here" not in m), "")


def _batch(context: Any, lines: dict[int, str]) -> dict[int, str]:
    """The first error of each line that has one; halves of the batch when PoCL gives up early."""
    found = _errors(context, PRELUDE + "\n".join([*lines.values(), STOP]))
    first = PRELUDE.count("\n") + 1
    numbers = list(lines)
    if "stop_here" in found.pop(first + len(lines), "") or len(lines) == 1:
        return {numbers[min(line - first, len(lines) - 1)]: m for line, m in found.items()}
    middle = len(numbers) // 2
    halves = (numbers[:middle], numbers[middle:])
    return {
        n: m for half in halves for n, m in _batch(context, {n: lines[n] for n in half}).items()
    }


def _errors(context: Any, text: str) -> dict[int, str]:
    """The first error of each line, by line; line 0 where PoCL names none."""
    import pyopencl

    try:
        build(context, text, "-cl-std=CL1.2 -w")
    except pyopencl.RuntimeError as failure:
        found = dict[int, str]()
        for line, message in _ERROR.findall(str(failure)):
            found.setdefault(int(line), message)
        return found or {0: str(failure)}
    return {}
