"""What a miniature reveals, all of it; and how it compares with its original."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kcc.frontend.ir.types import VOID, size_bytes
from kcc.synth.assembly.model import (
    ArgumentValue,
    Bounded,
    BufferValue,
    Choice,
    Counted,
    Drawn,
    End,
    Ending,
    Fill,
    Fork,
    ImageValue,
    Input,
    Jump,
    Kernel,
    Known,
    Launch,
    Literal,
    LocalValue,
    Loop,
    LoopControl,
    Miniature,
    Nothing,
    Operand,
    ParameterKind,
    Place,
    Refill,
    Result,
    Role,
    ScalarValue,
    Spread,
    Statement,
    StructValue,
    TableValue,
)
from kcc.synth.original.coarse import LEAST_TOLD, SIGNIFICANT

_HEAD = """Everything that the miniature says about its original.

What whoever has it learns
  of the kernels: flow graph, opcodes, types, who waits for whom, and the constants listed first
  of the launches: sizes, arguments that are sizes or limits (listed too), rates of branches, trips
  of loops, in 64 classes
  of the data: {data}
Not there: names, text, floats, and the numbers that hashes and comparisons with data are made of:
others stand for them, so whatever of these is listed is not the original's.
If a constant or an argument listed here must not be known, do not hand the miniature out.

Names are the generator's. Of an instruction: its number, opcode and type, and what it waits for:
instructions by number, parameters (a0), arrays (m0). Numbers after # are strides, sizes and limits;
all others are made up.

"""

_DATA = f"""of integers that addresses or conditions are made of, the lines, classes and
  frequencies below. None is about fewer than {LEAST_TOLD} elements, but for the largest of a piece
  and arrays of fewer, told to {SIGNIFICANT} bits, and for -1, 0 and 1. Arrays of 32 elements and
  more have pieces of at least 32. Every launch says what it finds, so what changes between two
  launches shows"""

_NO_DATA = """nothing, but where accesses went at the least and over how many elements"""

TELLING = 1 << 8
"""From here on a constant is listed."""


def revealed(miniature: Miniature) -> str:
    """The report, from nothing but the miniature's own description."""
    has_data = any(
        isinstance(v, BufferValue) and v.fills for x in miniature.launches for v in x.values
    )
    parts = [_HEAD.format(data=_DATA if has_data else _NO_DATA)]
    parts += [f"{line}\n" for line in _constants(miniature)]
    for number, kernel in enumerate(miniature.kernels):
        parts += [f"{line}\n" for line in _kernel(kernel, miniature.reductions[number])]
    parts.append("\nbuffers in bytes: " + ", ".join(f"{n:,}" for n in miniature.buffers) + "\n")
    for launch in miniature.launches:
        parts += [f"{line}\n" for line in _launch(miniature, launch)]
    return "".join(parts)


def _constants(miniature: Miniature) -> Iterator[str]:
    """Constants of all kernels and arguments of all launches, in decimal and hexadecimal."""
    for kernel in miniature.kernels:
        found = set[int]()
        for s in (s for block in kernel.blocks for s in block.statements):
            for o in s.operands if s.role is Role.INDEX else ():
                if isinstance(o, Literal):
                    values = o.value if isinstance(o.value, tuple) else (o.value,)
                    found |= {v for v in values if isinstance(v, int)}
        rows = [n for n in sorted(found) if abs(n) >= TELLING]
        yield f"constants of {kernel.name}: {_listed(rows)}"
    for kernel_number, kernel in enumerate(miniature.kernels):
        kinds = {p.number for p in kernel.parameters if p.kind is ParameterKind.SCALAR}
        rows = {
            v.value
            for x in miniature.launches
            if x.kernel == kernel_number
            for n, v in enumerate(x.values)
            if n in kinds and isinstance(v, ScalarValue) and isinstance(v.value, int)
        }
        yield f"scalar arguments of {kernel.name}: {_listed(sorted(rows))}"
    yield ""


def _listed(rows: Sequence[int]) -> str:
    return ", ".join(f"{n} ({n:#x})" if abs(n) >= TELLING else str(n) for n in rows) or "none"


def _kernel(kernel: Kernel, factors: tuple[int, ...]) -> Iterator[str]:
    yield f"kernel {kernel.name}"
    for p in kernel.parameters:
        size = f", {p.size_bytes} bytes" if p.size_bytes else ""
        yield f"  a{p.number}: {p.kind.value}, {p.type}{size}"
    for array in kernel.arrays:
        kind = "local array" if array.space == 3 else "table of constants"
        yield f"  m{array.number}: {kind} of {array.size_bytes:,} bytes"
    for loop in kernel.loops:
        yield f"  {_loop(loop, factors[loop.number])}"
    for block in kernel.blocks:
        yield f"  block {block.number}"
        for s in block.statements:
            yield f"    {_statement(s)}"
        yield f"    {ending_text(block.ending)}"


def _loop(loop: Loop, factor: int) -> str:
    blocks = ", ".join(map(str, loop.blocks))
    text = f"loop {loop.number}: header {loop.header}, blocks {blocks}; ends {loop.control.value}"
    if loop.control is LoopControl.BOUND and loop.bound is not None:
        bound = loop.bound
        ahead = ", a step ahead" if bound.is_ahead else ""
        text += (
            f": from {operand_text(bound.start)}{ahead} {'up' if bound.rises else 'down'} by "
            f"{operand_text(bound.step)} while {bound.predicate} {operand_text(bound.limit)}"
        )
    elif loop.trips >= 0:
        text += f" (a{loop.trips}), lanes together: {loop.sharing}"
    return f"{text}; trips divided by {factor}"


