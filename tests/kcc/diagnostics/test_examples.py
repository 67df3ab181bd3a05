"""Each code has an example, and the example ends in it; the messages stand in a golden file."""

from __future__ import annotations

import ast
import json
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from kcc.base.diagnostic_codes import CODES
from tests.frontend.sema.test_errors import BODIES, FILES
from tests.frontend.test_diagnostic_places import CASES
from tests.kcc.command_line import Ended, Run
from tests.kcc.diagnostics.examples import EXAMPLES, KERNEL, SCRIPT, Circumstance, Example

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "tests" / "golden" / "diagnostics.json"
SHOWN = [code for code, example in EXAMPLES.items() if isinstance(example, Example)]


def test_every_code_has_an_example() -> None:
    ours = {code for code, _ in (*FILES, *BODIES, *CASES)} | set(EXAMPLES)
    assert ours == set(CODES)


@pytest.mark.parametrize("code", [code for code in EXAMPLES if code not in SHOWN])
def test_circumstances(code: str) -> None:
    """The test is there, and its file speaks of the code."""
    example = EXAMPLES[code]
    assert isinstance(example, Circumstance)
    file, _, name = example.test.partition("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert code in text or code in _imported(text)
    functions = {n.name for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)}
    assert not name or name in functions


def _imported(text: str) -> str:
    """The texts of modules of the tests that a test imports."""
    names = re.findall(r"^from (tests\.[\w.]+) import", text, re.MULTILINE)
    files = (ROOT / f"{name.replace('.', '/')}.py" for name in names)
    return "".join(file.read_text(encoding="utf-8") for file in files if file.is_file())


@pytest.mark.sampled(10)
@pytest.mark.parametrize("code", SHOWN)
def test_examples(
    code: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    pytestconfig: pytest.Config,
) -> None:  # fmt: skip
    example = EXAMPLES[code]
    assert isinstance(example, Example)
    for name, text in {"k.cl": KERNEL, "run.py": SCRIPT, **example.files}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ended = last_of(example.commands, run)
    message = message_of(ended.err, code)
    assert message, ended.err
    assert ended.code in ((1, 2) if CODES[code].severity == "error" else (0, 1))
    if pytestconfig.getoption("--update-golden"):
        write(code, message)
    assert json.loads(GOLDEN.read_text(encoding="utf-8")).get(code) == message


def last_of(commands: str, run: Callable[..., Ended]) -> Ended:
    """How the last command ended."""
    ended = Ended(0, "", "")
    for command in commands.split(" && "):
        if command.startswith("kcc "):
            ended = run(*shlex.split(command)[1:])
        else:
            subprocess.run(command, shell=True, check=True)
    return ended


def message_of(err: str, code: str) -> str:
    """The first message with a code, to the next one."""
    lines = err.splitlines()
    starts = [
        n for n, line in enumerate(lines) if re.search(r"(error|warning|note)\[K\d{3}\]", line)
    ]
    for place, first in enumerate(starts):
        if f"[{code}]" in lines[first]:
            end = starts[place + 1] if place + 1 < len(starts) else len(lines)
            return "\n".join(lines[first:end]).rstrip()
    return ""


def write(code: str, message: str) -> None:
    """Put a message in the golden file."""
    known: dict[str, str] = {}
    if GOLDEN.exists():
        known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    known[code] = message
    kept = {each: known[each] for each in sorted(known) if each in EXAMPLES}
    GOLDEN.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
