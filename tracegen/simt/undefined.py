"""Follows what was never set through every value of a kernel, bit by bit.

The kernel is rewritten: beside each value there is another, of integers, whose bits are 1 where the
value's are not defined, and beside each load and store one of the memory's *shadow*, in which bytes
are kept the same way. A value may be undefined as long as nothing depends on it; it is an error
where it decides a branch, is an address or an operand of an atomic operation, goes to global memory
or out of the kernel (Stepanov and Serebryany, "MemorySanitizer: fast detector of uninitialized
memory use in C++", CGO 2015, section 3; carries spread upwards as in Seward and Nethercote, "Using
Valgrind to detect undefined value errors with bit-precision", USENIX 2005, section 2.3).

The new values are calls of ``kcc.undefined.*``, for which ``watching`` writes code, and plain
instructions named ``undef.*``.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from functools import lru_cache

from kcc.base.records import dataclass
from kcc.frontend.builtins.primitives import OF_WARPS, PrimitiveClass, primitive_of
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    AtomicRmw,
    Binary,
    Call,
    Cast,
    CompareExchange,
    CondBranch,
    ExtractElement,
    ExtractValue,
    GetElementPtr,
    InsertElement,
    InsertValue,
    IntCompare,
    Load,
    Phi,
    Select,
    ShuffleVector,
    Store,
    Switch,
    Unary,
)
from kcc.frontend.ir.intrinsics import IGNORED
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import AtomicOperation, Opcode
from kcc.frontend.ir.reader import read_module
from kcc.frontend.ir.types import (
    I1,
    I64,
    VOID,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
)
from kcc.frontend.ir.values import (
    ConstantAggregate,
    ConstantInt,
    ConstantVector,
    InstructionRef,
    Poison,
    Undef,
    Value,
)
from kcc.frontend.kernel import CompiledUnit, Kernel
from kcc.tracegen.simt.explicit import PREFIX as COPIED

PREFIX = "undef."
CALLS = "kcc.undefined."
_PLACE = re.compile(r", !dbg !\d+")
_BITWISE = (Opcode.AND, Opcode.OR, Opcode.XOR)
_CARRYING = (Opcode.ADD, Opcode.SUB, Opcode.MUL)
_SHIFTS = (Opcode.SHL, Opcode.LSHR, Opcode.ASHR)
_WIDENING = (Opcode.ZEXT, Opcode.SEXT, Opcode.TRUNC)
_POINTER_CASTS = (Opcode.PTRTOINT, Opcode.PTRTOADDR, Opcode.INTTOPTR, Opcode.ADDRSPACECAST)
_SENT = OF_WARPS | frozenset(
    {
        PrimitiveClass.VOTE, PrimitiveClass.IMAGE_READ,
        PrimitiveClass.IMAGE_WRITE, PrimitiveClass.PRINTF, PrimitiveClass.WORK_ITEM,
        PrimitiveClass.SUBGROUP, PrimitiveClass.SAMPLER, PrimitiveClass.IMAGE_QUERY,
        PrimitiveClass.MATRIX,
    }
)  # fmt: skip
"""Functions that other work-items, or the host, see the arguments of."""


@lru_cache(maxsize=64)
def watched(unit: CompiledUnit, kernel: Kernel) -> tuple[CompiledUnit, Kernel]:
    """The unit and the kernel with every value watched."""
    lines = unit.ir.split("\n")
    head = re.compile(rf'define .*@"?{re.escape(kernel.symbol)}"?\(')
    first = next(n for n, line in enumerate(lines) if head.match(line)) + 1
    last = lines.index("}", first)
    body = _Body(kernel.function)
    body.write(lines[first:last])
    declared = sorted(body.declared.values())
    text = "\n".join([*lines[:first], *body.lines, "}", *declared, *lines[last + 1 :]])
    module = read_module(text)
    function = next(f for f in module.kernels if f.name == kernel.function.name)
    return replace(unit, ir=text, module=module), replace(kernel, function=function)


def is_added(instruction: AnyInstruction) -> bool:
    """Whether an instruction is none of the kernel's own."""
    if isinstance(instruction, Call) and instruction.callee.startswith(CALLS):
        return True
    return instruction.name.startswith(PREFIX)


