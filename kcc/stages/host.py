"""Runs a PyOpenCL-style script in this process, with kcc.opencl underneath.

A script that defines ``main(size, seed)`` is a workload: its code runs under another name than
``__main__``, so that a call of ``main`` after ``if __name__ == "__main__"`` (for plain Python) is
left out, and then ``main`` is called once. Any other script runs as ``__main__``, as Python would
run it.
"""

from __future__ import annotations

import ast
import sys
import traceback
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from pathlib import Path
from types import CodeType, ModuleType

from kcc.base.diagnostics import Diagnostic, DiagnosticError, InternalError, Span
from kcc.base.records import dataclass
from kcc.capture.log import is_capture, read_capture
from kcc.capture.replay import replay
from kcc.opencl.errors import BuildError, KernelFault
from kcc.opencl.missing import ADVICE, NotInKcc
from kcc.opencl.session import (
    HostLaunch,
    HostSettings,
    LaunchRow,
    Observer,
    Session,
    use_session,
    user_cache_dir,
)
from kcc.stages.gl_sharing import refuse_gl_sharing
from kcc.stages.redirection import Redirection, wheel_folder

__all__ = [
    "HostLaunch",
    "HostSettings",
    "LaunchRow",
    "Observer",
    "Progress",
    "ScriptRun",
    "run_script",
    "user_cache_dir",
]

DEFAULT_SETTINGS = HostSettings()

WORKLOAD_NAME = "__workload__"
"""``__name__`` of a script whose ``main`` is called."""

WORKLOAD_PARAMETERS = ["size", "seed"]
"""What ``main`` of a workload takes."""


@dataclass(frozen=True, slots=True)
class ScriptRun:
    """What a script did: its launches in order, and the lines of the sources it compiled."""

    launches: tuple[LaunchRow, ...]
    sources: Mapping[str, Sequence[str]]
    warnings: tuple[Diagnostic, ...] = ()


@dataclass(slots=True)
class Progress:
    """What a run has done so far, for those who look while it lasts, or after it failed."""

    launches: list[LaunchRow] = field(default_factory=list[LaunchRow])
    sources: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])


def run_script(
    path: str,
    *,
    size: str = "small",
    seed: int = 0,
    arguments: Sequence[str] = (),
    observer: Observer | None = None,
    settings: HostSettings = DEFAULT_SETTINGS,
    progress: Progress | None = None,
) -> ScriptRun:
    """Run the script ``path``, in this process, or replay the capture that it is.

    ``sys.argv`` is the path and ``arguments``, ``sys.path`` begins with the script's folder, and
    modules that come from there are forgotten afterwards. ``progress`` is filled while the script
    runs.

    Raises :class:`DiagnosticError`: K001 or K730 for a script that cannot be read, K71x for what a
    kernel does wrong, those of the compiler for a program that does not build, and K731 to K733
    for any other exception, with its place in the script. SystemExit and KeyboardInterrupt pass
    through.
    """
    capture = read_capture(path) if is_capture(path) else None
    tree = ast.Module([], []) if capture else _parse(path)
    if settings.redirect:
        refuse_gl_sharing(tree, path)
    seen = progress or Progress()
    session = Session(
        settings,
        observer,
        Path(path).resolve().parent,
        launches=seen.launches,
        sources=seen.sources,
        warnings=seen.warnings,
        wheel=wheel_folder() if settings.redirect else None,
    )
    before = use_session(session)
    try:
        if capture:
            replay(capture)
        else:
            _run(tree, path, size, seed, [path, *arguments], redirect=settings.redirect)
    except (KernelFault, BuildError) as error:
        raise error.error from error
    except (DiagnosticError, InternalError, BrokenPipeError):
        raise
    except Exception as error:
        if _is_ours(error):
            detail = f"{type(error).__name__}: {error} (in '{_innermost(error)}')"
            raise InternalError("execution", detail) from error
        raise DiagnosticError([_explain(error, path)]) from error
    finally:
        use_session(before)
    return ScriptRun(tuple(session.launches), session.sources, tuple(session.warnings))


