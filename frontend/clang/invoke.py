"""Runs clang's compiler proper on a source in memory and reads back IR and messages."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from kcc.base.diagnostics import InternalError
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.frontend.clang.find import Clang
from kcc.frontend.options import BuildOptions, SourceText

HEADERS = Path(__file__).with_name("headers")

TIME_LIMIT_SECONDS = 300

_MESSAGE = re.compile(r"^(.+?):(\d+):(\d+): (fatal error|error|warning|note): (.*)$")
_PLACELESS = re.compile(r"^(fatal error|error|warning|note): (.*)$")

COMMON_OPTIONS = (
    "-O1",
    "-disable-llvm-passes",
    # At -O1 clang else forbids every loop to be unrolled, which no GPU compiler does.
    "-funroll-loops",
    "-disable-O0-optnone",
    "-emit-llvm",
    "-dwarf-version=4",
    "-ffp-contract=on",
    "-fno-caret-diagnostics",
    "-ferror-limit",
    "200",
    "-w",
    "-Wno-reserved-user-defined-literal",
    "-Wno-c++11-narrowing",
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of clang; line and column are 0 where it names no place."""

    file: str
    line: int
    column: int
    severity: str
    """error, fatal error, warning or note."""
    text: str

    @property
    def is_error(self) -> bool:
        return "error" in self.severity


@dataclass(frozen=True, slots=True)
class Compilation:
    """What a run of clang gave: the IR, or None where it refused the source."""

    ir: str | None
    messages: tuple[Message, ...]

    @property
    def errors(self) -> tuple[Message, ...]:
        return tuple(m for m in self.messages if m.is_error)


def quoted(name: str) -> str:
    """A file's name as it stands between the quotation marks of ``#line``."""
    return name.replace("\\", "\\\\").replace('"', '\\"')


def compile_text(
    clang: Clang,
    source: SourceText,
    arguments: Sequence[str],
    remapped: Mapping[str, str] | None = None,
) -> Compilation:
    """Compile ``source.text`` as if it were the file ``source.name`` in ``source.folder``.

    ``remapped`` gives other text for files on disk. Raises :class:`InternalError` when clang
    itself fails.
    """
    with scratch_folder("clang-") as folder:
        main = Path(folder, "source")
        name = quoted(source.name)
        main.write_text(
            f'#line 1 "{name}"\n{source.text}\n', encoding="utf-8", errors="surrogateescape"
        )
        output = Path(folder, "module.ll")
        command = [*clang.command, "-cc1", *COMMON_OPTIONS, *arguments]
        command += ["-iquote", source.folder or ".", "-main-file-name", Path(source.name).name]
        for number, (other, text) in enumerate((remapped or {}).items()):
            replacement = Path(folder, f"remapped-{number}")
            replacement.write_text(text, encoding="utf-8")
            command += ["-remap-file", f"{other};{replacement}"]
        command += ["-o", str(output), str(main)]
        run = _run(command)
        messages = tuple(_messages(run.stderr, str(main), source.name))
        if run.returncode == 0:
            text = output.read_text(encoding="utf-8", errors="replace")
            text = text.replace(f"{folder}/{Path(source.name).name}", name)
            return Compilation(text.replace(f"{folder}/", ""), messages)
        errors = [m for m in messages if m.is_error and "too many errors" not in m.text]
        if not any(m.line for m in errors):
            raise InternalError("clang", run.stderr.strip()[-4000:] or f"exit {run.returncode}")
        return Compilation(None, messages)


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, check=False, capture_output=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, timeout=TIME_LIMIT_SECONDS,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InternalError("clang", str(error)) from None


def _messages(text: str, main: str, shown: str) -> list[Message]:
    found = list[Message]()
    for line in text.splitlines():
        if match := _MESSAGE.match(line):
            file = shown if match[1] == main else match[1]
            found.append(Message(file, int(match[2]), int(match[3]), match[4], match[5]))
        elif match := _PLACELESS.match(line):
            found.append(Message(shown, 0, 0, match[1], match[2]))
    return found


def macro_arguments(options: BuildOptions) -> list[str]:
    """``-D``, ``-U``, ``-I`` and ``-include`` as clang takes them."""
    words = list[str]()
    for macro in options.macros:
        words.append(f"-U{macro.name}" if macro.value is None else f"-D{macro.name}={macro.value}")
    for folder in options.include_dirs:
        words += ["-I", folder]
    for file in options.forced_includes:
        words += ["-include", file]
    return words