def shape(type_: IrType) -> IrType:
    """The type of what says which bits of a value are undefined."""
    match type_:
        case PtrTy():
            return I64
        case FloatTy():
            return IntTy(type_.bits)
        case VecTy(lanes, element):
            return VecTy(lanes, I64 if isinstance(element, PtrTy) else IntTy(element.bits))
        case ArrayTy(length, element):
            return ArrayTy(length, shape(element))
        case StructTy(fields):
            return replace(type_, fields=tuple(shape(f) for f in fields))
        case _:
            return type_


def _text(type_: IrType, *, undefined: bool) -> str:
    """A constant: all bits defined, or none."""
    match type_:
        case IntTy(1):
            return "true" if undefined else "false"
        case IntTy():
            return "-1" if undefined else "0"
        case _ if not undefined:
            return "zeroinitializer"
        case VecTy(lanes, element) | ArrayTy(lanes, element):
            each = f"{element} {_text(element, undefined=True)}"
            inner = ", ".join([each] * lanes)
            return f"<{inner}>" if isinstance(type_, VecTy) else f"[{inner}]"
        case StructTy(fields):
            inner = ", ".join(f"{f} {_text(f, undefined=True)}" for f in fields)
            return f"{{ {inner} }}"
        case _:
            raise AssertionError(f"no bits in {type_}")


def _is_undefined(value: Value) -> bool:
    match value:
        case Undef() | Poison():
            return True
        case ConstantVector() | ConstantAggregate():
            return any(_is_undefined(e) for e in value.elements)
        case _:
            return False


def _constant(value: Value) -> str:
    """What is undefined of a constant."""
    type_ = shape(value.type)
    match value:
        case Undef() | Poison():
            return _text(type_, undefined=True)
        case ConstantVector() | ConstantAggregate() if _is_undefined(value):
            inner = ", ".join(f"{shape(e.type)} {_constant(e)}" for e in value.elements)
            ends = {"VecTy": "<>", "ArrayTy": "[]"}.get(type(type_).__name__, "{}")
            return f"{ends[0]}{inner}{ends[1]}"
        case _:
            return _text(type_, undefined=False)


