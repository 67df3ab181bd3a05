"""Compares the engines on random programs, and decides who is wrong where they differ."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack

from tests.robustness.journal import Entry
from tests.robustness.programs.processes import EngineProcess, has_oclgrind

KCC = ("kcc-O0", "kcc-O1", "kcc-O2")
ALL_LEVELS = 8
"""One seed in so many runs at every level at once; the others at -O1 or -O2, and one in so many at
-O0, whose code takes five times as long to compile."""

AGREE = "agree"
BY_OCLGRIND = "agree with oclgrind, PoCL fails"
FAULT_OF_KCC = "fault of kcc"
FAULT_OF_POCL = "fault of PoCL, says oclgrind"
LEVELS_AGREE = "levels of kcc agree, both others fail"
OPEN = "open"


class Comparison:
    """The engines, started when they are needed."""

    def __init__(self, stack: ExitStack) -> None:
        names = (*KCC, "pocl", *(["oclgrind"] if has_oclgrind() else []))
        self.engines = {n: stack.enter_context(EngineProcess(n)) for n in names}

    def judge(self, case: str, names: tuple[str, ...] = KCC) -> Entry:
        """What becomes of a program on some levels of kcc and on PoCL, and where they differ on
        all engines."""
        answers = {name: self.engines[name].ask(case) for name in (*names, "pocl")}
        if len(set(answers.values())) == 1 and not answers["pocl"].startswith("!"):
            return Entry(case, AGREE)
        for name, engine in self.engines.items():
            if name not in answers:
                answers[name] = engine.ask(case)
        return Entry(case, decided(answers), " ".join(f"{n}={a}" for n, a in answers.items()))


def decided(answers: dict[str, str]) -> str:
    """Who is wrong. Two engines that share nothing are taken to be right when they agree."""
    own = {answers[name] for name in KCC}
    one = next(iter(own))
    if len(own) > 1 or one.startswith("!"):
        return FAULT_OF_KCC
    third, pocl = answers.get("oclgrind", "!absent"), answers["pocl"]
    if third == one:
        return BY_OCLGRIND if pocl.startswith("!") else FAULT_OF_POCL
    if third.startswith("!") and pocl.startswith("!"):
        return LEVELS_AGREE
    return FAULT_OF_KCC if third == pocl else OPEN


def levels_of(seed: int) -> tuple[str, ...]:
    """The levels at which the program of a seed runs."""
    if seed % ALL_LEVELS == 0:
        return KCC
    return ("kcc-O1",) if seed % 2 else ("kcc-O2",)


def judged(cases: list[str]) -> Iterator[Entry]:
    """The entries of seeds, as they are decided."""
    with ExitStack() as stack:
        comparison = Comparison(stack)
        for case in cases:
            yield comparison.judge(case, levels_of(int(case)))
