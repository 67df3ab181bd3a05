"""How the work of an analysis grows with a kernel: twice the rounds, about twice the visits.

Visits are calls of functions of kcc, counted one by one: no clock decides. A walk that writes a
value out as a tree doubles its visits every few rounds, as values here use the one before them
several times.
"""

from __future__ import annotations

import cProfile
import json
from pathlib import Path
from types import CodeType

import pytest

from kcc import cli
from kcc.passes.symbolic import build

ROUNDS = (12, 24)

LINES = {
    "hash": "{ a=a+((b&c)|(~b&d))+x+@u; uint t=d; d=c; c=b; b=b+((a<<7)|(a>>25)); a=t; }",
    "shared": "b=(b|(b>>3))^((~b)&(b*5u));",
    "extremes": "b=max(min(b,x+@u),min(b*3u,y));",
    "squares": "b=b*b+x*@u+y*y+c*x+b*y+@u;",
    "narrowed": "b=(uint)((ulong)b*(ulong)b)+(uint)(ushort)(b*b+@u);",
    "selected": "b=((b&1u)?b:0u)*2u+((b&2u)?0u:b)*3u;",
    "conditions": "b=(b<x&&(b>@u||c<b))||(b!=y&&c!=b) ? b*3u : b+c;",
    "branches": "if(b>x+@u) { b+=t[b]; o[@]=b; }",
    "loads": "b=t[b+t[b]];",
    "calls": "f=atan2(f,f);",
}
"""One round each; @ is its number."""

LAUNCH = ("--global", "1024", "--local", "64", "--arg", "x=5", "--arg", "y=9")

COMMANDS = {
    "analyze": ("analyze",),
    "launch": ("analyze", *LAUNCH),
    "estimate": ("estimate", "--gpu", "v100", *LAUNCH),
}

MOST, MOST_QUADRATIC = 3.2, 6
"""Times as many calls for twice the rounds. Doubling every four rounds, as it was, is 8."""

QUADRATIC = frozenset({"conditions"})
"""Each of their blocks is reached under all conditions before it."""


def kernel(line: str, rounds: int) -> str:
    """A kernel of so many rounds."""
    body = "".join(line.replace("@", str(number)) + "\n" for number in range(rounds))
    return (
        "__kernel void k(__global uint *o, uint x, uint y, __global const uint *t) {\n"
        "uint a=x, b=x+get_global_id(0), c=y, d=x^y; float f=x;\n"
        f"{body}if(a+b+c+d==7u||f>3) o[get_global_id(0)]=b; }}\n"
    )


def test_a_kernel_past_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What is past it is unknown, with a reason; the rest of the report stands."""
    source, found = tmp_path / "k.cl", tmp_path / "k.json"
    source.write_text(kernel(LINES["branches"], 8), encoding="utf-8")
    for name in ("MAX_TERMS", "MAX_VISITED"):
        monkeypatch.setattr(build, name, 60)
        assert cli.main(["analyze", str(source), "--json", str(found)]) == 0
        (analysed,) = json.loads(found.read_text(encoding="utf-8"))["kernels"]
        assert len(analysed["branches"]) == 10
        assert "the kernel is too large" in found.read_text(encoding="utf-8")
        monkeypatch.undo()


def looked_at(folder: Path, line: str, rounds: int, command: tuple[str, ...]) -> None:
    """Run a command."""
    source = folder / f"k{rounds}.cl"
    source.write_text(kernel(line, rounds), encoding="utf-8")
    assert cli.main([command[0], str(source), *command[1:]]) == 0


def visits(folder: Path, line: str, rounds: int, command: tuple[str, ...]) -> int:
    """Calls of functions of kcc while a command looks at a kernel."""
    profile = cProfile.Profile()
    profile.runcall(looked_at, folder, line, rounds, command)
    return sum(
        entry.callcount
        for entry in profile.getstats()
        if isinstance(entry.code, CodeType) and "/kcc/" in entry.code.co_filename
    )


@pytest.mark.parametrize(
    ("name", "command"),
    [*((name, "launch") for name in LINES), ("hash", "analyze"), ("hash", "estimate")],
)
def test_visits_grow_with_the_kernel(tmp_path: Path, name: str, command: str):
    if command == "estimate":  # numba, which compiles the model, is not what is counted
        looked_at(tmp_path, "", 0, COMMANDS[command])
    small, large = (visits(tmp_path, LINES[name], n, COMMANDS[command]) for n in ROUNDS)
    most = MOST_QUADRATIC if name in QUADRATIC else MOST
    assert large < most * small, f"{small} calls for {ROUNDS[0]} rounds, {large} for {ROUNDS[1]}"
