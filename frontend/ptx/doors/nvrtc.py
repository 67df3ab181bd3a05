"""CUDA through NVIDIA's own front end, NVRTC, which needs no GPU: its PTX comes in.

NVRTC knows headers of the toolkit only by the packages nvidia-cuda-runtime-cu12 and
nvidia-cuda-cccl-cu12.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from kcc.base.cache_folder import is_trusted, keep, kept, user_cache_dir
from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.scratch import scratch_folder
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.ptx.doors.nvrtc_source import Cut, Error
from kcc.frontend.ptx.doors.parameter_names import with_source_names

RUNNER = Path(__file__).with_name("nvrtc_runner.py")
TIME_LIMIT_SECONDS = 300
DEFAULT_CAPABILITY = 80
NAME = "nvrtc"
_MAX_ROUNDS = 25
_HEADERS = ("cuda_runtime", "cuda_cccl", "cuda_nvcc")
"""The packages that have headers; that of nvcc has those of ``nvcuda::wmma``."""

_FILE = re.compile(r'^(\s*\.file\s+\d+\s+")([^"\n]*)(")', re.MULTILINE)
_READS_MORE = re.compile(r"^[ \t]*#[ \t]*include[ \t]+[^<\"\s]|__has_include", re.MULTILINE)
"""What may depend on files that a request does not hold."""

_MESSAGE = re.compile(r"(.*?)\((\d+)\): (error|catastrophic error|warning)[^:]*: (.*)")


def compile_cuda(source: SourceText, options: BuildOptions) -> CompiledUnit:
    """The kernels of a CUDA source as NVRTC compiles it. Raises :class:`DiagnosticError`: K434
    where NVRTC is not there, K436 for what it refuses."""
    from kcc.frontend.ptx.reading import compile_ptx

    library = find_nvrtc()
    if library is None:
        hint = "install the package nvidia-cuda-nvrtc-cu12==12.9.86 (kcc[nvidia])"
        raise DiagnosticError([Diagnostic("K434", "NVRTC is not there", hint=hint)])
    text = ptx_text(source, options, library)
    unit = compile_ptx(SourceText(source.name, text, source.folder), options)
    kernels = tuple(replace(k, language=Language.CUDA) for k in unit.kernels)
    sources = {**unit.sources, source.name: source.text.split("\n")}
    return replace(unit, frontend=NAME, language=Language.CUDA, kernels=kernels, sources=sources)


@cache
def find_nvrtc() -> Path | None:
    """NVRTC's library among the packages of this environment."""
    for folder in _packages():
        found = sorted((folder / "cuda_nvrtc" / "lib").glob("libnvrtc.so.*"))
        if found:
            return found[-1]
    return None


def _packages() -> Iterator[Path]:
    spec = importlib.util.find_spec("nvidia")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        yield Path(folder)


def _options(source: SourceText, options: BuildOptions) -> list[str]:
    capability = options.door.capability
    words = [f"-arch=sm_{capability or DEFAULT_CAPABILITY}", "-lineinfo", "-default-device"]
    words += [
        f"-U{macro.name}" if macro.value is None else f"-D{macro.name}={macro.value}"
        for macro in options.macros
    ]
    folders = [source.folder, *options.include_dirs]
    folders += [str(f / n / "include") for f in _packages() for n in _HEADERS]
    words += [f"-I{folder}" for folder in folders]
    words += [f"-include={name}" for name in options.forced_includes]
    if options.fast_relaxed_math:
        words.append("-use_fast_math")
    return words


def ptx_text(source: SourceText, options: BuildOptions, library: Path) -> str:
    """The PTX, host code taken out as far as NVRTC does not accept it, with the names that source
    and headers give to parameters, and the files' own paths."""
    words = _options(source, options)
    folders = [word[2:] for word in words if word.startswith("-I")]
    cut = Cut(source.name, source.text, folders, options.instantiate)
    first = ""
    for _ in range(_MAX_ROUNDS):
        answer = _asked(cut, words, library)
        if "ptx" in answer:
            ptx = _with_paths(answer["ptx"], {cut.name: cut.name, **cut.paths})
            texts = [each.text for each in cut.files.values()]
            return with_source_names(ptx, "\n".join([source.text, *texts[1:]]))
        log = answer["log"]
        first = first or log
        if not cut.repair(_errors(log), log):
            raise DiagnosticError(_messages(log, cut))
    raise DiagnosticError(_messages(first, cut))