@dataclass(slots=True)
class _Body:
    """The lines of a function as they are rewritten."""

    function: Function
    lines: list[str] = field(default_factory=list[str])
    declared: dict[str, str] = field(default_factory=dict[str, str])
    place: str = ""
    count: int = 0
    dirty: set[int] = field(default_factory=set[int])
    """Instructions whose results may be undefined."""

    def write(self, source: list[str]) -> None:
        self._find_dirty()
        rest = iter(self.function.instructions)
        inside = False
        for number, line in enumerate(source):
            words = line.split(";", 1)[0].strip() if line.lstrip().startswith(";") else line.strip()
            if not words or inside or re.match(r'([-\w.$]+|"[^"]*"):', line):
                self.lines.append(line)
                inside = inside and words != "]" and not words.startswith("]")
                continue
            inside = words.endswith("[")
            instruction = next(rest)
            ends = (each for each in source[number:] if not inside or each.strip().startswith("]"))
            found = _PLACE.search(next(ends))
            self.place = found[0] if found else ""
            self._before(instruction)
            self.lines.append(line)
            self._after(instruction)

    def _find_dirty(self) -> None:
        """To a fixed point, for phis see what comes later."""
        before = -1
        while before != len(self.dirty):
            before = len(self.dirty)
            for each in self.function.instructions:
                if self._may_be_undefined(each):
                    self.dirty.add(each.index)

    def _may_be_undefined(self, each: AnyInstruction) -> bool:
        match each:
            case Load():
                return each.pointer.type in (PtrTy(0), PtrTy(1), PtrTy(3))
            case AtomicRmw() | CompareExchange():
                return False
            case Unary() if each.opcode is Opcode.FREEZE:
                return False
            case Call():
                return each.type != VOID and not _is_sent(each) and self._any_dirty(each.operands)
            case _:
                return each.type != VOID and self._any_dirty(each.operands)

    def _any_dirty(self, values: tuple[Value, ...]) -> bool:
        return any(self._is_dirty(v) for v in values)

    def _is_dirty(self, value: Value) -> bool:
        if isinstance(value, InstructionRef):
            return value.index in self.dirty
        return _is_undefined(value)

    # what is undefined of a value

    def of(self, value: Value) -> str:
        """The operand that says what is undefined of another."""
        if isinstance(value, InstructionRef) and value.index in self.dirty:
            return f"%{PREFIX}{value.index}"
        return _constant(value)

    def emit(self, text: str, name: str = "") -> str:
        """Write an instruction; gives the name of its result."""
        if not name:
            self.count += 1
            name = f"%{PREFIX}t{self.count}"
        self.lines.append(f"  {name} = {text}{self.place}")
        return name

    def _call(self, name: str, result: IrType, arguments: list[tuple[str, str]], to: str) -> None:
        shown = ", ".join(f"{t} {v}" for t, v in arguments)
        types = ", ".join(t for t, _ in arguments)
        self.declared[name] = f"declare {result} @{name}({types})"
        text = f"call {result} @{name}({shown})"
        if to:
            self.emit(text, to)
        else:
            self.lines.append(f"  {text}{self.place}")

    def any_bit(self, value: Value) -> str:
        """Whether a value has a bit that is undefined: an i1."""
        return self._any_of(shape(value.type), self.of(value))

    def _any_of(self, type_: IrType, text: str) -> str:
        match type_:
            case IntTy(1):
                return text
            case IntTy():
                return self.emit(f"icmp ne {type_} {text}, 0")
            case VecTy(lanes, element):
                suffix = f"v{lanes}{element}"
                name = f"llvm.vector.reduce.or.{suffix}"
                self.declared[name] = f"declare {element} @{name}({type_})"
                return self._any_of(element, self.emit(f"call {element} @{name}({type_} {text})"))
            case StructTy() | ArrayTy():
                kinds = (
                    type_.fields if isinstance(type_, StructTy) else (type_.element,) * type_.length
                )
                total = "false"
                for number, kind in enumerate(kinds):
                    part = self.emit(f"extractvalue {type_} {text}, {number}")
                    total = self.emit(f"or i1 {total}, {self._any_of(kind, part)}")
                return total
            case _:
                raise AssertionError(f"no bits in {type_}")

    def check(self, value: Value, use: str) -> None:
        """Stop where a value is undefined."""
        if self._is_dirty(value):
            self._call(f"{CALLS}check.{use}", VOID, [("i1", self.any_bit(value))], "")

    # instructions

    def _before(self, each: AnyInstruction) -> None:
        """What must not depend on undefined values."""
        match each:
            case Load():
                self.check(each.pointer, "address")
            case Store():
                self.check(each.pointer, "address")
                if each.pointer.type == PtrTy(1) and not _is_copied(self.function, each):
                    self.check(each.value, "stored")
            case AtomicRmw() | CompareExchange():
                self.check(each.pointer, "address")
                for operand in each.operands[1:]:
                    self.check(operand, "atomic")
                if not (isinstance(each, AtomicRmw) and each.operation is AtomicOperation.XCHG):
                    self._check_memory(each)
            case CondBranch() | Switch():
                self.check(each.operands[0], "branch")
            case Call() if _is_sent(each):
                for operand in each.operands:
                    self.check(operand, "argument")
            case _:
                pass

    def _check_memory(self, each: AtomicRmw | CompareExchange) -> None:
        type_ = each.value.type if isinstance(each, AtomicRmw) else each.new.type
        if each.pointer.type not in (PtrTy(0), PtrTy(1), PtrTy(3)):
            return
        self.count += 1
        name = f"%{PREFIX}t{self.count}"
        self._load(each.pointer, shape(type_), name)
        text = self._any_of(shape(type_), name)
        self._call(f"{CALLS}check.atomic", VOID, [("i1", text)], "")

    def _after(self, each: AnyInstruction) -> None:
        match each:
            case Store():
                self._store(each.pointer, shape(each.value.type), self.of(each.value))
            case AtomicRmw():
                type_ = shape(each.value.type)
                self._store(each.pointer, type_, _text(type_, undefined=False))
            case CompareExchange():
                type_ = shape(each.new.type)
                self._store(each.pointer, type_, _text(type_, undefined=False))
            case Load() if each.index in self.dirty:
                self._load(each.pointer, shape(each.type), f"%{PREFIX}{each.index}")
            case _ if each.index in self.dirty:
                self._result(each)
            case _:
                pass

    def _load(self, pointer: Value, type_: IrType, name: str) -> None:
        space = pointer.type.space if isinstance(pointer.type, PtrTy) else 0
        function = f"{CALLS}load.{_word(type_)}.p{space}"
        self._call(function, type_, [(str(pointer.type), str(pointer))], name)

    def _store(self, pointer: Value, type_: IrType, text: str) -> None:
        space = pointer.type.space if isinstance(pointer.type, PtrTy) else 0
        function = f"{CALLS}store.{_word(type_)}.p{space}"
        self._call(function, VOID, [(str(pointer.type), str(pointer)), (str(type_), text)], "")

    def _result(self, each: AnyInstruction) -> None:
        """Define what is undefined of a result."""
        name, type_ = f"%{PREFIX}{each.index}", shape(each.type)
        match each:
            case Phi():
                blocks = self.function.blocks
                ways = ", ".join(
                    f"[ {self.of(v)}, {_label(blocks[b].label)} ]"
                    for v, b in zip(each.operands, each.incoming, strict=True)
                )
                self.emit(f"phi {type_} {ways}", name)
            case Binary() if each.opcode in (*_BITWISE, *_CARRYING, *_SHIFTS):
                self._binary(each, name, str(type_))
            case Unary():
                text = self.of(each.operands[0])
                self.emit(f"or {type_} {text}, {_text(type_, undefined=False)}", name)
            case Cast() if each.opcode in (*_WIDENING, *_POINTER_CASTS, Opcode.BITCAST):
                self._cast(each, name, type_)
            case Select():
                self._select(each, name, type_)
            case IntCompare() if each.predicate.value in ("eq", "ne"):
                self._equal(each, name)
            case ExtractElement() | InsertElement() if not isinstance(
                each.operands[-1], ConstantInt
            ):
                self._spread(each, name, type_)
            case (
                ExtractElement() | InsertElement() | ShuffleVector() | ExtractValue()
                | InsertValue()
            ):  # fmt: skip
                self.emit(self._rearranged(each), name)
            case GetElementPtr():
                self._spread(each, name, type_)
            case _:
                self._spread(each, name, type_)

    def _binary(self, each: Binary, name: str, type_: str) -> None:
        a, b = each.left, each.right
        ua, ub = self.of(a), self.of(b)
        either = self.emit(f"or {type_} {ua}, {ub}")
        ones = _text(shape(each.type), undefined=True)
        if each.opcode in _SHIFTS:
            moved = self.emit(f"{each.opcode.word} {type_} {ua}, {b}")
            wide = self._lanes_undefined(shape(each.type), ub)
            self.emit(f"or {type_} {moved}, {wide}", name)
        elif each.opcode in _CARRYING:
            upwards = self.emit(f"sub {type_} {_text(shape(each.type), undefined=False)}, {either}")
            self.emit(f"or {type_} {either}, {upwards}", name)
        elif each.opcode is Opcode.XOR:
            self.emit(f"or {type_} {either}, {either}", name)
        else:  # a defined 0 makes the bit of an and defined, a defined 1 that of an or
            left, right = str(a), str(b)
            if each.opcode is Opcode.OR:
                left, right = (self.emit(f"xor {type_} {v}, {ones}") for v in (left, right))
            open_a, open_b = (
                self.emit(f"or {type_} {v}, {u}") for v, u in ((left, ua), (right, ub))
            )
            both = self.emit(f"and {type_} {open_a}, {open_b}")
            self.emit(f"and {type_} {both}, {either}", name)

    def _lanes_undefined(self, type_: IrType, text: str) -> str:
        """All bits of each element that has an undefined one."""
        flags = VecTy(type_.lanes, I1) if isinstance(type_, VecTy) else I1
        zero = _text(type_, undefined=False)
        found = self.emit(f"icmp ne {type_} {text}, {zero}")
        return self.emit(f"sext {flags} {found} to {type_}") if type_ != flags else found

    def _cast(self, each: Cast, name: str, type_: IrType) -> None:
        source, text = shape(each.operand.type), self.of(each.operand)
        if source == type_:
            self.emit(f"or {type_} {text}, {_text(type_, undefined=False)}", name)
        elif each.opcode is Opcode.BITCAST:
            self.emit(f"bitcast {source} {text} to {type_}", name)
        else:
            word = each.opcode.word
            if each.opcode in _POINTER_CASTS:
                word = "trunc" if _bits(source) > _bits(type_) else "zext"
            self.emit(f"{word} {source} {text} to {type_}", name)

    def _select(self, each: Select, name: str, type_: IrType) -> None:
        condition, then, otherwise = each.operands
        kind = condition.type
        rest = f"{type_} {self.of(then)}, {type_} {self.of(otherwise)}"
        if not self._is_dirty(condition):
            self.emit(f"select {kind} {condition}, {rest}", name)
            return
        chosen = self.emit(f"select {kind} {condition}, {rest}")
        ones = _text(type_, undefined=True)
        self.emit(f"select {kind} {self.of(condition)}, {type_} {ones}, {type_} {chosen}", name)

    def _equal(self, each: IntCompare, name: str) -> None:
        """Defined as soon as defined bits differ."""
        type_, kind = each.left.type, shape(each.left.type)
        flags = VecTy(kind.lanes, I1) if isinstance(kind, VecTy) else I1
        ua, ub = self.of(each.left), self.of(each.right)
        either = self.emit(f"or {kind} {ua}, {ub}")
        zero = _text(kind, undefined=False)
        some = self.emit(f"icmp ne {kind} {either}, {zero}")
        if kind != type_:
            self.emit(f"or {flags} {some}, {_text(flags, undefined=False)}", name)
            return
        differ = self.emit(f"xor {kind} {each.left}, {each.right}")
        known = self.emit(f"xor {kind} {either}, {_text(kind, undefined=True)}")
        decided = self.emit(f"and {kind} {differ}, {known}")
        open_ = self.emit(f"icmp eq {kind} {decided}, {zero}")
        self.emit(f"and {flags} {some}, {open_}", name)

    def _rearranged(
        self,
        each: ExtractElement | InsertElement | ShuffleVector | ExtractValue | InsertValue,
    ) -> str:
        word = each.opcode.word
        shown = [f"{shape(o.type)} {self.of(o)}" for o in each.operands]
        match each:
            case ExtractElement() | InsertElement():
                place = each.operands[-1]
                return f"{word} {', '.join(shown[:-1])}, {place.type} {place}"
            case ShuffleVector():
                mask = ", ".join(f"i32 {0 if m is None else m}" for m in each.mask)
                return f"{word} {', '.join(shown)}, <{len(each.mask)} x i32> <{mask}>"
            case ExtractValue() | InsertValue():
                return f"{word} {', '.join(shown)}, {', '.join(map(str, each.indices))}"

    def _spread(self, each: AnyInstruction, name: str, type_: IrType) -> None:
        """An undefined bit anywhere makes everything undefined, lane by lane where the operands
        have as many lanes as the result."""
        given = [o for o in each.operands if self._is_dirty(o)]
        lanes = type_.lanes if isinstance(type_, VecTy) else 0
        if lanes and all(isinstance(o.type, VecTy) and o.type.lanes == lanes for o in given):
            flags, total = VecTy(lanes, I1), "zeroinitializer"
            for operand in given:
                kind = shape(operand.type)
                some = self.emit(f"icmp ne {kind} {self.of(operand)}, zeroinitializer")
                total = self.emit(f"or {flags} {total}, {some}")
        else:
            flags, total = I1, "false"
            for operand in given:
                total = self.emit(f"or i1 {total}, {self.any_bit(operand)}")
        ones, zero = _text(type_, undefined=True), _text(type_, undefined=False)
        self.emit(f"select {flags} {total}, {type_} {ones}, {type_} {zero}", name)


def _is_sent(call: Call) -> bool:
    """Whether arguments of a call are seen outside the work-item."""
    if call.callee.startswith(IGNORED):
        return False
    primitive = primitive_of(call.callee)
    return primitive is not None and primitive.primitive_class in _SENT


def _is_copied(function: Function, store: Store) -> bool:
    """Whether a store belongs to a copy of whole structs, whose gaps need not be set."""
    value = store.value
    if not isinstance(value, InstructionRef):
        return False
    return function.instructions[value.index].name.startswith(COPIED)


def _bits(type_: IrType) -> int:
    element = type_.element if isinstance(type_, VecTy) else type_
    assert isinstance(element, IntTy)
    return element.bits


def _word(type_: IrType) -> str:
    return re.sub(r"\W+", "_", str(type_)).strip("_")


def _label(name: str) -> str:
    return f"%{name}" if re.fullmatch(r"[-\w.$]+", name) else f'%"{name}"'
