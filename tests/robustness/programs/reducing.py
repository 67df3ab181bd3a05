"""Makes a random program smaller as long as it fails: first its tree, in which every step keeps it
defined, then its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import tests.robustness
from tests.robustness.journal import Entry
from tests.robustness.programs.campaign import (
    FAULT_OF_KCC,
    FAULT_OF_POCL,
    KCC,
    LEVELS_AGREE,
    OPEN,
    Comparison,
)
from tests.robustness.programs.drawing import RandomProgram, draw_program
from tests.robustness.programs.tree import Body, Stmt, smaller_statements
from tests.tracegen.reducer import reduce

KEPT = Path(tests.robustness.__file__).parent / "kept"
"""Programs that failed once, as tests."""

FAULTS = (FAULT_OF_KCC, FAULT_OF_POCL, LEVELS_AGREE, OPEN)

_DIGEST = re.compile(r"(?:^| )([\w-]+)=([0-9a-f]{16})(?= |$)")
"""An engine that gives results, in the detail of an entry."""

Fails = Callable[[RandomProgram], bool]


def smaller_bodies(body: Body) -> Iterator[Body]:
    """The body without half of its statements, without one, or with something smaller in one."""
    if len(body) > 2:
        half = len(body) // 2
        yield from (body[half:], body[:half])
    for place in range(len(body) - 1, -1, -1):
        before, statement, after = body[:place], body[place], body[place + 1 :]
        yield (*before, *after)
        for new in _smaller(statement):
            yield (*before, *new, *after)


def _smaller(statement: Stmt) -> Iterator[Body]:
    yield from smaller_statements(statement)
    for place, inner in enumerate(statement.bodies):
        for new in smaller_bodies(inner):
            bodies = (*statement.bodies[:place], new, *statement.bodies[place + 1 :])
            yield (replace(statement, bodies=bodies),)


def smaller_program(program: RandomProgram, fails: Fails) -> RandomProgram:
    """The smallest found by dropping and simplifying one thing at a time."""
    changed = True
    while changed:
        changed = False
        for body in smaller_bodies(program.body):
            new = RandomProgram(program.locals, body)
            if fails(new):
                program, changed = new, True
                break
        for place in range(len(program.locals) - 1, -1, -1):
            fewer = (*program.locals[:place], *program.locals[place + 1 :])
            if fails(new := RandomProgram(fewer, program.body)):
                program = new
    return program


def symptom(detail: str) -> str:
    """What must stay the same: how each engine that fails does so, the places of numbers apart;
    that two differ, where all give results."""
    words = detail.split("=")
    failures = [w.split("!")[1].split(" ")[0] for w in words if w.startswith("!")]
    return " ".join(sorted(set(failures)))


def right_digest(entry: Entry) -> str:
    """What a program gives by the engines that are not kcc's; by kcc's where neither gives
    anything. Raises ValueError where they are not of one mind: somebody has to decide."""
    answers = dict(_DIGEST.findall(entry.detail))
    others = {answers[name] for name in ("pocl", "oclgrind") if name in answers}
    if entry.outcome == FAULT_OF_POCL:
        others = {answers["oclgrind"]}
    found = others or {answers[name] for name in KCC if name in answers}
    if len(found) != 1:
        raise ValueError(f"no one digest is right: {entry.detail}")
    return found.pop()


def reduce_seed(seed: int) -> str:
    """The reduced program with the digest that is right in its first line, as
    :data:`KEPT` has them; raises ValueError where the seed does not fail."""
    with ExitStack() as stack, TemporaryDirectory() as folder:
        comparison = Comparison(stack)
        path = Path(folder) / "program.cl"

        def judged(source: str) -> tuple[str, str]:
            path.write_text(source, encoding="utf-8")
            entry = comparison.judge(str(path))
            return entry.outcome, symptom(entry.detail)

        program = draw_program(seed)
        wanted = judged(program.source())
        if wanted[0] not in FAULTS:
            raise ValueError(f"seed {seed}: {wanted[0]}")
        program = smaller_program(program, lambda p: judged(p.source()) == wanted)
        source = reduce(program.source(), lambda text: judged(text) == wanted)
        path.write_text(source, encoding="utf-8")
        return f"// {right_digest(comparison.judge(str(path)))}\n{source}"
