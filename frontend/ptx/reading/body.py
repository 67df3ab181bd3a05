"""The statements of a kernel, one after another: blocks, branches, predicates.

A predicated instruction that only computes is done always, and its result chosen; others stand in a
block of their own, together with neighbours under the same predicate.
"""

from __future__ import annotations

from collections.abc import Callable

from kcc.frontend.ptx.reading import (
    arithmetic,
    bits,
    convert,
    fragments,
    lanes,
    matrices,
    memory,
    textures,
)
from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.model import (
    Address,
    CallOf,
    Guard,
    Instruction,
    Label,
    Negated,
    Operand,
    Register,
    Several,
    Statement,
    Symbol,
    UnrollPragma,
)
from kcc.frontend.ptx.reading.pointers import results_of
from kcc.frontend.ptx.reading.writer import Writer, plain

_PURE: dict[str, Handler] = {**arithmetic.HANDLERS, **bits.HANDLERS, **convert.HANDLERS}
HANDLERS: dict[str, Handler] = {
    **_PURE, **memory.HANDLERS, **lanes.HANDLERS, **matrices.HANDLERS, **fragments.HANDLERS,
    **textures.HANDLERS,
}  # fmt: skip
"""What each instruction becomes, by the first word of its opcode."""

_CONTROL = {"bra", "brx", "ret", "exit", "trap", "brkpt"}
LEAVE = "leave"
"""The label of the kernel's end."""

Locate = Callable[[Instruction], str]
"""The ``, !dbg !N`` of an instruction."""


def write_body(w: Writer, locate: Locate, loop: Callable[[], str]) -> None:
    """All statements; ``loop`` gives the metadata of a loop that is not to be unrolled."""
    _Body(w, locate, loop).write()


