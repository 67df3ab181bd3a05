"""The search space of a Kernel Tuner script: the script runs, and what it hands to
``tune_kernel`` is kept in place of being tuned."""

from __future__ import annotations

import ast
import contextlib
import inspect
import io
import runpy
import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.frontend.options import BuildOptions, MacroOption, SourceText
from kcc.report.shared.words import plural
from kcc.stages.analyze import AnalysisRequest
from kcc.tuning.asked import (
    ELEMENTS,
    NO_NAMES,
    Given,
    Overrides,
    ReadOptions,
    named_arguments,
    parameter_names,
    request_of,
    sizes,
)
from kcc.tuning.space import (
    Configuration,
    Problem,
    ProblemSize,
    Space,
    Value,
    unreadable,
)

MAX_THREADS = 1_000_000_000
"""Threads of a block, as in Kernel Tuner's simulation mode: what is too large for a GPU is
there, without a time."""

SUFFIXES = {"CUDA": ".cu", "HIP": ".hip", "OPENCL": ".cl"}


class _Found(BaseException):
    """The call of ``tune_kernel`` that was looked for: ends the script."""

    def __init__(self, call: inspect.BoundArguments) -> None:
        super().__init__()
        self.call = call


def need_kernel_tuner() -> Any:
    """The library's interface; raises :class:`DiagnosticError` (K897) without it."""
    try:
        return import_module("kernel_tuner.interface")
    except ImportError as error:
        message = "a Kernel Tuner script needs Kernel Tuner"
        hint = "kcc's extra `tune` has it: pip install kernel_tuner"
        raise DiagnosticError([Diagnostic("K897", message, hint=hint)]) from error


def _part(name: str) -> Any:
    """A module of the library, which has no types."""
    return import_module(f"kernel_tuner.{name}")


def read_script(
    path: str, arguments: Sequence[str], read_options: ReadOptions, given: Overrides,
    call: int = 1,
) -> Problem:  # fmt: skip
    """Run the script up to its ``call``-th call of ``tune_kernel``, and give what that would tune.

    :raises DiagnosticError: K001 or K730 for what is no script, K731 where it fails before, K895
        where it does not get there or asks for what cannot be estimated, K897 without the library.
    """
    library = need_kernel_tuner()
    _check(path)
    found = _called(library, path, arguments, call)
    try:
        return _problem(path, found, read_options, given)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, OSError) as error:
        raise unreadable(path, f"tune_kernel: {type(error).__name__}: {error}") from error


def _check(path: str) -> None:
    try:
        ast.parse(Path(path).read_bytes(), path)
    except OSError as error:
        message = f"cannot read '{path}': {error.strerror}"
        raise DiagnosticError([Diagnostic("K001", message)]) from error
    except (SyntaxError, ValueError) as error:
        span = Span(path, getattr(error, "lineno", None) or 0)
        raise DiagnosticError([Diagnostic("K730", "the script is not Python", span)]) from error


def _called(library: Any, path: str, arguments: Sequence[str], call: int) -> Mapping[str, Any]:
    signature = inspect.signature(library.tune_kernel)
    calls = list[None]()

    def tune_kernel(*args: Any, **settings: Any) -> Any:
        calls.append(None)
        bound = signature.bind(*args, **settings)
        bound.apply_defaults()
        if len(calls) == call:
            raise _Found(bound)
        return [], {}

    try:
        with _replaced(library, tune_kernel), _as_a_script(path, arguments):
            runpy.run_path(path, run_name="__main__")
    except _Found as found:
        return found.call.arguments
    except SystemExit:
        pass
    except Exception as error:
        at = [f.tb_lineno for f in _frames(error) if f.tb_frame.f_code.co_filename == path]
        message = f"{type(error).__name__}: {' '.join(str(error).split())}"
        span = Span(path, at[-1] if at else 0)
        raise DiagnosticError([Diagnostic("K731", message, span)]) from error
    if not calls:
        raise unreadable(path, "does not call tune_kernel")
    raise unreadable(path, f"calls tune_kernel {plural(len(calls), 'time')}, not {call} times")


def _frames(error: BaseException) -> Iterator[Any]:
    frame = error.__traceback__
    while frame is not None:
        yield frame
        frame = frame.tb_next


@contextlib.contextmanager
def _replaced(library: Any, function: Callable[..., Any]) -> Generator[None]:
    package = import_module("kernel_tuner")
    before = package.tune_kernel
    for each in (package, library):
        each.tune_kernel = function  # pyright: ignore[reportAttributeAccessIssue]
    try:
        yield
    finally:
        for each in (package, library):
            each.tune_kernel = before  # pyright: ignore[reportAttributeAccessIssue]


@contextlib.contextmanager
def _as_a_script(path: str, arguments: Sequence[str]) -> Generator[None]:
    before, own = list(sys.path), sys.argv
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        yield
    finally:
        sys.path[:], sys.argv = before, own


