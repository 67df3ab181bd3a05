"""Symbolic values as text, in the words of the source."""

from __future__ import annotations

import re

from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import FloatTy, IntTy, size_bytes
from kcc.frontend.ir.values import ConstantFloat
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.closing import is_counter
from kcc.passes.symbolic.expr import (
    Final,
    First,
    Loaded,
    Node,
    Number,
    Operation,
    Product,
    Recurrence,
    Sum,
    Symbol,
    SymbolKind,
    Table,
    Total,
)
from kcc.passes.symbolic.nodes import base_of

MAX_LENGTH = 100
"""Characters a text may have; a longer one is cut at the operations furthest inside."""

ELLIPSIS = "..."

# Precedences of C (C99 6.5): a higher one binds its operands more strongly.
_PRIMARY, _UNARY, _MULTIPLY, _ADD, _SHIFT, _CONDITIONAL = 20, 15, 13, 12, 11, 1

_OPERATORS: dict[Opcode | str, tuple[str, int]] = {
    Opcode.UDIV: ("/", 13), Opcode.SDIV: ("/", 13), Opcode.UREM: ("%", 13),
    Opcode.SREM: ("%", 13), Opcode.FMUL: ("*", 13), Opcode.FDIV: ("/", 13),
    Opcode.FADD: ("+", 12), Opcode.FSUB: ("-", 12), Opcode.SHL: ("<<", 11),
    Opcode.LSHR: (">>", 11), Opcode.ASHR: (">>", 11), Opcode.AND: ("&", 8),
    Opcode.XOR: ("^", 7), Opcode.OR: ("|", 6), Opcode.MUL: ("*", 13),
}  # fmt: skip

_RELATIONS = {"eq": ("==", 9), "ne": ("!=", 9), "gt": (">", 10), "ge": (">=", 10),
              "lt": ("<", 10), "le": ("<=", 10)}  # fmt: skip

_FUNCTIONS = {"smax": "max", "smin": "min", "umax": "max", "umin": "min", "fmuladd": "fma",
              "minnum": "fmin", "maxnum": "fmax"}  # fmt: skip

_UNNAMED = re.compile(r"(v?\d.*)?$")

Shown = tuple[str, int]


def text(values: SymbolicValues, node: Node, limit: int = MAX_LENGTH) -> str:
    """A node as C-like text of at most ``limit`` characters, if that can be done."""
    printers = values.kept(_Printers)
    for depth in (12, 8, 6, 5, 4, 3, 2):
        try:
            return printers.of(values, limit).show(node, depth)[0]
        except _TooLongError:
            continue
    return printers.of(values, None).show(node, 1)[0]


class _Printers:
    """By limit; conditions of many blocks have parts in common, which are shown once."""

    def __init__(self) -> None:
        self._found: dict[int | None, _Printer] = {}

    def of(self, values: SymbolicValues, limit: int | None) -> _Printer:
        if limit not in self._found:
            self._found[limit] = _Printer(values, limit)
        return self._found[limit]


class _TooLongError(Exception):
    """A part has more characters than the whole may have."""


