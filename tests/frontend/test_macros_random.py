"""Random macros, expanded as clang (through PoCL) expands them.

Each program defines some macros and quotes a text that uses them; PoCL runs a kernel that hands
the quoted results out.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kcc.base.diagnostics import DiagnosticError, DiagnosticSink
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.preprocessor.lexer import tokenize
from kcc.frontend.preprocessor.preprocess import preprocess
from kcc.frontend.source_file import SourceFile
from tests.pocl import build

if TYPE_CHECKING:
    import pyopencl

NAMES = ("A", "B", "C", "f", "g", "h", "x", "y")
PARAMETERS: list[str] = ["p", "q", "r"]
SIGNS = ("1", "2", ".", "+", "-", "->", "L", "e1", "<", '"s"', "'c'", ",")
QUOTE = "#define QUOTE_(...) #__VA_ARGS__\n#define QUOTE(...) QUOTE_(__VA_ARGS__)\n"
RESULT_BYTES = 4096


def random_text(draw: random.Random, parameters: Sequence[str], length: int) -> list[str]:
    """Words of a macro's body (with parameters, quotes and pastes) or of the text to expand."""
    words: list[str] = []
    for _ in range(draw.randint(0, length)):
        kind = draw.random()
        if kind < 0.4:
            words.append(draw.choice(NAMES))
        elif kind < 0.6:
            arguments = [draw.choice((*NAMES, *parameters, "")) for _ in range(draw.randint(1, 3))]
            words.append(f"{draw.choice('fgh')}({', '.join(arguments)})")
        elif kind < 0.7 and parameters:
            words.append(draw.choice(("#", "")) + draw.choice(parameters))
        elif kind < 0.8 and parameters and words:
            words += ["##", draw.choice((*NAMES, *parameters))]
        elif kind < 0.83 and parameters:
            words.append(draw.choice("()"))
        else:
            words.append(draw.choice(SIGNS))
    return words


def random_program(draw: random.Random) -> tuple[str, str]:
    """Definitions, and a text to expand."""
    lines: list[str] = []
    for name in draw.sample(NAMES, draw.randint(2, 7)):
        parameters: list[str] = draw.sample(PARAMETERS, draw.randint(0, 3))
        if draw.random() < 0.4:
            lines.append(f"#define {name} {' '.join(random_text(draw, (), 6))}")
            continue
        if draw.random() < 0.2:
            parameters.append("...")
        named = [p.replace("...", "__VA_ARGS__") for p in parameters]
        lines.append(
            f"#define {name}({', '.join(parameters)}) {' '.join(random_text(draw, named, 6))}"
        )
    return "\n".join(lines), " ".join(random_text(draw, (), 8))


def expand(definitions: str, text: str) -> list[str] | None:
    """The tokens of the quoted expansion; None when something is wrong with the program."""
    sink = DiagnosticSink()
    source = SourceText("a.cl", f"{QUOTE}{definitions}\nQUOTE({text})\n", ".")
    try:
        unit = preprocess(source, BuildOptions(), {}, sink)
    except DiagnosticError:
        return None
    if sink.errors or len(unit.tokens) != 1:
        return None
    quoted = unit.tokens[0].value[1:-1]
    return tokens_of(quoted.replace('\\"', '"').replace("\\\\", "\\"))


def tokens_of(text: str) -> list[str]:
    return [token.value for token in tokenize(SourceFile("a", ".", text))]


def expand_with_clang(context: pyopencl.Context, programs: list[tuple[str, str]]) -> list[str]:
    """The quoted expansions of many programs, by one kernel."""
    import pyopencl

    undefine = "".join(f"#undef {name}\n" for name in NAMES)
    source = [QUOTE]
    copies: list[str] = []
    for number, (definitions, text) in enumerate(programs):
        source.append(f"{definitions}\nconstant char s{number}[] = QUOTE({text});\n{undefine}")
        place = number * RESULT_BYTES
        copies.append(
            f"for (uint i = 0; i < sizeof(s{number}); ++i) out[{place} + i] = s{number}[i];"
        )
    kernel = "\n".join([*source, "kernel void k(global char *out) {", *copies, "}"])
    program = build(context, kernel, "-cl-std=CL1.2")
    result = np.zeros(len(programs) * RESULT_BYTES, np.uint8)
    buffer = pyopencl.Buffer(context, pyopencl.mem_flags.WRITE_ONLY, result.nbytes)
    queue = pyopencl.CommandQueue(context)
    program.k(queue, (1,), (1,), buffer)
    pyopencl.enqueue_copy(queue, result, buffer)
    rows = result.reshape(len(programs), RESULT_BYTES)
    return [bytes(row).split(b"\0", 1)[0].decode() for row in rows]


@pytest.mark.pocl
def test_expansions_are_those_of_clang(pocl_context: pyopencl.Context, full: bool) -> None:
    draw = random.Random(20)
    for _ in range(40 if full else 1):
        programs = [random_program(draw) for _ in range(250)]
        expanded = [(program, expand(*program)) for program in programs]
        right = [(program, tokens) for program, tokens in expanded if tokens is not None]
        assert len(right) > 60
        theirs = expand_with_clang(pocl_context, [program for program, _ in right])
        for (program, tokens), text in zip(right, theirs, strict=True):
            assert tokens == tokens_of(text), program
