"""What clang makes of calls of built-in functions: verdicts, symbols, types of results.

Needs the ziglang wheel. `python -m tests.frontend.builtins.clang_oracle` prints the file
clang_facts.txt, which the tests read, from the calls of a fixed seed.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from kcc.frontend.builtins.notation import TYPE_NAMES
from kcc.frontend.builtins.overloads import names, overloads_of, rows_of
from kcc.frontend.builtins.resolve import Ambiguous, NoMatch, resolve
from kcc.frontend.builtins.rows import ALL_KINDS, Section
from kcc.frontend.builtins.signatures import ResolvedBuiltin
from kcc.frontend.types import (
    BOOL,
    VECTOR_LANES,
    VOID,
    AddressSpace,
    ImageType,
    PointerType,
    QualType,
    ScalarKind,
    ScalarType,
    Type,
    VectorType,
)

FACTS = Path(__file__).with_name("clang_facts.txt")

Call = tuple[str, tuple[Type, ...]]

_ACCESS = {"ro": "read_only", "wo": "write_only", "rw": "read_write"}

_SPACES = (
    AddressSpace.GLOBAL, AddressSpace.LOCAL, AddressSpace.CONSTANT, AddressSpace.PRIVATE,
)  # fmt: skip

_NOT_IN_CLANG = {Section.DOT_PRODUCT, Section.SUBGROUP, Section.REINTERPRETATION, Section.PRINTF}
"""Sections that clang declares for later versions only, as macros, or in a header."""


def spelled(type_: Type) -> str:
    """A parameter's type in OpenCL C."""
    match type_:
        case PointerType(pointee):
            space = f"__{pointee.space.name.lower()}"
            return (
                f"{space} {'const ' * pointee.const}{'volatile ' * pointee.volatile}{pointee.type}*"
            )
        case ImageType(_, access):
            return f"{_ACCESS[access.value]} {type_}"
        case _:
            return str(type_)


def parse_type(text: str) -> Type:
    """The inverse of :func:`spelled`."""
    words = text.replace("*", " *").split()
    if words[-1] == "*":
        space = AddressSpace[words[0][2:].upper()]
        pointee = QualType(
            TYPE_NAMES[words[-2]], space, const="const" in words, volatile="volatile" in words
        )
        return PointerType(pointee)
    if len(words) == 2:
        access = next(k for k, v in _ACCESS.items() if v == words[0])
        return TYPE_NAMES[f"{access}:{words[1]}"]
    return TYPE_NAMES[text]


def verdicts(calls: Sequence[Call], extra: str = "") -> list[str]:
    """For each call the symbol clang calls, or "ambiguous", "no match" or an error's text."""
    lines = [_function(n, call) for n, call in enumerate(calls)]
    source = "\n".join(lines) + "\n"
    errors = _errors(source + extra)
    kept = "\n".join("" if n + 1 in errors else line for n, line in enumerate(lines))
    called = _called_symbols(kept)
    return [errors.get(n + 1) or called[n] for n in range(len(calls))]


def result_mismatches(calls: Sequence[tuple[Call, Type]]) -> list[Call]:
    """The calls whose result in clang has another type than the one given."""
    lines = [
        f"{_head(n, call[1])} {{ _Static_assert(__builtin_types_compatible_p("
        f'__typeof__({_expression(call)}), {type_}), ""); }}'
        for n, (call, type_) in enumerate(calls)
    ]
    errors = _errors("\n".join(lines) + "\n")
    return [call for n, (call, _) in enumerate(calls) if n + 1 in errors]


def _head(number: int, types: Sequence[Type]) -> str:
    parameters = ", ".join(f"{spelled(t)} a{n}" for n, t in enumerate(types))
    return f"void f{number}({parameters or 'void'})"


def _expression(call: Call) -> str:
    name, types = call
    return f"{name}({', '.join(f'a{n}' for n in range(len(types)))})"


def _function(number: int, call: Call) -> str:
    return f"{_head(number, call[1])} {{ {_expression(call)}; }}"


def _header() -> str:
    lines = ["#define __opencl_c_named_address_space_builtins 1"]
    plain = {"uchar": "unsigned char", "ushort": "unsigned short", "uint": "unsigned int"}
    plain |= {"ulong": "unsigned long"}
    lines += [f"typedef {text} {name};" for name, text in plain.items()]
    lines += ["typedef ulong size_t; typedef uint cl_mem_fence_flags;"]
    lines += [f"#pragma OPENCL EXTENSION {e} : enable" for e in ("cl_khr_fp16", "cl_khr_fp64")]
    for kind in ScalarKind:
        if kind is not ScalarKind.BOOL:
            lines += [
                f"typedef {kind.spelling} {kind.spelling}{n} __attribute__((ext_vector_type({n})));"
                for n in VECTOR_LANES
            ]
    return "\n".join(lines) + "\n"


