"""Estimates of measured rows."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import TYPE_CHECKING

from kcc.base.diagnostics import DiagnosticError
from kcc.base.gpu.loading import load_gpu
from kcc.base.records import dataclass
from kcc.stages.analyze import warp_size
from kcc.stages.estimate import Question, Workshop
from kcc.validation.case import Case, Gpu, Measures, Work
from kcc.validation.outcome import Basis, Outcome

if TYPE_CHECKING:
    from kcc.base.gpu.description import GpuDescription
    from kcc.sim.estimate.result import Estimate
    from kcc.stages.analyze import AnalysisRequest

WORKSHOPS = 4
"""Compilations that are kept: of programs that alternate their kernels."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Of one launch, or the sum of several."""

    time_us: float
    kernel_us: float
    low_us: float
    high_us: float
    limiter: str
    basis: Basis
    counts: Mapping[str, float]


class Refused(Exception):
    """A launch has no estimate, and why."""


class Predictor:
    """Estimates cases. What was compiled last, and all that was estimated, is kept, so that rows
    of the same work, on other GPUs or in other ways, should follow each other."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._workshops = OrderedDict[Hashable, Workshop]()
        self._last: tuple[Hashable, AnalysisRequest] | None = None
        self._answers = dict[Hashable, Answer]()

    def outcome(self, case: Case) -> Outcome:
        """The outcome of a row."""
        began = _cpu_seconds()
        gpu = described(case.gpu)
        architecture = gpu.arch.value if gpu.arch is not None else "unknown"
        found = Outcome(
            case.table, case.number, case.kernel, gpu.stem, f"{_vendor(gpu)} {architecture}",
            case.measured_us, case.failed, case.words, case.choice, case.groups, case.marks,
        )  # fmt: skip
        try:
            found = _with_answer(found, case, self._answer(case))
        except Refused as error:
            found = replace(found, reason=str(error))
        except DiagnosticError as error:
            first = error.diagnostics[0]
            found = replace(found, reason=f"{first.code}: {first.message}")
        return replace(found, seconds=round(_cpu_seconds() - began, 4))

    def _answer(self, case: Case) -> Answer:
        if case.measured_us is None and not case.failed:
            raise Refused("the table has no time of it")
        works = case.works()
        if isinstance(works, str):
            raise Refused(works)
        return _total([(self._launch(case, work), work.times) for work in works])

    def _launch(self, case: Case, work: Work) -> Answer:
        key = (work.key, work.launches, work.local_bytes, case.gpu, case.caches)
        if key not in self._answers:
            workshop, request = self._workshop(work, described(case.gpu))
            (prepared,) = workshop.prepare(request)
            if work.local_bytes is not None:
                prepared.subject.local_bytes = work.local_bytes
            question = replace(self.question, analysis=case.caches, launches=work.launches)
            found = workshop.estimate(prepared, described(case.gpu), question).estimate
            if found.invalid:
                raise Refused(found.invalid)
            self._answers[key] = _answer_of(found)
        return self._answers[key]

    def _workshop(self, work: Work, gpu: GpuDescription) -> tuple[Workshop, AnalysisRequest]:
        """One for each of the last units, whose code is made for the ``gpu`` that is first; a
        request that stays the same object is analysed once."""
        warp = warp_size(gpu)
        key = work.key, warp
        if work.unit not in self._workshops:
            while len(self._workshops) >= WORKSHOPS:
                self._workshops.popitem(last=False)
            code = self.question.codes.get(gpu.stem)
            self._workshops[work.unit] = Workshop(ahead=() if code is None else (code,))
        self._workshops.move_to_end(work.unit)
        if self._last is None or self._last[0] != key:
            self._last = (key, replace(work.request(), warp=warp))
        return self._workshops[work.unit], self._last[1]


REGISTERS = "registers"
"""Of a work-item of the longest launch, among the counts."""


def predicted(cases: Sequence[Case], question: Question) -> Iterator[Outcome]:
    """The outcomes of cases, in their order."""
    predictor = Predictor(question)
    for case in cases:
        yield predictor.outcome(case)


@cache
def described(gpu: Gpu) -> GpuDescription:
    """The description of a GPU, with its changes."""
    return load_gpu(gpu.name, gpu.settings)


def _vendor(gpu: GpuDescription) -> str:
    return gpu.vendor.value if gpu.vendor is not None else "unknown"


def _cpu_seconds() -> float:
    """Of this process and those that it waited for."""
    return sum(os.times()[:4])


def _answer_of(found: Estimate) -> Answer:
    values = ((f.name, getattr(found.counts, f.name)) for f in fields(found.counts))
    counts = {name: float(value) for name, value in values if isinstance(value, int | float)}
    counts[REGISTERS] = float(found.occupancy.registers or 0)
    basis = Basis(found.assumed_share, found.unknown_accesses, len(found.assumptions),
                  len(found.weak), found.doubt, found.unknown_share)  # fmt: skip
    return Answer(found.time_us, found.kernel_us, *found.range_us, found.limiter, basis, counts)


def _total(parts: Sequence[tuple[Answer, float]]) -> Answer:
    """The sum: limited by what limits the longest part, resting on what any of its parts does."""
    whole = sum(a.time_us * n for a, n in parts)
    longest = max(parts, key=lambda part: part[0].time_us * part[1])[0]
    basis = Basis(
        sum(a.basis.guessed_share * a.time_us * n for a, n in parts) / max(whole, 1e-12),
        max(a.basis.unknown_accesses for a, _ in parts),
        max(a.basis.assumed_values for a, _ in parts),
        max(a.basis.weak_values for a, _ in parts),
        max(a.basis.doubt for a, _ in parts),
        sum(a.basis.unknown_share * a.time_us * n for a, n in parts) / max(whole, 1e-12),
    )
    counts = {name: sum(a.counts[name] * n for a, n in parts) for name in longest.counts}
    if REGISTERS in counts:
        counts[REGISTERS] = longest.counts[REGISTERS]
    return Answer(
        whole, sum(a.kernel_us * n for a, n in parts), sum(a.low_us * n for a, n in parts),
        sum(a.high_us * n for a, n in parts), longest.limiter, basis,
        counts,
    )  # fmt: skip


def _with_answer(found: Outcome, case: Case, answer: Answer) -> Outcome:
    """With the time of what the table measures, and its range in proportion."""
    alone = case.measures is Measures.KERNEL
    time_us = answer.kernel_us if alone else answer.time_us
    part = time_us / answer.time_us
    counters = {
        name: (value, answer.counts[name])
        for name, value in case.counters.items() if name in answer.counts
    }  # fmt: skip
    return replace(
        found, time_us=time_us, low_us=answer.low_us * part, high_us=answer.high_us * part,
        launch_us=answer.time_us - answer.kernel_us, limiter=answer.limiter, basis=answer.basis,
        counters=counters,
    )  # fmt: skip
