"""``kernel.py:name``: a kernel of a Python file, compiled by Triton or Numba.

Specialised as Triton's JIT does: pointers and integers that are multiples of 16 say so, integers
that are 1 are constants; without values of its arguments nothing is known of its integers.
"""

from __future__ import annotations

import atexit
import json
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from subprocess import PIPE
from typing import IO, Any

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.frontend import PYTHON_KERNEL
from kcc.frontend.kernel import CompiledUnit
from kcc.frontend.options import BuildOptions, DoorOptions, SourceText

RUNNER = Path(__file__).with_name("python_runner.py")
TIME_LIMIT_SECONDS = 300
DEFAULT_CAPABILITY = 80


def compile_python(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """The kernel of a Python file. Raises :class:`DiagnosticError`: K434 where its compiler is not
    there, K435 for what it refuses."""
    from kcc.frontend.ptx.reading import compile_ptx

    made = _made(source.name, options)
    text = _with_names(made)
    name = f"{source.name}.ptx"
    try:
        unit = compile_ptx(SourceText(name, text, source.folder), options)
    except DiagnosticError as error:
        raise DiagnosticError(
            [_of_source(d, source.name, made.compiler) for d in error.diagnostics]
        ) from None
    told = ", ".join(made.specialised) or "nothing of the arguments"
    note = Diagnostic("K437", f"compiled by {made.compiler}, which was told: {told}")
    sources = {**unit.sources, source.name: source.text.split("\n")}
    return replace(
        unit, name=source.name, frontend=made.compiler, sources=sources,
        warnings=(*unit.warnings, note),
    )  # fmt: skip


def _of_source(found: Diagnostic, name: str, compiler: str) -> Diagnostic:
    return replace(found, message=f"in {compiler}'s PTX: {found.message}", span=Span(name, 0))


@dataclass(frozen=True, slots=True)
class _Made:
    ptx: str
    names: tuple[str, ...]
    shared: int
    compiler: str
    specialised: tuple[str, ...]
    constant: tuple[tuple[str, int], ...]
    """Arguments that are no parameters of the PTX any more, and their places."""
    symbol: str


def _made(name: str, options: BuildOptions) -> _Made:
    python = options.door
    macros = tuple((m.name, m.value) for m in options.macros if m.value is not None)
    match = PYTHON_KERNEL.fullmatch(name)
    assert match is not None
    stamp = Path(match["file"]).stat()
    return _compiled(
        (match["file"], match["kernel"]), macros, python, (stamp.st_mtime_ns, stamp.st_size)
    )


@lru_cache(maxsize=512)
def _compiled(
    place: tuple[str, str],
    macros: tuple[tuple[str, str], ...],
    python: DoorOptions,
    stamp: tuple[int, int],
) -> _Made:
    """What a compiler makes; ``stamp`` tells versions of the file apart."""
    del stamp
    file, kernel = place
    request = {
        "file": str(Path(file).resolve()), "name": kernel, "macros": macros,
        "signature": python.signature, "capability": python.capability or DEFAULT_CAPABILITY,
        "values": dict(python.values),
    }  # fmt: skip
    answer = _asked(request, f"{file}:{kernel}")
    where = Span(file, int(answer.get("line") or 0))
    if "error" in answer:
        message = str(answer["error"])
        if "No module named" in message and re.search(r"'(triton|numba|numba\.cuda)'", message):
            hint = "install triton==3.9.* (kcc[triton]) or numba-cuda[cu12] (kcc[numba])"
            raise DiagnosticError([Diagnostic("K434", message, where, hint=hint)])
        names = answer.get("kernels")
        hint = f"kernels of the file: {', '.join(names)}" if names else None
        raise DiagnosticError([Diagnostic("K435", " ".join(message.split()), where, hint=hint)])
    return _Made(
        str(answer["ptx"]), tuple(answer["names"]), int(answer["shared"]),
        str(answer["compiler"]), tuple(answer["specialised"]), tuple(answer["constant"].items()),
        str(answer["symbol"]),
    )  # fmt: skip


def _asked(request: Mapping[str, object], name: str) -> dict[str, Any]:
    """What a process answers that is kept for all requests; after one that fails, another."""
    global _process, _said  # noqa: PLW0603 -- one for this interpreter
    if _process is None or _process.poll() is not None:
        if _said is None:
            _said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 -- kept
        _said.seek(0)
        _said.truncate()
        _process = subprocess.Popen(
            [sys.executable, str(RUNNER)], text=True, stdin=PIPE, stdout=PIPE, stderr=_said
        )
        atexit.register(_end, _process)
    assert _process.stdin is not None
    assert _process.stdout is not None
    limit = threading.Timer(TIME_LIMIT_SECONDS, _process.kill)
    limit.start()
    try:
        _process.stdin.write(json.dumps(request) + "\n")
        _process.stdin.flush()
        answer = _process.stdout.readline()
    except OSError:
        answer = ""
    in_time = limit.is_alive()
    limit.cancel()
    if answer:
        return json.loads(answer)
    code = _process.wait()
    _process = None
    if not in_time:
        return {"error": f"'{name}' is not compiled within {TIME_LIMIT_SECONDS} s"}
    assert _said is not None
    _said.seek(0)
    words = _said.read().strip().rpartition("\n")[2][:300]
    return {"error": f"the compiler's process ends with {code}: {words}"}


def _end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()


_process: subprocess.Popen[str] | None = None
_said: IO[str] | None = None
"""Its standard error, and that of those after it."""


def _with_names(made: _Made) -> str:
    """The PTX with the names that arguments have in Python, and with its shared memory's size.
    What Triton adds after the arguments is its scratch memory. Arguments that are constant
    stand where they were."""
    text = made.ptx
    names = list(dict.fromkeys(re.findall(r"\b[\w$]+_param_\d+\b", text)))
    extra = ("global_scratch", "profile_scratch")
    known = (*made.names, *extra)
    for number, own in enumerate(names):
        name = known[number] if number < len(known) else f"more{number}"
        text = re.sub(rf"\b{re.escape(own)}(?!\d)", name.replace(".", "_"), text)
    match = re.search(rf"\.entry {re.escape(made.symbol)}\((.*?)\s*\)", text, re.DOTALL)
    if match is not None and made.constant:
        declared = match[1].split(",\n")
        for name, place in made.constant:
            declared.insert(
                place, f"\n\t.param .u32 {name}" if place == 0 else f"\t.param .u32 {name}"
            )
        text = text[: match.start(1)] + ",\n".join(declared) + text[match.end(1) :]
    return re.sub(
        r"\.extern (\.shared [^\n]*?)\[\];",
        rf"\1[{max(made.shared, 1)}];",
        text,
    )