def _with_paths(ptx: str, paths: Mapping[str, str]) -> str:
    """The PTX with each file by its path as it was given: NVRTC puts the working directory before
    the names of what is in memory."""
    known = {str(Path.cwd() / name): path for name, path in paths.items()}
    return _FILE.sub(lambda m: f"{m[1]}{known.get(m[2], m[2])}{m[3]}", ptx)


def _asked(cut: Cut, words: list[str], library: Path) -> dict[str, str]:
    request = {
        "library": str(library), "source": cut.main, "name": cut.name,
        "options": words, "instantiate": cut.templates, "headers": cut.headers,
    }  # fmt: skip
    text = json.dumps(request)
    is_whole = not any(word.startswith("-include=") for word in words)
    folder = _kept_in(file.text for file in cut.files.values()) if is_whole else None
    name = "" if folder is None else _name(text, library)
    before = None if folder is None else kept(folder, name)
    if before is not None:
        return json.loads(before)
    answer = _answer(text, cut)
    if folder is not None:
        keep(folder, name, answer.encode())
    return json.loads(answer)


def _kept_in(texts: Iterable[str]) -> Path | None:
    """Where answers are kept; None where they are not, or rest on what a request does not hold."""
    root = user_cache_dir()
    folder = None if root is None else root / "nvrtc"
    if folder is None or not is_trusted(folder) or any(map(_READS_MORE.search, texts)):
        return None
    return folder


def _name(request: str, library: Path) -> str:
    """Of an answer: by what is asked, and of whom. The toolkit's headers are its packages'."""
    parts = [request, RUNNER.read_text(encoding="utf-8"), _stamp(library), str(Path.cwd())]
    parts += [_stamp(f / n / "include") for f in _packages() for n in _HEADERS]
    return sha256("\0".join(parts).encode()).hexdigest()


def _stamp(path: Path) -> str:
    try:
        found = path.stat()
    except OSError:
        return "none"
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _answer(request: str, cut: Cut) -> str:
    with scratch_folder() as folder:
        target = folder / "answer.json"
        try:
            done = subprocess.run(
                [sys.executable, str(RUNNER), str(target)], input=request,
                capture_output=True, text=True, check=False, timeout=TIME_LIMIT_SECONDS,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            message = f"NVRTC does not end within {TIME_LIMIT_SECONDS} s"
            raise DiagnosticError([Diagnostic("K436", message, Span(cut.name, 0))]) from None
        if not target.exists():
            message = f"NVRTC's process ends with {done.returncode}"
            raise DiagnosticError([Diagnostic("K436", message, Span(cut.name, 0))])
        return target.read_text(encoding="utf-8")


def _errors(log: str) -> list[Error]:
    """The errors of a log; two lines below each the place is marked, two columns moved."""
    lines, found = log.split("\n"), list[Error]()
    for number, line in enumerate(lines):
        match = _MESSAGE.match(line)
        if match is None or match[3] == "warning":
            continue
        marks = lines[number + 2 : number + 3]
        column = marks[0].find("^") - 1 if marks and marks[0].strip() == "^" else 1
        found.append(Error(match[1], int(match[2]), max(column, 1), match[4].strip()))
    return found


def _messages(log: str, cut: Cut) -> list[Diagnostic]:
    found = [
        Diagnostic("K436", each.text, Span(cut.paths.get(each.file, each.file), each.line))
        for each in _errors(log)
    ]
    first = log.strip().split("\n")[0][:300]
    return found or [Diagnostic("K436", first or "NVRTC fails", Span(cut.name, 0))]
