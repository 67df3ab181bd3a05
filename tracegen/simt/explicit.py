"""memcpy, memset and memmove made into loads and stores before a kernel is laid out.

Compilers make them of loops and of copies of structs (clang more than kcc's own front end). As
calls they would leave no trace and hide from the race detector; GPU compilers expand them too. Up
to :data:`UNROLLED` elements become straight code, more become a loop. Elements are words where size
and alignment allow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field, replace
from functools import lru_cache

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import COPIED, COPYING, Binary, Call
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.reader import read_module
from kcc.frontend.ir.values import ConstantInt, InstructionRef, Value
from kcc.frontend.kernel import CompiledUnit, Kernel

UNROLLED = 16
"""A struct of 64 bytes is still copied without a loop."""

PREFIX = COPIED

_CALL = re.compile(
    r"\s*(?:tail |musttail |notail )?call void @llvm\.mem(set|cpy|move)\b.*?(, !dbg !\d+)?$"
)
_LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')


@lru_cache(maxsize=64)
def explicit_memory(unit: CompiledUnit, kernel: Kernel) -> tuple[CompiledUnit, Kernel]:
    """The unit and the kernel without such calls; as given where there are none."""
    calls = [i for i in kernel.function.instructions if isinstance(i, Call) and _is_bulk(i)]
    if not calls:
        return unit, kernel
    lines = unit.ir.split("\n")
    head = re.compile(rf'define .*@"?{re.escape(kernel.symbol)}"?\(')
    first = next(n for n, line in enumerate(lines) if head.match(line)) + 1
    last = lines.index("}", first)
    body = _Body(kernel.function, iter(calls))
    body.write(lines[first:last])
    text = "\n".join([*lines[:first], *body.lines, *lines[last:]])
    module = read_module(text)
    function = next(f for f in module.kernels if f.name == kernel.function.name)
    return replace(unit, ir=text, module=module), replace(kernel, function=function)


def _is_bulk(call: Call) -> bool:
    return call.callee.startswith(("llvm.memset", "llvm.memcpy", "llvm.memmove"))


def _prefix(call: Call) -> str:
    """Of a volatile copy from global to local memory, as PTX's front end writes asynchronous ones,
    another one than of others."""
    target, source, _, volatile = call.operands
    spaces = str(target.type), str(source.type)
    into_shared = spaces == ("ptr addrspace(3)", "ptr addrspace(1)")
    is_volatile = isinstance(volatile, ConstantInt) and volatile.value != 0
    return COPYING if is_volatile and into_shared else PREFIX


@dataclass(slots=True)
class _Body:
    """The lines of a function as they are rewritten."""

    function: Function
    calls: Iterator[Call]
    lines: list[str] = field(default_factory=list[str])
    block: str = ""
    """The block that is being written, and in the source's text."""
    origin: str = ""
    ends: dict[str, str] = field(default_factory=dict[str, str])
    """Blocks that were cut: what leaves them now leaves from another."""
    count: int = 0

    def write(self, source: list[str]) -> None:
        own = list[int]()
        for line in source:
            label, call = _LABEL.match(line), _CALL.match(line)
            if label:
                self.block = self.origin = label[1]
            if call:
                self._expand(next(self.calls), call[2] or "")
            else:
                own.append(len(self.lines))
                self.lines.append(line)
        for number in own:
            if " = phi " in self.lines[number]:
                self.lines[number] = re.sub(
                    r'%([-\w.$]+|"[^"]*") \]', self._way, self.lines[number]
                )

    def _way(self, match: re.Match[str]) -> str:
        return f"%{self.ends.get(match[1], match[1])} ]"

    def _expand(self, call: Call, place: str) -> None:
        kind = call.callee.split(".")[1]
        step = self._step(call, kind)
        size = call.operands[2]
        copy = _Copy(self, call, kind, step, f"{_prefix(call)}{self.count}", place)
        self.count += 1
        if isinstance(size, ConstantInt) and size.value <= UNROLLED * step:
            copy.write_straight(size.value // step)
        else:
            copy.write_loop()

    def _step(self, call: Call, kind: str) -> int:
        """Bytes of an element. A copy of 8 or 16 bytes at such an address is one access."""
        pointers = call.argument_attributes[: 1 if kind == "memset" else 2]
        known = [p.alignment_bytes or 1 for p in pointers] + [self._multiple(call.operands[2])]
        size = call.operands[2]
        if kind != "memset" and isinstance(size, ConstantInt) and 8 <= size.value <= min(known):
            return size.value if size.value in (8, 16) else 4
        return next(s for s in (4, 2, 1) if all(k % s == 0 for k in known))

    def _multiple(self, size: Value) -> int:
        """A number that a size is a multiple of."""
        if isinstance(size, ConstantInt):
            return size.value or 4
        if not isinstance(size, InstructionRef):
            return 1
        made = self.function.instructions[size.index]
        if isinstance(made, Binary) and isinstance(made.right, ConstantInt):
            if made.opcode is Opcode.SHL:
                return 1 << made.right.value
            if made.opcode is Opcode.MUL:
                return made.right.value or 1
        return 1


@dataclass(slots=True)
class _Copy:
    """Writes one expansion."""

    body: _Body
    call: Call
    kind: str
    step: int
    name: str
    place: str

    @property
    def element(self) -> str:
        return f"i{8 * self.step}" if self.step <= 4 else f"<{self.step // 4} x i32>"

    def emit(self, text: str) -> None:
        self.body.lines.append(f"  {text}{self.place}")

    def write_straight(self, count: int) -> None:
        """All loads before all stores, so that it does for memmove too."""
        fill = self._fill()
        places = [str(n * self.step) for n in range(count)]
        values = [fill or self._load(p, str(n)) for n, p in enumerate(places)]
        for number, value in enumerate(values):
            self._store(places[number], value, str(number))

    def write_loop(self) -> None:
        """``for (i = 0; i < size; i += step)``; memmove goes backwards where the target lies
        after the source."""
        name, size, fill = self.name, self._size(), self._fill()
        before = self.body.block
        is_later = self._is_later() if self.kind == "memmove" else None
        self.emit(f"br label %{name}.head")
        self._open(f"{name}.head")
        ways = f"[ 0, %{before} ], [ %{name}.next, %{name}.body ]"
        self.emit(f"%{name}.i = phi i64 {ways}")
        self.emit(f"%{name}.more = icmp ult i64 %{name}.i, {size}")
        self.emit(f"br i1 %{name}.more, label %{name}.body, label %{name}.end")
        self._open(f"{name}.body")
        at = f"%{name}.i"
        if is_later is not None:
            self.emit(f"%{name}.left = sub i64 {size}, %{name}.i")
            self.emit(f"%{name}.back = sub i64 %{name}.left, {self.step}")
            self.emit(f"%{name}.at = select i1 {is_later}, i64 %{name}.back, i64 %{name}.i")
            at = f"%{name}.at"
        self._store(at, fill or self._load(at, "x"), "x")
        self.emit(f"%{name}.next = add i64 %{name}.i, {self.step}")
        self.emit(f"br label %{name}.head")
        self._open(f"{name}.end")
        self.body.block = f"{name}.end"
        self.body.ends[self.body.origin] = f"{name}.end"

    def _open(self, label: str) -> None:
        self.body.lines.append(f"{label}:")

    def _size(self) -> str:
        size = self.call.operands[2]
        if str(size.type) == "i64":
            return str(size)
        self.emit(f"%{self.name}.size = zext {size.type} {size} to i64")
        return f"%{self.name}.size"

    def _fill(self) -> str:
        """What a memset stores: its byte in every byte of an element."""
        if self.kind != "memset":
            return ""
        byte = self.call.operands[1]
        ones = int("01" * self.step, 16)
        if isinstance(byte, ConstantInt):
            return str((byte.value & 255) * ones)
        wide = str(byte)
        if self.step > 1:
            self.emit(f"%{self.name}.wide = zext i8 {byte} to {self.element}")
            self.emit(f"%{self.name}.fill = mul {self.element} %{self.name}.wide, {ones}")
            wide = f"%{self.name}.fill"
        return wide

    def _is_later(self) -> str:
        for number, end in enumerate(("target", "source")):
            pointer = self.call.operands[number]
            self.emit(f"%{self.name}.{end} = ptrtoint {pointer.type} {pointer} to i64")
        self.emit(f"%{self.name}.later = icmp ugt i64 %{self.name}.target, %{self.name}.source")
        return f"%{self.name}.later"

    def _pointer(self, operand: int, at: str, name: str) -> str:
        pointer = self.call.operands[operand]
        self.emit(f"%{name} = getelementptr i8, {pointer.type} {pointer}, i64 {at}")
        return f"{pointer.type} %{name}"

    def _load(self, at: str, number: str) -> str:
        name = f"{self.name}.{number}"
        pointer = self._pointer(1, at, f"{name}.from")
        self.emit(f"%{name} = load {self.element}, {pointer}, align {self.step}")
        return f"%{name}"

    def _store(self, at: str, value: str, number: str) -> None:
        pointer = self._pointer(0, at, f"{self.name}.{number}.to")
        self.emit(f"store {self.element} {value}, {pointer}, align {self.step}")
