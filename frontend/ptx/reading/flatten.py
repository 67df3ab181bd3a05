"""Calls of device functions in place: one body per kernel.

Registers, variables and labels of a callee get names of their own at each call. What goes through
``.param`` variables becomes moves between registers, one for each place in such a variable, so that
types and pointers are seen across calls.
"""

from __future__ import annotations

from dataclasses import field, replace

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.frontend.ptx.reading.model import (
    SIZES,
    Address,
    CallOf,
    Function,
    Guard,
    Instruction,
    Integer,
    Label,
    Module,
    Negated,
    Operand,
    Register,
    Several,
    SourceLine,
    Statement,
    Symbol,
    Variable,
)
from kcc.frontend.ptx.reading.tokens import Places

_LARGEST = 400_000
"""Statements with every call in its place."""

_ENDING = ("__assertfail", "__assert_fail", "__trap")
"""Functions that end the kernel."""

_SILENT = ("vprintf",)
"""Functions whose call is left out, with a warning; their result is 0."""


@dataclass(slots=True)
class Flat:
    """A kernel without calls."""

    kernel: Function
    registers: dict[str, str]
    variables: dict[str, Variable]
    tables: dict[str, tuple[str, ...]]
    body: list[Statement] = field(default_factory=list[Statement])
    silent: set[str] = field(default_factory=set[str])
    """Functions whose calls were left out."""


def flatten(kernel: Function, module: Module, places: Places) -> Flat:
    """A kernel with the bodies of what it calls. Raises :class:`DiagnosticError`: K415 for a
    function without a body, K416 for recursion and calls through registers, K431 for what is not
    supported."""
    flat = Flat(kernel, dict(kernel.registers), dict(kernel.variables), dict(kernel.tables))
    _Inliner(module, places, flat).add(kernel, "", {}, (kernel.name,), None)
    return flat


