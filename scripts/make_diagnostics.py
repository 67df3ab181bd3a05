"""docs/reference/diagnostics.md: every code with its cause, its messages in a table, an example.

Codes and their causes are those of kcc/base/diagnostic_codes.py. Messages and hints are read out of
the source: calls that have a code as an argument. Examples are the cases of the tests.
"""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

from kcc.base.advice import ROWS
from kcc.base.diagnostic_codes import CODES
from tests.frontend.sema.test_errors import BODIES, FILES
from tests.frontend.test_diagnostic_places import CASES
from tests.kcc.diagnostics.examples import EXAMPLES, KERNEL, SCRIPT, Circumstance, Example

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("kcc", "frontend", "passes", "tracegen", "sim", "synth")

_HEAD = """\
# Diagnostics

<!-- Written by `python -m scripts.make_docs` from the table of codes, the source and the tests. -->

    kernel.cl:3:9: error[K301]: unknown name 'foo'
        3 |     a = foo;
          |         ^~~
      hint: did you mean 'for'?

Place (file, line, column), severity, code and message, then the line with a mark, then the remedy
where there is one. Errors end a command with exit code 1 (2 for bad usage); after 50 the rest is
left out. In the messages below `...` stands for what is filled in. Place says what a message points
to: a place in a source (file, line, column) or in the text of an option, or a file or command as a
whole. Every code has an example, which a test executes; a source without command marks the place of
the message by `^`. Where no other file is shown, `k.cl` and `run.py` are:

```c
KERNEL```

```python
SCRIPT```

"""

RANGES = {
    "K0": "Command line, files, launches",
    "K1": "Preprocessor",
    "K2": "Syntax",
    "K3": "Names, types, address spaces",
    "K4": "Features",
    "K5": "Intermediate representation",
    "K6": "Analysis",
    "K7": "Execution, traces, profiles",
    "K8": "GPU descriptions, models, estimates",
    "K9": "Sampling, miniatures, recordings",
}

_CODE = re.compile(r"K\d{3}")


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a code: whether it points to a place in a text, and its remedy, if any."""

    text: str
    is_placed: bool
    remedy: str


@dataclass(slots=True)
class Told:
    """What the source says with a code."""

    messages: list[Message] = field(default_factory=list[Message])


UNITS = (
    "%", "MiB", "MB", "GB/s", "MHz", "us", "s", "bits", "bytes", "blocks", "basic blocks", "cells",
    "characters", "cycles", "dimensions", "elements", "instructions", "iterations", "lanes",
    "launches", "levels", "lines", "names", "operations", "registers", "sectors", "sub-groups",
    "thread blocks", "times", "tokens", "units", "warps", "work-items",
)  # fmt: skip
"""Units of numbers in messages, as they stand after the number."""

_UNIT = re.compile(
    rf"\.\.\. ({'|'.join(sorted(map(re.escape, UNITS), key=len, reverse=True))})(?!\w)"
)


def diagnostics() -> str:
    """The whole page."""
    told = messages_by_code()
    parts = [_HEAD.replace("KERNEL", KERNEL).replace("SCRIPT", SCRIPT)]
    for start, codes in groupby(sorted(CODES), key=lambda code: code[:2]):
        parts.append(f"## {start}xx {RANGES[start]}\n")
        parts += [_entry(code, told[code]) for code in codes]
    return "\n".join(parts) + "\n" + _findings()


ADVISING = (
    "kcc/report/analysis/costs.py",
    "kcc/report/analysis/findings.py",
    "kcc/report/analysis/fixes.py",
    "kcc/stages/advice.py",
    "kcc/report/estimate/verdict.py",
    "kcc/report/simulation/verdict.py",
)
"""What makes findings, advice and verdicts."""

LEAST_WORDS = 3


def _findings() -> str:
    """What each code of advice says; texts of findings, advice and verdicts by their file."""
    rows = "".join(
        f"| `{code}` | {row.meaning} | {row.place} | {row.number} | {row.unit} | {row.remedy} |\n"
        for code, row in ROWS.items()
    )
    head = (
        "## Findings and advice\n\nFindings of `analyze`, advice and verdicts of estimates and"
        " simulations have these codes. Advice has the gain in microseconds (`gain_us`) too, and"
        " whether the changed kernel was analysed (`verified`).\n\n"
        f"| code | meaning | place | number | unit | remedy |\n|---|---|---|---|---|---|\n{rows}\n"
        "Their texts:\n\n"
    )
    return head + "".join(_texts_in(path) for path in ADVISING)


def _texts_in(path: str) -> str:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    skipped = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(each) for each in ast.walk(node) if each is not node}
    texts = dict[str, None]()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Constant) and id(node) not in skipped:
            text = _plain(_text(node, {}))
            words = [word for word in text.split() if word.strip(".,:;()%")]
            if len(words) >= LEAST_WORDS:
                texts[text] = None
    rows = "".join(f"- `{text}`\n" for text in texts)
    return f"`{path}`:\n\n{rows}\n" if rows else ""


@cache
def messages_by_code() -> dict[str, Told]:
    """The messages of all places, by code, each once."""
    told = defaultdict[str, Told](Told)
    for package in PACKAGES:
        for path in _files(ROOT / package):
            for code, message in _calls(ast.parse(path.read_text(encoding="utf-8"))):
                own = told[code].messages
                same = next((n for n, each in enumerate(own) if each.text == message.text), None)
                if same is None:
                    own.append(message)
                elif not own[same].remedy:
                    own[same] = message
    return told


def _files(folder: Path) -> list[Path]:
    """Python files of a folder; kcc's links to the other packages are not followed."""
    inside = (path for path in folder.rglob("*.py"))
    return sorted(path for path in inside if path.resolve().is_relative_to(folder))