class _Printer:
    """Shows nodes in ``limit`` characters, else raises :class:`_TooLongError`.

    Values that share parts would be exponentially long as text: each part is shown once per depth,
    and none is put together from parts that are too long already.
    """

    def __init__(self, values: SymbolicValues, limit: int | None) -> None:
        self._values, self._limit = values, limit
        self._shown: dict[tuple[Node, int], Shown | None] = {}
        """None: too long."""

    def show(self, node: Node, depth: int) -> Shown:
        """The text and how strongly it binds."""
        key = node, depth
        if key not in self._shown:
            self._shown[key] = None
            made = self._made(node, depth)
            if self._limit is None or len(made[0]) <= self._limit:
                self._shown[key] = made
        found = self._shown[key]
        if found is None:
            raise _TooLongError
        return found

    def _made(  # noqa: PLR0911 -- one case per kind of node
        self, node: Node, depth: int
    ) -> Shown:
        match node:
            case Number():
                return _number(node)
            case Symbol():
                return self._symbol(node), _PRIMARY
            case _ if depth == 0:
                return ELLIPSIS, _PRIMARY
            case Sum():
                return self._sum(node, depth)
            case Product(factors=factors):
                shown = [self._inner(factor, depth, _MULTIPLY) for factor in factors]
                return " * ".join(shown), _MULTIPLY
            case Operation():
                return self._operation(node, depth)
            case Loaded(address=Node() as address):
                return self._element(address, size_bytes(node.type), depth), _PRIMARY
            case Table(variable=variable, offset=offset):
                size = size_bytes(node.type)
                return f"{_last(variable)}[{self._index(offset, size, depth)}]", _PRIMARY
            case Recurrence(phi=phi):
                return self._variable(phi), _PRIMARY
            case First(condition=condition):
                return f"first k: {self._inner(condition, depth, 0)}", _CONDITIONAL
            case Final(value=value):
                return f"last({self._inner(value, depth, 0)})", _PRIMARY
            case Total(value=value):
                counter = self._counter(node.loop)
                upper = self._inner(node.count, depth, _ADD + 1)
                body = self._inner(value, depth, 0)
                return f"{node.fold.word}({body} for {counter} < {upper})", _PRIMARY
            case _:
                return ELLIPSIS, _PRIMARY

    def _inner(self, node: Node, depth: int, least: int) -> str:
        """An operand, in brackets where it binds less than ``least``."""
        shown, strength = self.show(node, depth - 1)
        return shown if strength >= least else f"({shown})"

    def _symbol(self, symbol: Symbol) -> str:
        index = symbol.index
        match symbol.kind:
            case SymbolKind.ARGUMENT | SymbolKind.POINTER:
                number, dot, place = str(index).partition(".")
                return f"{self._values.kernel.arguments[int(number)].name}{dot}{_lane(place)}"
            case SymbolKind.COUNTER:
                assert isinstance(index, int)
                return self._counter(index)
            case SymbolKind.GLOBAL:
                return _last(str(index))
            case SymbolKind.PRIVATE:
                assert isinstance(index, int)
                return self._values.function.instructions[index].name.removesuffix(".var")
            case SymbolKind.LANE:
                return "lane"
            case SymbolKind.WORK_DIM:
                return "get_work_dim()"
            case kind:
                return f"{kind.value}({index})"

    def _counter(self, loop: int) -> str:
        """The variable that counts a loop's iterations from 0, else a made-up name."""
        shape = self._values.loops.loops[loop]
        for phi in self._values.function.blocks[shape.header].phis:
            (own, *_) = self._values.result(phi)
            if is_counter(own, loop):
                return _source_name(phi.name) or f"k{loop}"
        return f"k{loop}"

    def _variable(self, phi: int) -> str:
        instructions = self._values.function.instructions
        if phi < len(instructions):
            return _source_name(instructions[phi].name) or ELLIPSIS
        return ELLIPSIS

    def _sum(self, node: Sum, depth: int) -> Shown:
        ordered = sorted(node.terms, key=lambda item: (item[1] < 0, item[0].id))
        pieces = list[str]()
        for term, coefficient in ordered:
            size = abs(coefficient)
            least = _ADD + 1 if size == 1 else _MULTIPLY
            shown = self._inner(term, depth, least)
            if size != 1:
                shown = f"{size} * {shown}"
            pieces.append(f"{'- ' if coefficient < 0 else '+ '}{shown}")
        if node.constant:
            pieces.append(f"{'- ' if node.constant < 0 else '+ '}{abs(node.constant)}")
        if len(ordered) == 1 and ordered[0][1] < 0 and node.constant > 0:
            pieces = [f"+ {node.constant}", pieces[0]]
        first = pieces[0]
        pieces[0] = first[2:] if first[0] == "+" else f"-{first[2:]}"
        strength = _ADD if len(pieces) > 1 else _MULTIPLY
        return " ".join(pieces), strength

    def _operation(self, node: Operation, depth: int) -> Shown:
        operator, operands = node.operator, node.operands
        if node.type.bits == 1 and operator in (Opcode.AND, Opcode.OR):
            sign, strength = ("&&", 5) if operator is Opcode.AND else ("||", 4)
            return f" {sign} ".join(self._inner(o, depth, strength) for o in operands), strength
        match operator:
            case Opcode.ICMP | Opcode.FCMP:
                assert node.detail is not None
                sign, strength = _RELATIONS.get(node.detail.value[-2:], ("?", 10))
                return self._infix(operands, sign, strength, depth)
            case Opcode.SELECT:
                condition, then, otherwise = (
                    self._inner(o, depth, _CONDITIONAL + 1) for o in operands
                )
                return f"{condition} ? {then} : {otherwise}", _CONDITIONAL
            case Opcode.ZEXT | Opcode.SEXT | Opcode.FPEXT:
                return self.show(operands[0], depth)
            case Opcode.TRUNC | Opcode.FPTRUNC | Opcode.FPTOSI | Opcode.FPTOUI | Opcode.SITOFP \
                | Opcode.UITOFP | "fptosi.sat" | "fptoui.sat" | Opcode.BITCAST:  # fmt: skip
                return f"({_type_name(node)}){self._inner(operands[0], depth, _UNARY)}", _UNARY
            case Opcode.FNEG | "not":
                sign = "!" if operator == "not" else "-"
                return f"{sign}{self._inner(operands[0], depth, _UNARY)}", _UNARY
            case _:
                return self._named(node, depth)

    def _named(self, node: Operation, depth: int) -> Shown:
        operands = node.operands
        match node.operator:
            case "power" if isinstance(operands[0], Number):
                base, exponent = operands[0].value, self._inner(operands[1], depth, _ADD)
                if base > 0 and base & (base - 1) == 0:
                    factor = base.bit_length() - 1
                    return f"1 << {'' if factor == 1 else f'{factor} * '}{exponent}", _SHIFT
            case "divpow" | "sdivpow" | "ashrmul":
                start = self._inner(operands[0], depth, _SHIFT)
                by, times = operands[1], self._inner(operands[2], depth, _MULTIPLY)
                assert isinstance(by, Number)
                factor = by.value.bit_length() - 1
                if node.operator == "ashrmul" or by.value == 1 << factor:
                    count = by.value if node.operator == "ashrmul" else factor
                    return f"{start} >> {'' if count == 1 else f'{count} * '}{times}", _SHIFT
            case "iterations":
                return self._iterations(node, depth)
            case "choose2":
                inner = self._inner(operands[0], depth, _MULTIPLY)
                return f"{inner} * ({inner} - 1) / 2", _MULTIPLY
            case _:
                pass
        found = _OPERATORS.get(node.operator)
        if found is not None:
            return self._infix(operands, found[0], found[1], depth)
        word = node.operator.word if isinstance(node.operator, Opcode) else node.operator
        name = _FUNCTIONS.get(word, word).removesuffix("()")
        # Numbers come last, as people write them.
        if word in ("smax", "smin", "umax", "umin"):
            operands = tuple(sorted(operands, key=lambda o: isinstance(o, Number)))
        inside = ", ".join(self._inner(operand, depth, 0) for operand in operands)
        return f"{name}({inside})", _PRIMARY

    def _iterations(self, node: Operation, depth: int) -> Shown:
        start, step, bound = node.operands
        assert isinstance(node.detail, IntPredicate)
        first, limit = (self._inner(o, depth, _ADD + 1) for o in (start, bound))
        distance = limit if isinstance(start, Number) and not start.value else f"{limit} - {first}"
        if isinstance(step, Number):
            if step.value < 0:
                distance = f"{first} - {limit}" if limit != "0" else first
            if abs(step.value) == 1:
                return distance, _ADD
            return f"ceil(({distance}) / {abs(step.value)})", _PRIMARY
        return f"ceil(({distance}) / {self._inner(step, depth, _MULTIPLY + 1)})", _PRIMARY

    def _infix(self, operands: tuple[Node, ...], sign: str, strength: int, depth: int) -> Shown:
        left = self._inner(operands[0], depth, strength)
        right = self._inner(operands[1], depth, strength + 1)
        return f"{left} {sign} {right}", strength

    def _element(self, address: Node, size: int, depth: int) -> str:
        base = base_of(address)
        if base is None:
            return f"*({self._inner(address, depth, 0)})"
        offset = self._values.algebra.subtract(address, base)
        return f"{self._symbol(base)}[{self._index(offset, size, depth)}]"

    def _index(self, offset: Node, size: int, depth: int) -> str:
        """A byte offset in elements."""
        algebra = self._values.algebra
        if isinstance(offset, Number) and offset.value % size == 0:
            return str(offset.value // size)
        if isinstance(offset, Sum) and not any(
            c % size for c in (offset.constant, *(c for _, c in offset.terms))
        ):
            terms = [(term, c // size) for term, c in offset.terms]
            assert isinstance(offset.type, IntTy)
            return self._inner(algebra.sum(terms, offset.type, offset.constant // size), depth, 0)
        return ELLIPSIS


def _number(node: Number) -> Shown:
    if isinstance(node.type, FloatTy):
        shown = f"{ConstantFloat(node.type, node.value).value:g}"
    else:
        shown = str(node.value)
    return shown, _UNARY if shown[0] == "-" else _PRIMARY


def _lane(place: str) -> str:
    """How OpenCL names a component of a vector (6.1.7)."""
    if not place:
        return ""
    return "xyzw"[int(place)] if int(place) < 4 else f"s{int(place):x}"


def _last(name: str) -> str:
    """Of ``kernel.tile``, the name of a local array, the part that the source writes."""
    return name.rpartition(".")[2] or name


def _type_name(node: Node) -> str:
    if isinstance(node.type, FloatTy):
        return {16: "half", 32: "float", 64: "double"}[node.type.bits]
    return {8: "char", 16: "short", 32: "int", 64: "long"}.get(node.type.bits, str(node.type))


def _source_name(name: str) -> str:
    """The variable of a name such as ``i.0``, which LLVM makes of a variable's; else empty."""
    stem, dot, _ = name.partition(".")
    return stem if dot and not _UNNAMED.match(stem) else ""