class _Body:
    def __init__(self, w: Writer, locate: Locate, loop: Callable[[], str]) -> None:
        self.w, self.locate, self.loop = w, locate, loop
        self.seen, self.kept = set[str](), set[str]()
        self.pragma = False
        self.labels = {s.name for s in w.flat.body if isinstance(s, Label)}

    def write(self) -> None:
        body, here = self.w.flat.body, 0
        while here < len(body):
            here = self.statement(body, here)
        if not self.w.ended:
            self.w.jump(LEAVE)
        self.w.lines += [f"{LEAVE}:", f"  ret void{self.w.place}"]

    def statement(self, body: list[Statement], here: int) -> int:
        """Write what stands at ``here``; gives where to go on."""
        item = body[here]
        match item:
            case Label(name):
                self.w.label(label(name))
                self.seen.add(name)
                if self.pragma:
                    self.kept.add(name)
                self.pragma = False
            case UnrollPragma():  # of the block that it stands in, or that follows
                before = body[here - 1] if here else None
                if isinstance(before, Label):
                    self.kept.add(before.name)
                else:
                    self.pragma = True
            case Instruction():
                if self.w.ended:  # nothing comes here: what follows has no label
                    self.w.label(self.w.fresh("lost"))
                return self.instruction(body, here, item)
            case CallOf():
                raise AssertionError("calls are inlined")
        return here + 1

    def enter(self, item: Instruction) -> None:
        self.w.at, self.w.place = item.at, self.locate(item)

    def instruction(self, body: list[Statement], here: int, item: Instruction) -> int:
        self.enter(item)
        if item.words[0] in _CONTROL:
            self.control(item)
            return here + 1
        if item.guard is None:
            self.plain(item)
            return here + 1
        run, end = _run(body, here, item.guard)
        guarded = [i for i in run if i.guard is not None]
        if all(_is_pure(i) for i in guarded):
            for each in run:
                self.enter(each)
                self.w.condition = self.w.guard(each.guard) if each.guard else ""
                self.plain(each)
            self.w.condition = ""
            return end
        for each in run:
            if each.guard is None:
                self.enter(each)
                self.plain(each)
        self.enter(guarded[0])
        inside, after = self.w.fresh("if"), self.w.fresh("endif")
        self.w.branch(self.w.guard(item.guard), inside, after)
        self.w.label(inside)
        for each in guarded:
            self.enter(each)
            self.plain(each)
        self.w.label(after)
        return end

    def plain(self, item: Instruction) -> None:
        handler = HANDLERS.get(item.words[0])
        if handler is None:
            raise self.w.refuse(f"'{item.opcode}' is not supported")
        handler(self.w, item)

    # control flow

    def control(self, item: Instruction) -> None:
        w = self.w
        match item.words[0]:
            case "bra":
                (target,) = w.operands(item, 1)
                self.go(item, self.target(target))
            case "brx":
                self.switch(item)
            case _:
                self.go(item, LEAVE)

    def target(self, operand: Operand) -> str:
        if not isinstance(operand, Symbol) or operand.name not in self.labels:
            raise self.w.refuse("a branch goes to a label", "K430")
        return label(operand.name)

    def go(self, item: Instruction, target: str) -> None:
        w = self.w
        name = (
            item.operands[0].name if item.operands and isinstance(item.operands[0], Symbol) else ""
        )
        place = w.place
        if name in self.seen and name in self.kept:
            w.place += f", !llvm.loop {self.loop()}"
        if item.guard is None:
            w.jump(target)
            return
        after = w.fresh("next")
        tail, w.place = w.place, place
        value = w.guard(item.guard)
        w.place = tail
        w.branch(value, target, after)
        w.place = place
        w.label(after)

    def switch(self, item: Instruction) -> None:
        w = self.w
        index, table = w.operands(item, 2)
        names = w.flat.tables.get(table.name, ()) if isinstance(table, Symbol) else ()
        if not names:
            raise w.refuse("the table of a branch is not declared", "K430")
        targets = [self.target(Symbol(n)) for n in names]
        after = w.fresh("next")
        if item.guard is not None:
            taken = w.fresh("table")
            w.branch(w.guard(item.guard), taken, after)
            w.label(taken)
        value = w.read(index, "i32")
        cases = " ".join(f"i32 {n}, label %{t}" for n, t in enumerate(targets[:-1]))
        w.line(f"switch i32 {value}, label %{targets[-1]} [ {cases} ]")
        w.ended = True
        if item.guard is not None:
            w.label(after)


def label(name: str) -> str:
    """A label of PTX in the dialect."""
    return f"L.{plain(name)}"


def _is_pure(item: Instruction) -> bool:
    return item.words[0] in _PURE and "cc" not in item.words


def _run(body: list[Statement], here: int, guard: Guard) -> tuple[list[Instruction], int]:
    """What stands from ``here`` on under one predicate, with what is computed between and may as
    well be before; and where that ends."""
    found, end = list[Instruction](), here
    reads, writes = set[str](), set[str]()
    pending = list[Instruction]()
    for index in range(here, len(body)):
        item = body[index]
        if not isinstance(item, Instruction) or item.words[0] in _CONTROL:
            break
        results, sources = _written(item), _read(item)
        if item.guard == guard:
            found += [*pending, item]
            pending.clear()
            end = index + 1
            writes |= results
            reads |= sources
            if guard.register in results:
                break
        elif item.guard is None and _is_pure(item):
            if results & (reads | writes | {guard.register}) or sources & writes:
                break
            pending.append(item)
        else:
            break
    return found, end


def _names(operand: Operand) -> set[str]:
    match operand:
        case Register(name):
            return {name}
        case Negated(register):
            return {register.name}
        case Several(parts):
            return set[str]().union(*map(_names, parts))
        case Address(base, _, rest):
            return set[str]().union(*map(_names, (base, *rest)))
        case _:
            return set()


def _written(item: Instruction) -> set[str]:
    return set[str]().union(*map(_names, results_of(item)))


def _read(item: Instruction) -> set[str]:
    return set[str]().union(*map(_names, item.operands))
