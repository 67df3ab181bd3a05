"""Damaged files of every format end in a message, or are taken; those that did not, kept."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from kcc.base.diagnostics import DiagnosticError
from kcc.base.profile.document import from_json
from kcc.frontend import compile_source
from kcc.frontend.clang import llvm_ir
from kcc.frontend.options import BuildOptions, SourceText
from tests.robustness.commands import BAD, entered, run_command
from tests.robustness.damage.campaign import FORMATS, judge
from tests.robustness.damage.damaging import trace_resealed
from tests.robustness.damage.samples import make_samples
from tests.robustness.kills import COMMANDS, reference
from tests.robustness.kills import judge as kill

CHEAP = ("trace", "estimate document", "GPU description", "kernel.toml", "LLVM IR")
"""Formats of the quick sample."""
KEPT = (
    "profile for miniatures:2", "profile for miniatures:8", "profile for miniatures:861",
    "profile for miniatures:886", "profile for miniatures:891", "journal of a sweep:13",
    "journal of a validation:57", "Accel-Sim trace:937", "LLVM bitcode:780", "T4:91",
    "list of configurations:44",
)  # fmt: skip
"""What once ended as a bug of kcc."""


@pytest.fixture(scope="module")
def samples() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        with entered(Path(name)):
            make_samples(Path(name))
        yield Path(name)


@pytest.mark.slow
def test_damaged_files(samples: Path, full: bool):
    numbers = range(100 if full else 1)
    cases = [f"{name}:{n}" for name in FORMATS if full or name in CHEAP for n in numbers]
    found = [judge(case, samples) for case in (*cases, *KEPT)]
    assert not [entry for entry in found if entry.outcome.split(": ")[-1] in BAD]


@pytest.mark.slow
def test_damage_reaches_what_checksums_guard(samples: Path):
    """Resealed traces are refused for what they say, not for their checksums."""
    data = (samples / "x.kct").read_bytes()
    changed = trace_resealed(random.Random(1), data)
    assert changed != data
    (samples / "resealed.kct").write_bytes(changed)
    _, said = run_command("trace", "--show", samples / "resealed.kct")
    assert "checksum" not in said


def test_modules_that_end_llvm(monkeypatch: pytest.MonkeyPatch):
    """LLVM aborts on some damaged modules (``LLVM bitcode:36`` was one): that is a message too."""
    monkeypatch.setattr(llvm_ir, "_READER", "import os; os.abort()")
    with pytest.raises(DiagnosticError, match="it is damaged"):
        llvm_ir.text_of_bitcode(b"BC", "k.bc")


FLAGS = """define spir_kernel void @k(ptr addrspace(1) %a) {
  ret void
}
!llvm.module.flags = !{!0, !1}
!0 = !{i32 2, !"Debug Info Version", i32 3}
!1 = !{null}
"""


def test_metadata_that_no_assertion_of_llvm_allows():
    """``LLVM IR:606`` once, where another kernel had been compiled before."""
    compile_source(
        SourceText("k.cl", "kernel void f(global int *a) { *a = 1; }", "."), BuildOptions()
    )
    with pytest.raises(DiagnosticError, match="K241"):
        compile_source(SourceText("k.ll", FLAGS, "."), BuildOptions())


@pytest.mark.parametrize("value", [None, "x", {}, True, 1 << 70, -1])
@pytest.mark.parametrize("key", ["kernel", "warp_instructions", "warp_size"])
def test_profile_with_a_wrong_number(samples: Path, key: str, value: object):
    data = json.loads((samples / "profile.json").read_text())
    data["launches"][0][key] = value
    if (key, value) == ("warp_instructions", -1):
        return
    with pytest.raises(DiagnosticError, match="is not a profile"):
        from_json(json.dumps(data), "p.json")


@pytest.mark.parametrize("name", ["static trace"])
def test_killed_commands_can_be_run_again(samples: Path, name: str):
    known = reference(COMMANDS[name], samples)
    for number in range(2):
        outcome = kill(f"{name}:{number}", samples, known).outcome
        assert outcome.split(": ")[-1] in ("killed", "ended with 0 before")