class _Inliner:
    def __init__(self, module: Module, places: Places, flat: Flat) -> None:
        self.module, self.places, self.flat, self.calls = module, places, flat, 0
        self.known = dict[str, _Names]()

    def names(self, function: Function) -> _Names:
        if function.name not in self.known:
            self.known[function.name] = _Names.of(function)
        return self.known[function.name]

    def fail(self, code: str, message: str, at: int) -> DiagnosticError:
        return DiagnosticError([Diagnostic(code, message, self.places.span(at))])

    def add(
        self,
        function: Function,
        prefix: str,
        bound: dict[str, str],
        path: tuple[str, ...],
        after: str | None,
    ) -> None:
        """Add the body of a function; ``bound`` says which cells its parameters are, ``after`` is
        the label after its call."""
        for item in function.body:
            if len(self.flat.body) > _LARGEST:
                raise self.fail("K431", "the kernel is too large with its calls in place", item.at)
            match item:
                case CallOf():
                    self.call(item, prefix, bound, path)
                case Instruction():
                    self.instruction(function, item, prefix, bound, after)
                case Label():
                    self.flat.body.append(Label(prefix + item.name, item.at))
                case _:
                    self.flat.body.append(item)

    def instruction(
        self,
        function: Function,
        item: Instruction,
        prefix: str,
        bound: dict[str, str],
        after: str | None,
    ) -> None:
        operands = tuple(_renamed(o, prefix, self.names(function)) for o in item.operands)
        guard = item.guard and replace(item.guard, register=prefix + item.guard.register)
        item = replace(item, operands=operands, guard=guard)
        space = next((w for w in item.words[1:] if w.startswith("param")), None)
        if item.words[0] in ("ld", "st") and space is not None:
            moved = self.through_cells(function, item, prefix, bound)
            if moved is not None:
                self.flat.body += moved
                return
        if after is not None and item.words[0] == "ret":
            self.flat.body.append(replace(item, words=("bra",), operands=(Symbol(after),)))
            return
        self.flat.body.append(item)

    def through_cells(
        self, function: Function, item: Instruction, prefix: str, bound: dict[str, str]
    ) -> list[Statement] | None:
        """A load or store of a ``.param`` variable as moves; None for a kernel's own parameter."""
        if len(item.operands) < 2:
            raise self.fail("K430", f"'{item.opcode}' has another number of operands", item.at)
        place = item.operands[1 if item.words[0] == "ld" else 0]
        value = item.operands[0 if item.words[0] == "ld" else 1]
        if not isinstance(place, Address):
            return None
        if not isinstance(place.base, Symbol):
            if function.is_entry:
                return None
            message = "a parameter of a device function at a computed address is not supported"
            raise self.fail("K431", message, item.at)
        name = place.base.name
        if not prefix and any(p.name == name for p in function.parameters) and function.is_entry:
            return None
        base = bound.get(name, name if name.startswith(prefix) else prefix + name)
        size = SIZES.get(item.type)
        if size is None:
            raise self.fail("K431", f"'{item.opcode}' is not supported", item.at)
        parts = value.parts if isinstance(value, Several) else (value,)
        found = list[Statement]()
        for number, part in enumerate(parts):
            cell = Register(f"%{base}+{place.offset + number * size}")
            self.flat.registers.setdefault(cell.name, f"b{size * 8}" if size > 1 else "b16")
            pair = (part, cell) if item.words[0] == "ld" else (cell, part)
            found.append(replace(item, words=("mov", item.type), operands=pair))
        return found

    def call(
        self,
        item: CallOf,
        prefix: str,
        bound: dict[str, str],
        path: tuple[str, ...],
    ) -> None:
        callee = self.module.functions.get(item.function)
        if item.function.startswith("%"):
            raise self.fail("K416", "a function is called through a register", item.at)
        guard = item.guard and replace(item.guard, register=prefix + item.guard.register)
        if item.function in _ENDING:
            self.plain(("exit",), (), item, guard)
            return
        if item.function in _SILENT:
            self.flat.silent.add(item.function)
            for result in item.results:
                cell = self.cell(result, prefix, bound)
                self.flat.registers.setdefault(f"{cell}+0", "b32")
                self.plain(("mov", "b32"), (Register(f"{cell}+0"), _ZERO), item, None)
            return
        if callee is None or not callee.is_defined:
            raise self.fail("K415", f"'{item.function}' is called and not defined here", item.at)
        if item.function in path:
            raise self.fail("K416", f"'{item.function}' calls itself", item.at)
        self.calls += 1
        inner, label = f"c{self.calls}.", f"$after.{self.calls}"
        if guard is not None:
            skip = Guard(guard.register, not guard.negated)
            self.plain(("bra",), (Symbol(label),), item, skip)
        names = self.bind(callee, item, prefix, inner, bound)
        self.flat.registers.update({_inner(k, inner): v for k, v in callee.registers.items()})
        self.flat.variables.update({inner + k: v for k, v in callee.variables.items()})
        self.flat.tables.update(
            {inner + k: tuple(inner + n for n in v) for k, v in callee.tables.items()}
        )
        self.add(callee, inner, names, (*path, item.function), label)
        self.flat.body.append(Label(label, item.at))
        self.give_back(callee, item, prefix, inner)

    def bind(
        self, callee: Function, item: CallOf, prefix: str, inner: str, bound: dict[str, str]
    ) -> dict[str, str]:
        """The cells of a callee's parameters and results; values go there by moves."""
        formal, given = callee.parameters, item.arguments
        if len(formal) != len(given) or len(callee.results) != len(item.results):
            message = f"'{callee.name}' is called with other arguments than it has"
            raise self.fail("K430", message, item.at)
        names = dict[str, str]()
        for variable, operand in zip(formal, given, strict=True):
            operand = _renamed(operand, prefix, None)
            if variable.space == "reg":
                target = Register(_inner(variable.name, inner))
                self.plain(("mov", variable.type), (target, operand), item, None)
            elif isinstance(operand, Symbol):
                names[variable.name] = bound.get(operand.name, operand.name)
            else:
                names[variable.name] = inner + variable.name
                cell = Register(f"%{inner}{variable.name}+0")
                self.flat.registers[cell.name] = variable.type
                self.plain(("mov", variable.type), (cell, operand), item, None)
        for variable, operand in zip(callee.results, item.results, strict=True):
            if variable.space != "reg" and isinstance(operand, Symbol):
                renamed = _renamed(operand, prefix, None)
                assert isinstance(renamed, Symbol)
                names[variable.name] = bound.get(operand.name, renamed.name)
            elif variable.space != "reg":
                names[variable.name] = inner + variable.name
        return names

    def give_back(self, callee: Function, item: CallOf, prefix: str, inner: str) -> None:
        """Results that the caller takes in registers."""
        for variable, operand in zip(callee.results, item.results, strict=True):
            if not isinstance(operand, Register):
                continue
            name = f"%{inner}{variable.name}+0"
            source = Register(_inner(variable.name, inner) if variable.space == "reg" else name)
            target = _renamed(operand, prefix, None)
            self.plain(("mov", variable.type), (target, source), item, None)

    def cell(self, operand: Operand, prefix: str, bound: dict[str, str]) -> str:
        renamed = _renamed(operand, prefix, None)
        name = renamed.name if isinstance(renamed, Symbol) else "nothing"
        return f"%{bound.get(name, name)}"

    def plain(
        self,
        words: tuple[str, ...],
        operands: tuple[Operand, ...],
        item: CallOf,
        guard: Guard | None,
    ) -> None:
        line: SourceLine | None = item.line
        self.flat.body.append(Instruction(words, guard, operands, item.at, line))


def _inner(name: str, prefix: str) -> str:
    return prefix + name


@dataclass(frozen=True, slots=True)
class _Names:
    """What belongs to a function: its registers, and its variables and labels."""

    registers: frozenset[str]
    symbols: frozenset[str]

    @staticmethod
    def of(function: Function) -> _Names:
        labels = {s.name for s in function.body if isinstance(s, Label)}
        symbols = labels | set(function.variables) | set(function.tables)
        return _Names(frozenset(function.registers), frozenset(symbols))


def _renamed(operand: Operand, prefix: str, own: _Names | None) -> Operand:
    """An operand of a callee; variables of the module and special registers keep their names.
    Without ``own`` every name is the function's."""
    if not prefix:
        return operand
    match operand:
        case Register(name):
            return operand if own and name not in own.registers else Register(prefix + name)
        case Negated(register):
            return Negated(Register(prefix + register.name))
        case Symbol(name, offset):
            return operand if own and name not in own.symbols else Symbol(prefix + name, offset)
        case Several(parts, paired):
            return Several(tuple(_renamed(p, prefix, own) for p in parts), paired)
        case Address(base, offset, rest):
            inner = _renamed(base, prefix, own)
            assert isinstance(inner, Register | Symbol | Integer)
            return Address(inner, offset, tuple(_renamed(r, prefix, own) for r in rest))
        case _:
            return operand


_ZERO = Integer(0)
