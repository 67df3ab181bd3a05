"""Inline PTX: what stands in an ``asm`` statement becomes a function of the dialect.

clang's SPIR-V target knows one constraint for registers, ``r``; those of NVPTX (``f``, ``l`` ...)
are spelled so beforehand, since the types of the operands say the rest. The text of a statement is
then read as the body of a kernel of PTX, with a register per operand, by the reader of PTX files.
"""

from __future__ import annotations

import re
from dataclasses import replace

from kcc.base.diagnostics import DiagnosticError
from kcc.base.records import dataclass
from kcc.frontend.clang.refusals import PREFIX
from kcc.frontend.ptx.reading.body import LEAVE, write_body
from kcc.frontend.ptx.reading.flatten import Flat, flatten
from kcc.frontend.ptx.reading.model import Function, Module
from kcc.frontend.ptx.reading.parse import parse
from kcc.frontend.ptx.reading.pointers import find_pointers
from kcc.frontend.ptx.reading.tokens import Places
from kcc.frontend.ptx.reading.typing import storage_types
from kcc.frontend.ptx.reading.writer import BITS, Writer, variable

_CONSTRAINT = re.compile(r'"([=+]?&?)[lfdhq]"(?=\s*\()')
_CALL = re.compile(
    r"^(?P<head>  (?:%[\w.$-]+ = )?)(?:tail )?call (?:contract |fast )?"
    r"(?P<result>\{[^}]*\}|[\w() ]+?) "
    r'asm (?P<effect>sideeffect )?"(?P<text>[^"]*)", "(?P<constraints>[^"]*)"\((?P<values>.*?)\)'
    r"(?P<tail>(?: #\d+)?(?:, ![^\n]*)?)$",
    re.MULTILINE,
)  # fmt: skip
_ESCAPE = re.compile(r"\\([0-9A-Fa-f]{2})")
_OPERAND = re.compile(r"\$(?:(\d+)|\{(\d+)(?::\w+)?\}|([$()|]))")
_SPELLED = {"$": "$", "(": "{", ")": "}", "|": "|"}
_VALUE = re.compile(
    r"(?P<type>ptr(?: addrspace\(\d\))?|<[^>]*>|\w+) "
    r"(?:(?:noundef|nonnull|elementtype\([^)]*\)) )*(?P<value>.+)$"
)
_KINDS = {"float": "f32", "double": "f64", "half": "b16", "i1": "b16", "i8": "b16", "i16": "b16",
          "i32": "b32", "i64": "b64", "<2 x half>": "b32", "<2 x i16>": "b32"}  # fmt: skip
"""The register of PTX for an operand's type."""
_VECTORS = {"<2 x half>", "<2 x i16>"}
_NOT_INSIDE = {"exit", "ret"}
"""Instructions that leave more than the statement."""


def with_known_constraints(text: str) -> str:
    """A source whose ``asm`` operands are all ``r``; offsets stay."""
    return _CONSTRAINT.sub(r'"\1r"', text)


@dataclass(frozen=True, slots=True)
class _Statement:
    """An ``asm`` statement: its text, and types of results and operands, the latter with the value
    where it is a constant and with the result they share a register with."""

    text: str
    results: tuple[str, ...]
    operands: tuple[tuple[str, str, int | None], ...]


def with_ptx_functions(text: str) -> tuple[str, dict[str, str]]:
    """A module whose inline PTX is calls of functions it defines.

    What the reader does not take calls a refusal of its own, whose name is given with the reason.
    """
    known, made, reasons = dict[_Statement, str](), list[str](), dict[str, str]()
    declared = dict[str, str]()

    def replaced(match: re.Match[str]) -> str:
        statement, values = _parsed(match)
        name = known.get(statement)
        if name is None:
            name = f"__kcc_ptx_{len(known)}"
            try:
                body = _function(name, statement, declared)
            except DiagnosticError as error:
                reason = error.diagnostics[0].message
                name = f"{PREFIX}inline_ptx.{len(known)}"
                reasons[name] = f"inline PTX is used: {reason}"
                body = f"declare spir_func {match['result']} @{name}({_types(statement)})\n"
            known[statement] = name
            made.append(body)
        return (
            f"{match['head']}call spir_func {match['result']} @{name}({', '.join(values)})"
            f"{''.join(_LOCATION.findall(match['tail'])[:1])}"
        )

    text = _CALL.sub(replaced, text)
    if not made:
        return text, reasons
    new = [line for symbol, line in declared.items() if f"@{symbol}(" not in _heads(text)]
    first = text.find("\n!")
    return "\n".join([text[:first], *made, *new, text[first:]]), reasons


