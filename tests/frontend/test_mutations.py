"""Broken sources: whatever is done to a kernel's text, the front end answers with diagnostics.

Tokens of the workloads are dropped, doubled, swapped, replaced by others, or the text is cut. Most
results are not OpenCL C any more; some still are. None may raise anything but a coded diagnostic,
or take more than 5 s. ``--full`` runs 10,000 mutants.
"""

from __future__ import annotations

import random
import re
import time
from functools import cache

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.frontend import compile_source
from kcc.frontend.options import BuildOptions, MacroOption, SourceText
from tests.kernels.harness import KERNELS, WORKLOADS, load

QUICK, FULL = 150, 10_000
LIMIT_SECONDS = 5.0

_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|\s+|\"[^\"\n]*\"|[A-Za-z_]\w*|[\d.]\w*|.", re.DOTALL)


@cache
def tokens(name: str) -> tuple[str, ...]:
    """A workload's source, cut into tokens and blanks."""
    return tuple(_TOKEN.findall(load(name).source.read_text()))


def mutate(rng: random.Random, text: tuple[str, ...]) -> str:
    """One to three random changes."""
    parts = list(text)
    for _ in range(rng.randint(1, 3)):
        place, other = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.choice(["drop", "double", "swap", "replace", "cut", "noise"]):
            case "drop":
                del parts[place]
            case "double":
                parts.insert(place, parts[place])
            case "swap":
                parts[place], parts[other] = parts[other], parts[place]
            case "replace":
                parts[place] = parts[other]
            case "cut":
                del parts[place:]
            case _:
                parts[place] += rng.choice("{}()[];,*&#\\\"'?:=+-.\x00é0x9fLU")
        parts = parts or [" "]
    return "".join(parts)


def compile_mutant(seed: int) -> str:
    """Compile one mutant; gives "fine" or the codes of its errors."""
    rng = random.Random(seed)
    name = rng.choice(WORKLOADS)
    workload = load(name)
    source = SourceText(f"{name}.cl", mutate(rng, tokens(name)), str(KERNELS / name))
    macros = tuple(MacroOption(k, str(v)) for k, v in workload.defines.items())
    try:
        compile_source(source, BuildOptions(macros=macros))
    except DiagnosticError as error:
        return " ".join(sorted({d.code for d in error.diagnostics}))
    return "fine"


@pytest.mark.parametrize("part", range(10))
def test_mutants_give_diagnostics(part: int, full: bool):
    count = (FULL if full else QUICK) // 10
    answers = set[str]()
    for seed in range(part * count, (part + 1) * count):
        start = time.process_time()
        answers.add(compile_mutant(seed))
        assert time.process_time() - start < LIMIT_SECONDS, f"seed {seed}"
    assert len(answers) > 1