def is_workload(tree: ast.Module) -> bool:
    """Whether a script defines ``main(size, seed)``."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name == "main":
            return [a.arg for a in node.args.args[:2]] == WORKLOAD_PARAMETERS
    return False


def _explain(error: Exception, path: str) -> Diagnostic:
    """What went wrong in a script, and where in its own files."""
    text = " ".join(str(error).split())
    span = _place(error, path)
    if isinstance(error, NotInKcc) or isinstance(error.__cause__, NotInKcc):
        return Diagnostic("K733", text, span)
    if isinstance(error, ImportError) and (error.name or "").startswith(("pyopencl", "kcc.opencl")):
        return Diagnostic("K733", f"{text}; {ADVICE}", span)
    if isinstance(error, AssertionError):
        return Diagnostic("K732", f"the check failed: {text}" if text else "a check failed", span)
    name = type(error).__name__
    return Diagnostic("K731", f"{name}: {text}" if text else name, span)


ENGINE = tuple(
    f"kcc.{name}"
    for name in ("frontend", "passes", "tracegen", "sim", "synth", "base.profile", "base.trace")
)
"""Packages that a script does not call by itself: what they raise is not the script's."""


def _is_ours(error: Exception) -> bool:
    """Whether an exception is kcc's own mistake: it comes out of the engine, or out of an assertion
    in the host."""
    if isinstance(error, (MemoryError, OSError, RecursionError)):
        return False
    modules = [
        str(frame.f_globals.get("__name__")) for frame, _ in traceback.walk_tb(error.__traceback__)
    ]
    if isinstance(error, AssertionError) and modules[-1].startswith("kcc.opencl."):
        return True
    return any(m.startswith(each + ".") for m in modules for each in ENGINE)


def _innermost(error: Exception) -> str:
    """The function that raised."""
    return traceback.extract_tb(error.__traceback__)[-1].name


def _place(error: Exception, path: str) -> Span:
    """The innermost line of the script, or of a module beside it, that led to an error."""
    folder = Path(path).resolve().parent
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == path or Path(frame.filename).parent == folder:
            file = path if frame.filename == path else frame.filename
            column, end = (frame.colno or 0) + 1, (frame.end_colno or 0) + 1
            same_line = frame.end_lineno == frame.lineno
            length = max(end - column, 1) if same_line else 1
            return Span(file, frame.lineno or 0, column, length)
    return Span(path, 0)


def _parse(path: str) -> ast.Module:
    try:
        return ast.parse(Path(path).read_bytes(), path)
    except OSError as error:
        message = f"cannot read '{path}': {error.strerror}"
        raise DiagnosticError([Diagnostic("K001", message)]) from error
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 0
        column = getattr(error, "offset", None) or 0
        message = f"the script is not Python: {getattr(error, 'msg', error)}"
        span = Span(path, line, column)
        raise DiagnosticError([Diagnostic("K730", message, span)]) from error


def _run(
    tree: ast.Module, path: str, size: str, seed: int, argv: list[str], *, redirect: bool
) -> None:
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    called = is_workload(tree)
    module = ModuleType(WORKLOAD_NAME if called else "__main__")
    module.__file__ = path
    with _surroundings(module, argv, redirect=redirect):
        exec(code, module.__dict__)
        if called:
            main: Callable[[str, int], object] = module.__dict__["main"]
            main(size, seed)


@contextmanager
def _surroundings(
    module: ModuleType, argv: list[str], *, redirect: bool
) -> Generator[None, None, None]:
    """``sys`` as the script expects it; afterwards as it was."""
    folder = str(Path(argv[0]).resolve().parent)
    modules, path, old_argv = dict(sys.modules), list(sys.path), sys.argv
    finder = Redirection()
    sys.argv = argv
    sys.path.insert(0, folder)
    sys.modules[module.__name__] = module
    if redirect:
        for name in [n for n in sys.modules if n.partition(".")[0] == "pyopencl"]:
            del sys.modules[name]
        sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.argv, sys.path[:] = old_argv, path
        if redirect:
            sys.meta_path.remove(finder)
        _restore_modules(modules, folder, redirect=redirect)


def _restore_modules(before: dict[str, ModuleType], folder: str, *, redirect: bool) -> None:
    """Forget what came from the script's folder and what stood for PyOpenCL; libraries stay, since
    loading them twice is slow and some cannot be."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        own = name not in before and file.startswith(folder + "/")
        if own or (redirect and name.partition(".")[0] == "pyopencl"):
            del sys.modules[name]
    sys.modules.pop(WORKLOAD_NAME, None)
    if "__main__" in before:
        sys.modules["__main__"] = before["__main__"]
    if redirect:
        for name, module in before.items():
            if name.partition(".")[0] == "pyopencl":
                sys.modules[name] = module