_LOCATION = re.compile(r", !dbg !\d+")


def _heads(text: str) -> str:
    return "\n".join(re.findall(r"^(?:declare|define) .*", text, re.MULTILINE))


def _types(statement: _Statement) -> str:
    return ", ".join(kind for kind, _, _ in statement.operands)


def _parsed(match: re.Match[str]) -> tuple[_Statement, list[str]]:
    """A statement and the arguments of the call in its place."""
    result = match["result"]
    if result == "void":
        results = list[str]()
    elif result.startswith("{"):
        results = [part.strip() for part in _split(result[1:-1])]
    else:
        results = [result]
    constraints = [c for c in match["constraints"].split(",") if not c.startswith("~")]
    inputs = [c for c in constraints if not c.startswith("=")]
    operands, values = list[tuple[str, str, int | None]](), list[str]()
    for constraint, part in zip(inputs, _split(match["values"]), strict=False):
        value = _VALUE.match(part)
        assert value is not None
        constant = value["value"] if re.fullmatch(r"-?\d+", value["value"]) else ""
        tied = int(constraint) if constraint.isdigit() else None
        operands.append((value["type"], "" if tied is not None else constant, tied))
        values.append(f"{value['type']} {value['value']}")
    text = _ESCAPE.sub(lambda m: chr(int(m[1], 16)), match["text"])
    return _Statement(text, tuple(results), tuple(operands)), values


def _split(text: str) -> list[str]:
    found, depth, start = list[str](), 0, 0
    for place, letter in enumerate(text):
        depth += (letter in "({<[") - (letter in ")}>]")
        if letter == "," and depth == 0:
            found.append(text[start:place].strip())
            start = place + 1
    rest = text[start:].strip()
    return [*found, rest] if rest else found


def _function(name: str, statement: _Statement, declared: dict[str, str]) -> str:
    """The function of a statement. Raises :class:`DiagnosticError` for what the reader refuses."""
    flat, module, places = _read(statement)
    pointers = find_pointers(flat, {})
    if any(p.pointee_space == "" and p.name in pointers.parameters for p in flat.kernel.parameters):
        _describe(flat, pointers.parameters)
        pointers = find_pointers(flat, {})
    registers, parameters = storage_types(flat, pointers)
    w = Writer(flat, places, registers, parameters, pointers, {**module.variables}, {})
    for item in flat.body:
        words = getattr(item, "words", ("",))
        if words[0] in _NOT_INSIDE and item.at:
            raise w.refuse(f"'{words[0]}' ends more than the statement")
    if pointers.offsets or flat.variables:
        raise w.refuse("its variables or addresses in shared memory are not followed")
    write_body(w, lambda _: "", lambda: "!{}")
    declared |= w.declared
    if any("!llvm.loop" in line for line in w.lines):
        w.lines = [re.sub(r", !llvm\.loop \S+", "", line) for line in w.lines]
    allocas = [f"  {variable(n)} = alloca {kind}" for n, kind in registers.items()]
    if any("%r.CC" in line for line in w.lines):
        allocas.append("  %r.CC = alloca i1")
    assert w.lines[-2:] == [f"{LEAVE}:", "  ret void"]
    w.lines.pop()
    prologue = _prologue(statement, parameters)
    result = _result(w, statement)
    arguments = ", ".join(f"{k} %x{n}" for n, (k, _, _) in enumerate(statement.operands))
    words = "alwaysinline convergent nounwind"
    head = f"define internal spir_func {result} @{name}({arguments}) {words} {{"
    return "\n".join(
        [head, "entry:", *allocas, *prologue, "  br label %start", "start:", *w.lines, "}", ""]
    )