def _statement(s: Statement) -> str:
    kept = s.role is Role.INDEX
    operands = ", ".join(operand_text(o, kept=kept) for o in s.operands)
    words = [s.opcode, s.detail, "" if s.type == VOID else str(s.type)]
    text = " ".join(w for w in words if w)
    shape = f" of {s.shape} ({size_bytes(s.shape)} bytes)" if s.shape is not None else ""
    lanes = f" lanes {list(s.lanes)}" if s.lanes else ""
    blocks = f" from blocks {', '.join(map(str, s.incoming))}" if s.incoming else ""
    return f"{s.number}: {text}{shape} <- {operands}{lanes}{blocks}".rstrip()


def operand_text(operand: Operand, *, kept: bool = True) -> str:
    """What an instruction waits for; ``kept``: its numbers are the original's."""
    match operand:
        case Result(number):
            return str(number)
        case Input(number):
            return f"a{number}"
        case Literal(value):
            return f"#{value}" if kept else "*"
        case Place(array, offset):
            return f"m{array} + {offset}" if offset else f"m{array}"
        case Nothing():
            return "-"
        case Refill(anchor, _, least, bits):
            after = operand_text(anchor)
            return f"(drawn: #{least} and up to {(1 << bits) - 1} more, waits for {after})"
        case Spread(base, anchor):
            count = f"{operand.count}" if operand.own is None else operand_text(operand.own)
            elements = f"{count} elements of {operand.element_bytes} bytes"
            if operand.hot:
                elements += f", half of the draws in the first of 2^{operand.hot} parts"
            place = f"{operand_text(base)} + {operand.low_bytes}"
            together = f"lanes together: {operand.sharing}"
            return f"(drawn: {place}, {elements}, {together}, waits for {operand_text(anchor)})"


def ending_text(ending: Ending) -> str:
    """Where it resumes after a block, and by what."""
    match ending:
        case Jump(target):
            return f"to {target}"
        case Fork(condition, then, otherwise):
            return f"{_condition(condition)}: to {then}, else {otherwise}"
        case Choice():
            cases = ", ".join(f"{value}: {target}" for value, target in ending.cases)
            kind = "drawn" if ending.rates else "known"
            value = operand_text(ending.value or Nothing())
            return f"{kind} choice by {value}: {cases}, else {ending.default}"
        case End():
            return "end"


def _condition(condition: Known | Drawn | Counted | Bounded) -> str:
    match condition:
        case Known(value):
            return f"if {operand_text(value)}"
        case Drawn():
            fixed = ", once per thread" if condition.fixed else ""
            return (
                f"drawn at rate a{condition.rates}{fixed}, lanes together: {condition.sharing}, "
                f"waits for {operand_text(condition.anchor)}"
            )
        case Counted(loop):
            return f"by the counter of loop {loop}{_waiting(condition.anchor)}"
        case Bounded(loop, value):
            bound = "drawn trips" if condition.early else "bound"
            waiting = _waiting(condition.anchor)
            return f"by the {bound} of loop {loop} on {operand_text(value)}{waiting}"


def _waiting(anchor: Operand) -> str:
    return "" if isinstance(anchor, Nothing) else f", waits for {operand_text(anchor)}"


def _launch(miniature: Miniature, launch: Launch) -> Iterator[str]:
    name = miniature.kernels[launch.kernel].name
    yield f"launch {launch.number}: {name}, global {launch.global_size}, local {launch.local_size}"
    for number, value in enumerate(launch.values):
        yield f"  a{number}: {value_text(value)}"


def _fill(fill: Fill) -> str:
    text = (
        f"{fill.count} integers of {fill.size_bytes} bytes every {fill.stride_bytes} from "
        f"{fill.offset_bytes}: {fill.start!r} + {fill.slope!r} i, spread {fill.spread}, "
        f"{fill.least} to {fill.most}"
    )
    if fill.correlation:
        times = " twice" if fill.filtered == 2 else ""
        text += f", neighbours correlated by {fill.correlation!r}{times}"
    if fill.rows_of is not None:
        text += f", all ascending in rows that begin where a{fill.rows_of} says"
    if not fill.values:
        return text
    pairs = zip(fill.values, fill.counts, strict=True)
    kind = "sums of" if fill.adds_up else "and"
    return f"{text}, {kind} {' '.join(f'{value}x{count}' for value, count in pairs)}"


def value_text(value: ArgumentValue) -> str:
    """What a parameter is given."""
    match value:
        case BufferValue(buffer, fills):
            rows = "; ".join(map(_fill, fills))
            return f"buffer {buffer}" + (f" ({rows})" if rows else "")
        case LocalValue(size):
            return f"{size} bytes of local memory"
        case ScalarValue(number):
            return str(number)
        case StructValue(words):
            return f"words {words}"
        case TableValue(trips):
            return f"trips by quantiles {trips}"
        case ImageValue(size):
            return f"image of {size}"