# what was asked for


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of ``tune_kernel``."""

    path: str
    asked: Mapping[str, Any]
    sources: Any
    """Kernel Tuner's own view of the kernel's source."""
    block_names: tuple[str, ...]
    options: BuildOptions
    given: Overrides

    def request(self, names: Sequence[str], configuration: Configuration) -> AnalysisRequest:
        """What Kernel Tuner would compile and launch."""
        util = _part("util")
        params = dict(configuration)
        divisors = [self.asked[f"grid_div_{d}"] for d in "xyz"]
        threads, grid = util.setup_block_and_grid(
            self.asked["problem_size"], divisors, params, list(self.block_names)
        )
        text = self.sources.get_kernel_string(0, params)
        name, whole = util.prepare_kernel_string(
            self.asked["kernel_name"], text, params, grid, threads, list(self.block_names),
            self.sources.lang, self.sources.defines,
        )  # fmt: skip
        head, line, body = whole.partition("#line 1\n")
        macros, more = _macros(head) if line else ([], "")
        source = self.given.source or self._source(
            f"{more}#line 1\n{body}" if more else body if line else whole
        )
        fixed = {macro.name for macro in self.options.macros}
        own = tuple(macro for macro in macros if macro.name not in fixed)
        options = replace(self.options, macros=(*own, *self.options.macros))
        if "<" in name:
            options = replace(options, instantiate=(name,))
        given = [_argument(each) for each in self.asked["arguments"]]
        arguments = self.given.merged(named_arguments(given, names))
        launch = self.given.launch or sizes([*grid, *threads])
        return request_of(source, self.given.kernel or name, options, launch, arguments, params)

    def _source(self, text: str) -> SourceText:
        first = self.sources.kernel_sources[0]
        suffix = SUFFIXES[self.sources.lang]
        if isinstance(first, str | Path) and "\n" not in str(first) and Path(first).is_file():
            name = str(first) if str(first).endswith(suffix) else f"{first}{suffix}"
            return SourceText(name, text, str(Path(first).parent))
        return SourceText(f"{self.asked['kernel_name']}{suffix}", text, str(Path(self.path).parent))


def _macros(head: str) -> tuple[list[MacroOption], str]:
    """What Kernel Tuner puts before the source: macros, and lines that are none."""
    macros, more = list[MacroOption](), ""
    for line in head.replace("\\\n", " ").splitlines():
        word, _, rest = line.partition(" ")
        if word == "#define":
            name, _, value = rest.partition(" ")
            macros.append(MacroOption(name, value))
        else:
            more += f"{line}\n"
    return macros, more


def _argument(each: Any) -> Given:
    if getattr(each, "shape", ()) == () and isinstance(plain := _plain(each), int | float):
        return Given(value=plain)
    kind = getattr(getattr(each, "dtype", None), "name", "")
    size = getattr(each, "size", None)
    return Given(element=ELEMENTS.get(kind, ""), count=size if isinstance(size, int) else None)


def _problem(
    path: str, asked: Mapping[str, Any], read_options: ReadOptions, given: Overrides
) -> Problem:
    core, util, searchspace = _part("core"), _part("util"), _part("searchspace")
    if asked["smem_args"] or asked["texmem_args"]:
        raise ValueError("shared memory and textures that the host declares are not estimated")
    kernel_source = _where_it_is(asked["kernel_source"], path)
    sources = core.KernelSource(
        asked["kernel_name"], kernel_source, asked["lang"], asked["defines"]
    )
    if sources.lang not in SUFFIXES:
        raise ValueError(f"kcc reads CUDA, HIP and OpenCL, and this kernel is in {sources.lang}")
    block_names = list(asked["block_size_names"] or ())
    util.append_default_block_size_names(block_names)
    parameters: dict[str, tuple[Value, ...]] = {
        name: tuple(_plain(v) for v in values) for name, values in asked["tune_params"].items()
    }
    with contextlib.redirect_stdout(io.StringIO()):
        found = searchspace.Searchspace(
            dict(asked["tune_params"]), asked["restrictions"], MAX_THREADS
        )
    configurations = tuple(tuple(_plain(v) for v in each) for each in found.list)
    if not configurations:
        raise ValueError("its restrictions leave no configuration")
    words = [str(word) for word in asked["compiler_options"] or ()]
    call = _Call(path, asked, sources, tuple(block_names), given.build(read_options(words)), given)
    space = Space(parameters, configurations)
    first = [call.request((), space.named(c)) for c in configurations[:3]]
    names = parameter_names(first)
    return Problem(
        asked["kernel_name"], first[0].source.name, space, lambda c: call.request(names, c),
        _plain_size(asked["problem_size"]),
        notes=() if names else (NO_NAMES,),
    )  # fmt: skip


def _plain_size(size: Any) -> ProblemSize:
    if callable(size):
        return None
    if isinstance(size, list | tuple):
        sides = cast("Sequence[Any]", size)
        return tuple(each if isinstance(each, str) else int(each) for each in sides)
    return (size,) if isinstance(size, str) else int(size)


def _plain(value: Any) -> Value:
    return value.item() if hasattr(value, "item") else value


def _where_it_is(source: Any, path: str) -> Any:
    """A file that is named as seen from the script's folder, as seen from here."""
    if isinstance(source, list):
        return [_where_it_is(each, path) for each in cast("list[Any]", source)]
    if isinstance(source, str | Path) and "\n" not in str(source):
        beside = Path(path).parent / source
        if not Path(source).is_file() and beside.is_file():
            return str(beside)
    return source