def _read(statement: _Statement) -> tuple[Flat, Module, Places]:
    count = len(statement.results)
    numbers = list[str]()
    """What each ``%N`` of the statement is called."""
    lines, loads, parameters = list[str](), list[str](), list[str]()
    for n, kind in enumerate(statement.results):
        numbers.append(f"%kcc{n}")
        lines.append(f".reg .{_register(kind)} %kcc{n};")
    for n, (kind, constant, tied) in enumerate(statement.operands):
        register = _register(kind)
        target = f"%kcc{count + n}" if tied is None else f"%kcc{tied}"
        numbers.append(constant or target)
        if tied is None:
            lines.append(f".reg .{register} {target};")
        described = " .ptr .align 1" if kind.startswith("ptr") else ""
        parameters.append(f".param .{register}{described} a{n}")
        loads.append(f"ld.param.{register} {target}, [a{n}];")
    body = _OPERAND.sub(
        lambda m: _SPELLED[m[3]] if m[3] else numbers[int(m[1] or m[2])], statement.text
    )
    body = body if body.rstrip().endswith((";", "}", "")) else body + ";"
    head = f".version 8.5\n.target sm_90\n.address_size 64\n.entry k({', '.join(parameters)}) {{\n"
    places = Places("inline PTX", head + "\n".join([*lines, *loads, body, "}"]))
    module = parse(places)
    return flatten(module.functions["k"], module, places), module, places


def _register(kind: str) -> str:
    if kind.startswith("ptr"):
        return "b64"
    return _KINDS.get(kind, "b128")


def _describe(flat: Flat, wanted: dict[str, int]) -> None:
    """Numbers that are addresses: of shared memory those of 32 bits, else anywhere."""
    kernel: Function = flat.kernel
    kernel.parameters = tuple(
        replace(p, pointee_space="shared" if p.type == "b32" else "generic")
        if p.name in wanted and not p.pointee_space
        else p
        for p in kernel.parameters
    )


def _prologue(statement: _Statement, parameters: dict[str, str]) -> list[str]:
    """Arguments as the body has its parameters."""
    lines = list[str]()
    for n, (kind, _, _) in enumerate(statement.operands):
        want = parameters[f"a{n}"]
        if kind == want:
            word = f"bitcast {kind} %x{n}"
        elif kind.startswith("ptr") and want.startswith("ptr"):
            word = f"addrspacecast {kind} %x{n}"
        elif kind.startswith("ptr"):
            word = f"ptrtoint {kind} %x{n}"
        elif want.startswith("ptr"):
            word = f"inttoptr {kind} %x{n}"
        elif BITS.get(kind, 0) and BITS[kind] < BITS[want]:
            word = f"zext {kind} %x{n}"
        else:
            word = f"bitcast {kind} %x{n}"
        lines.append(f"  %a{n} = {word} to {want}")
    return lines


def _result(w: Writer, statement: _Statement) -> str:
    """Write what the function returns, and give its type."""
    values = list[str]()
    for n, kind in enumerate(statement.results):
        have = w.types[f"%kcc{n}"]
        value = w.value(f"load {have}, ptr {variable(f'%kcc{n}')}")
        if kind in _VECTORS:
            value = w.cast("bitcast", "i32", w.convert(value, have, "i32"), kind)
        else:
            value = w.convert(value, have, kind)
        values.append(value)
    if len(values) < 2:
        w.line(f"ret {statement.results[0]} {values[0]}" if values else "ret void")
        return statement.results[0] if values else "void"
    whole = f"{{ {', '.join(statement.results)} }}"
    built = "poison"
    for n, (kind, value) in enumerate(zip(statement.results, values, strict=True)):
        built = w.value(f"insertvalue {whole} {built}, {kind} {value}, {n}")
    w.line(f"ret {whole} {built}")
    return whole