def _calls(tree: ast.Module) -> Iterator[tuple[str, Message]]:
    """Code and message of each call that has both; an argument after them is the place."""
    for pair in (node for node in ast.walk(tree) if isinstance(node, ast.Tuple)):
        code, text = [*(_text(each, {}) for each in pair.elts[:2]), "", ""][:2]
        if _CODE.fullmatch(code) and text.strip(". "):
            yield code, Message(text, is_placed=True, remedy="")
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef):
            continue
        names = _texts_of(scope)
        for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
            texts = [_text(each, names) for each in call.args]
            hints = [_text(k.value, names) for k in call.keywords if k.arg == "hint"]
            for n, text in enumerate(texts[:-1]):
                said = next((each for each in texts[n + 1 : n + 3] if each.strip(". ")), "")
                if _CODE.fullmatch(text) and said:
                    is_placed = len(texts) > n + 2 or any(k.arg == "span" for k in call.keywords)
                    yield text, Message(said, is_placed, hints[0] if hints else "")


def _texts_of(scope: ast.FunctionDef) -> dict[str, str]:
    """Texts that a function gives names to."""
    found = dict[str, str]()
    for node in ast.walk(scope):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _text(node.value, {})
            if text:
                found[node.targets[0].id] = text
    return found


def _text(node: ast.expr, names: dict[str, str]) -> str:
    """A text with ``...`` for what is filled in; empty for anything else."""
    match node:
        case ast.Constant(value=str(value)):
            return value
        case ast.JoinedStr(values=values):
            parts = [v.value if isinstance(v, ast.Constant) else "..." for v in values]
            return "".join(str(part) for part in parts)
        case ast.IfExp(body=body):
            return _text(body, names)
        case ast.Name(id=name):
            return names.get(name, "")
        case _:
            return ""


def _entry(code: str, told: Told) -> str:
    row = CODES[code]
    lines = [f"### {code}\n", f"{row.severity}: {row.title}.\n"]
    messages = told.messages or _seen(code)
    if messages:
        lines += ["| message | place | number in | remedy |", "|---|---|---|---|"]
        lines += [_row(message) for message in messages]
    lines.append(f"\n{_example(code)}")
    return "\n".join(lines) + "\n"


def _seen(code: str) -> list[Message]:
    """The message of the example, where the source puts it together."""
    first, _, rest = _golden().get(code, "").partition("\n")
    place, _, text = first.partition(f"[{code}]: ")
    hint = re.search(r"hint: (.*)", rest)
    return [Message(text, ":" in place, hint[1] if hint else "")] if text else []


def _row(message: Message) -> str:
    place = "file:line:column" if message.is_placed else "as a whole"
    text = _plain(message.text)
    units = ", ".join(dict.fromkeys(_UNIT.findall(text)))
    remedy = _plain(message.remedy)
    cells = (f"`{text}`", place, units, remedy)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _example(code: str) -> str:
    """A case of the tests: a source with a mark under the place of the message; or files, commands
    and the message; or what has to be the case, and the test that makes it so."""
    for cases, mark in ((FILES, "@"), (BODIES, "@"), (CASES, "^")):
        for own, text in cases:
            if own == code and mark in text:
                return _block("c", "\n".join(_marked(text.rstrip("\n").split("\n"), mark)))
    match EXAMPLES[code]:
        case Circumstance(when, test):
            return f"Example: {when} (`{test}`)."
        case Example(commands, files):
            shown = "".join(
                f"`{name}`:\n\n{_block(_LANGUAGES.get(Path(name).suffix, ''), text)}\n\n"
                for name, text in files.items()
            )
            said = _golden()[code]
            return f"{shown}{_block('text', f'$ {commands}{chr(10)}{said}')}"


_LANGUAGES = {".cl": "c", ".cu": "c", ".h": "c", ".py": "python", ".toml": "toml", ".yaml": "yaml"}


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text.rstrip(chr(10))}\n```"


@cache
def _golden() -> dict[str, str]:
    """What the examples print, by code: tests/kcc/diagnostics compares and writes it."""
    text = (ROOT / "tests" / "golden" / "diagnostics.json").read_text(encoding="utf-8")
    return json.loads(text)


def _marked(lines: list[str], mark: str) -> Iterator[str]:
    for line in lines:
        plain = line.replace(mark, "")
        yield plain
        if mark in line:
            yield " " * line.index(mark) + "^"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("`", "'")
