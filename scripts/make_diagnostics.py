"""docs/reference/diagnostics.md: every code with the messages of its places, remedies, an example.

Codes and their causes are those of kcc/base/diagnostic_codes.py. Messages and hints are read out of
the source: calls that have a code as an argument. Examples are the cases of the tests.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from pathlib import Path

from kcc.base.advice import ADVICE
from kcc.base.diagnostic_codes import CODES
from tests.frontend.sema.test_errors import BODIES, FILES
from tests.frontend.test_diagnostic_places import CASES

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
left out. In the messages below `...` stands for what is filled in; an example marks the place of
the message by `^`.

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


@dataclass(slots=True)
class Told:
    """What the source says with a code."""

    messages: list[str] = field(default_factory=list[str])
    hints: list[str] = field(default_factory=list[str])


def diagnostics() -> str:
    """The whole page."""
    told = messages_by_code()
    parts = [_HEAD]
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
    """Codes of advice; texts of findings, advice and verdicts by the file that makes them."""
    rows = "".join(f"| `{code}` | {meaning} |\n" for code, meaning in ADVICE.items())
    head = (
        "## Findings and advice\n\nEach has the source line, the number and its unit; advice has"
        " the gain in microseconds (`gain_us`), and whether the changed kernel was analysed"
        " (`verified`).\n\n"
        f"| code of advice | meaning |\n|---|---|\n{rows}\n"
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
    """Messages and hints of all places, by code, each once."""
    told = defaultdict[str, Told](Told)
    for package in PACKAGES:
        for path in _files(ROOT / package):
            for code, message, hint in _calls(ast.parse(path.read_text(encoding="utf-8"))):
                for text, into in ((message, told[code].messages), (hint, told[code].hints)):
                    if text and text.strip(". ") and text not in into:
                        into.append(text)
    return told


def _files(folder: Path) -> list[Path]:
    """Python files of a folder; kcc's links to the other packages are not followed."""
    inside = (path for path in folder.rglob("*.py"))
    return sorted(path for path in inside if path.resolve().is_relative_to(folder))


def _calls(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Code, message and hint of each call that has a code and a message."""
    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef):
            continue
        names = _texts_of(scope)
        for call in (node for node in ast.walk(scope) if isinstance(node, ast.Call)):
            texts = [_text(each, names) for each in call.args]
            hints = [_text(k.value, names) for k in call.keywords if k.arg == "hint"]
            for place, text in enumerate(texts[:-1]):
                if _CODE.fullmatch(text) and texts[place + 1]:
                    yield text, texts[place + 1], hints[0] if hints else ""


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
    lines += [f"- `{_plain(text)}`" for text in told.messages]
    lines += [f"- remedy: {_plain(text)}" for text in told.hints]
    example = _example(code)
    if example:
        lines.append(f"\n```c\n{example}\n```")
    return "\n".join(lines) + "\n"


def _example(code: str) -> str:
    """The first case of the tests, with a mark under the place of the message."""
    for cases, mark in ((FILES, "@"), (BODIES, "@"), (CASES, "^")):
        for own, text in cases:
            if own == code and mark in text:
                return "\n".join(_marked(text.rstrip("\n").split("\n"), mark))
    return ""


def _marked(lines: list[str], mark: str) -> Iterator[str]:
    for line in lines:
        plain = line.replace(mark, "")
        yield plain
        if mark in line:
            yield " " * line.index(mark) + "^"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("`", "'")