def _clang(source: str, *options: str) -> subprocess.CompletedProcess[str]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "opencl-c-base.h").write_text(_header())
        Path(folder, "k.cl").write_text(source)
        command = [
            sys.executable, "-m", "ziglang", "clang", "-x", "cl", "-cl-std=CL1.2", "-target",
            "spir64-unknown-unknown", "-Xclang", "-fdeclare-opencl-builtins", "-Xclang",
            "-finclude-default-header", "-I", folder, "-w", "-ferror-limit=0",
            "-Wno-error=incompatible-pointer-types", *options, f"{folder}/k.cl", "-o", "-",
        ]  # fmt: skip
        return subprocess.run(command, check=False, capture_output=True, text=True)


def _errors(source: str) -> dict[int, str]:
    found = dict[int, str]()
    for line, text in re.findall(
        r"k\.cl:(\d+):\d+: error: (.*)", _clang(source, "-fsyntax-only").stderr
    ):
        verdict = "ambiguous" if "is ambiguous" in text else text
        found.setdefault(int(line), "no match" if "no matching function" in text else verdict)
    return found


def _called_symbols(source: str) -> dict[int, str]:
    run = _clang(source, "-O1", "-Xclang", "-disable-llvm-passes", "-S", "-emit-llvm")
    assert run.returncode == 0, run.stderr
    called, current = dict[int, str](), -1
    for line in run.stdout.splitlines():
        if line.startswith("define"):
            found = re.search(r"@f(\d+)\(", line)
            current = int(found[1]) if found else -1
        elif found := re.search(r"call spir_func .*? @(_Z\w+)\(", line):
            called[current] = found[1]
    return called


def exact_calls(name: str) -> list[Call]:
    """A call of every overload with exactly its parameter types."""
    return [(name, tuple(p.type for p in o.parameters)) for o in overloads_of(name)]


def clang_names() -> list[str]:
    """The names of the table that clang declares in OpenCL C 1.2."""
    return [n for n in names() if rows_of(n)[0].section not in _NOT_IN_CLANG]


def random_calls(
    name: str, count: int, chance: random.Random, *, spaces: bool = False
) -> Iterator[Call]:
    """Calls near the overloads of a function: some arguments of other types, or one too many.

    With ``spaces`` pointers change in nothing but the address space.
    """
    overloads = overloads_of(name)
    for _ in range(count):
        overload: ResolvedBuiltin = chance.choice(overloads)
        types = [p.type for p in overload.parameters]
        types = [_mutated(t, chance, spaces=spaces) if chance.random() < 0.5 else t for t in types]
        if types and chance.random() < 0.03:
            types = types[:-1] if chance.random() < 0.5 else [*types, types[0]]
        yield name, tuple(types)


def _mutated(type_: Type, chance: random.Random, *, spaces: bool) -> Type:
    match type_:
        case PointerType(pointee):
            if not spaces:
                return PointerType(_mutated_pointee(pointee, chance))
            return PointerType(replace(pointee, space=chance.choice(_SPACES)))
        case ScalarType() | VectorType():
            return _arithmetic(type_, chance)
        case ImageType():
            return chance.choice([t for t in TYPE_NAMES.values() if isinstance(t, ImageType)][:12])
        case _:
            return type_


def _mutated_pointee(pointee: QualType, chance: random.Random) -> QualType:
    type_, space = pointee.type, pointee.space
    if chance.random() < 0.3:
        type_ = VOID if chance.random() < 0.2 else _mutated(type_, chance, spaces=False)
    if chance.random() < 0.3:
        space = chance.choice(_SPACES)
    return QualType(type_, space, const=chance.random() < 0.3, volatile=chance.random() < 0.2)


def _arithmetic(type_: ScalarType | VectorType, chance: random.Random) -> Type:
    if chance.random() < 0.04:
        return BOOL
    element = ScalarType(chance.choice(ALL_KINDS))
    match chance.randrange(4):
        case 0:
            return element
        case 1:
            return type_.element if isinstance(type_, VectorType) else type_
        case 2:
            return VectorType(element, type_.lanes) if isinstance(type_, VectorType) else element
        case _:
            return VectorType(element, chance.choice(VECTOR_LANES))


def fact(call: Call, verdict: str) -> str:
    """A line of the file of facts."""
    name, types = call
    return f"{name}({', '.join(spelled(t) for t in types)}): {verdict}"


def read_fact(line: str) -> tuple[Call, str]:
    """The inverse of :func:`fact`."""
    call, _, verdict = line.partition("): ")
    name, _, types = call.partition("(")
    return (name, tuple(parse_type(t) for t in types.split(", ") if t)), verdict


def own_verdict(call: Call) -> str:
    """What this library makes of a call, in the words of :func:`verdicts`."""
    match resolve(*call):
        case ResolvedBuiltin(symbol=symbol):
            return symbol
        case NoMatch():
            return "no match"
        case Ambiguous():
            return "ambiguous"


def _main() -> None:
    chance = random.Random(12)
    calls = [c for name in clang_names() for c in random_calls(name, 5, chance)]
    lines = set[str]()
    for call, verdict in zip(calls, verdicts(calls), strict=True):
        known = verdict.startswith("_Z") or verdict == "ambiguous"
        lines.add(fact(call, verdict if known else "no match"))
    sys.stdout.write("\n".join(sorted(lines)) + "\n")


if __name__ == "__main__":
    _main()
