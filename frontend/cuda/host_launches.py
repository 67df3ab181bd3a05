"""The launches in the host code of a CUDA source, as far as that code decides them.

The host is interpreted (:mod:`kcc.frontend.cuda.host`): `main`, as a run with the program's
arguments, or without any (``argc`` is 1), comes by it, and what it calls. Functions that nothing
calls are gone through last, with parameters of no value. What is read in, or rests on something
that is no source here, has no value, and neither has what is made of it: the names that all comes
from are said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.evaluation import MOST_STEPS, Launched, StepsSpentError
from kcc.frontend.cuda.host.expressions import TooDeepError
from kcc.frontend.cuda.host.program import Function, Program, read_program
from kcc.frontend.cuda.host.run import ExitError, Host
from kcc.frontend.cuda.host.syntax import Parser
from kcc.frontend.cuda.host.tokens import Macro, Token, expanded, read
from kcc.frontend.cuda.host.values import Array, Extents, Record, Unknown, Value, names_of

Number = int | float

MOST_BLOCKS = 1 << 31
"""Thread blocks of a dimension, and threads of a block's, that a launch may have."""

STEPS_OF_OTHERS = 5_000
"""What each function that nothing calls may take."""

_MACROS = ("__CUDACC__", "__NVCC__", "__cplusplus")
"""That the compiler defines."""


@dataclass(frozen=True, slots=True)
class HostLaunch:
    """``kernel<<<grid, block>>>(arguments)`` in a line of the source, 0 of a header. ``name`` has
    the template arguments that it is launched with; sizes are None, and arguments too, where they
    are not known; ``unknown`` are the names that sizes need a value of. ``shared_bytes`` are those
    of the third expression, 0 where there is none. Of a launch that is come by several times it is
    the one of the most threads in the first call of its function."""

    kernel: str
    name: str
    line: int
    grid: Extents | None
    block: Extents | None
    shared_bytes: int | None
    arguments: tuple[Number | None, ...]
    unknown: frozenset[str]


def host_launches(
    text: str, given: Mapping[str, Number], headers: Sequence[str] = (), argv: Sequence[str] = (),
    device: Mapping[str, int] | None = None,
) -> list[HostLaunch]:  # fmt: skip
    """The launches of a source, in order. ``given`` are values of names that are known from
    elsewhere, which stand for what the source says of them; ``headers`` are the texts of what it
    includes; ``argv`` the arguments of the program, without its name;
    ``device`` are the properties of the GPU, by the names of CUDA's ``cudaDeviceProp``."""
    program = _program(text, headers)
    launched = dict[tuple[int, str], list[Launched]]()

    def note(each: Launched) -> None:
        launched.setdefault((each.launch.line, each.name), []).append(each)

    host = Host(program, dict(given), note, device or {}, frozenset(program.types))
    _set_up(host, argv, given)
    mains = program.functions.get("main", [])
    others = [each for own in program.functions.values() for each in own if each not in mains]
    for function in mains:
        host.steps = 0
        _run(host, function, argv)
    by_name = (own for names in program.methods.values() for own in names.values())
    for function in (*others, *(each for same in by_name for each in same)):
        if function not in host.visited:
            host.steps = MOST_STEPS - STEPS_OF_OTHERS
            _run(host, function, ())
    found = (_host_launch(min(own, key=_rank_within(own))) for own in launched.values())
    return sorted(found, key=lambda launch: launch.line)


def _program(text: str, headers: Sequence[str]) -> Program:
    macros = {name: Macro(None, (Token("number", "1", 1),)) for name in _MACROS}
    before = [[each._replace(line=0) for each in read(header, macros)] for header in headers]
    own = read(text, macros)
    program = Program()
    for tokens in (*before, own):
        read_program(expanded(tokens, macros), program)
    return program


def _set_up(host: Host, argv: Sequence[str], given: Mapping[str, Number]) -> None:
    """Names at file scope."""
    top = host.scopes[0]
    top |= {"true": 1, "false": 0, "warpSize": 32, "optind": 1, "RAND_MAX": 2147483647}
    top |= {"NULL": 0, "nullptr": 0, "EXIT_SUCCESS": 0, "EXIT_FAILURE": 1}
    last: Value = -1
    with suppress(StepsSpentError, ExitError, RecursionError, TooDeepError):
        for name, tokens in host.program.constants:
            last = host.of_tokens(tokens) if tokens else (
                last + 1 if isinstance(last, int) else Unknown(frozenset({name}))
            )  # fmt: skip
            top[name] = last
        for tokens in host.program.variables:
            declared = Parser(tokens, host.types).declaration()
            for each in declared.declared if declared is not None else ():
                host.declare(each)
    top |= {"argc": 1 + len(argv), "argv": Array(["program", *argv])} | dict(given)


def _run(host: Host, function: Function, argv: Sequence[str]) -> None:
    """Call a function: `main` with the arguments of the program."""
    arguments = (1 + len(argv), Array(["program", *argv])) if function.name == "main" else ()
    with suppress(StepsSpentError, ExitError, RecursionError):
        host.call(function, arguments, {}, Record(type=function.owner) if function.owner else None)


def _rank_within(launches: Sequence[Launched]) -> Callable[[Launched], tuple[bool | int, ...]]:
    """What comes first of the times that a launch is come by: where the run goes, with sizes, in
    the first call that it stands in, the most threads."""
    first = min((each.call for each in launches if not each.tried and _threads(each)), default=None)

    def rank(each: Launched) -> tuple[bool | int, ...]:
        return not _threads(each), each.tried, each.call != first, -_threads(each)

    return rank


def _threads(each: Launched) -> int:
    """Of a launch, 0 where they are not known."""
    grid, block = _extents(each.grid), _extents(each.block)
    return 0 if grid is None or block is None else math.prod((*grid, *block))


def _extents(value: Value) -> Extents | None:
    good = isinstance(value, tuple) and all(1 <= extent < MOST_BLOCKS for extent in value)
    return value if good and isinstance(value, tuple) else None


def _host_launch(each: Launched) -> HostLaunch:
    launch = each.launch
    shared = each.shared
    return HostLaunch(
        launch.kernel, each.name, launch.line, _extents(each.grid), _extents(each.block),
        int(shared) if isinstance(shared, int | float) else None,
        tuple(a if isinstance(a, int | float) else None for a in each.arguments),
        names_of(each.grid, each.block),
    )  # fmt: skip
