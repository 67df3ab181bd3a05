"""Writes the body of a kernel as text of the dialect: registers are variables of the stack.

Every register has a variable, which LLVM's SROA brings into SSA form. An operand is read in the
type an instruction wants; what it holds is converted: bits are read as floats, wide integers cut.
"""

from __future__ import annotations

import re
import struct
from dataclasses import field

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import GROUP
from kcc.frontend.ptx.reading.flatten import Flat
from kcc.frontend.ptx.reading.model import (
    Address,
    Guard,
    Instruction,
    Integer,
    Negated,
    Nothing,
    Operand,
    Real,
    Register,
    Several,
    Symbol,
    Variable,
)
from kcc.frontend.ptx.reading.pointers import (
    CONSTANT,
    GENERIC,
    GLOBAL,
    LOCAL,
    SHARED,
    SPACES,
    Pointers,
)
from kcc.frontend.ptx.reading.tokens import Places
from kcc.frontend.ptx.reading.typing import IR_TYPES, pointer_type

BITS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64, "i128": 128, "half": 16, "float": 32,
        "double": 64}  # fmt: skip
_SPACE = re.compile(r"ptr(?: addrspace\((\d)\))?$")

_QUERIES = {
    "tid": "get_local_id", "ctaid": "get_group_id", "ntid": "get_local_size",
    "nctaid": "get_num_groups",
}  # fmt: skip
_WARPS = {
    "%laneid": "get_sub_group_local_id", "%warpid": "get_sub_group_id",
    "%nwarpid": "get_num_sub_groups",
}  # fmt: skip
_FIXED = {
    "WARP_SZ": 32, "%nsmid": 1, "%cluster_ctarank": 0, "%cluster_nctarank": 1,
    "%cluster_nctaid.x": 1, "%cluster_nctaid.y": 1, "%cluster_nctaid.z": 1,
    "%is_explicit_cluster": 0, "%smid": 0, "%gridid": 0, "%clock": 0, "%clock64": 0,
    "%clock_hi": 0, "%globaltimer": 0, "%globaltimer_lo": 0, "%globaltimer_hi": 0,
    "%cluster_ctaid.x": 0, "%cluster_ctaid.y": 0, "%cluster_ctaid.z": 0, "%clusterid.y": 0,
    "%clusterid.z": 0,
}  # fmt: skip
"""Special registers that one thread block alone has no better value for; clocks stand still."""

_LANE_MASKS = {"%lanemask_eq", "%lanemask_le", "%lanemask_lt", "%lanemask_ge", "%lanemask_gt"}


def double_text(bits: int, width: int) -> str:
    """A constant as LLVM writes it: of a half and a float the bits of the equal double."""
    if width == 16:
        return f"0xH{bits:04X}"
    if width == 32:
        if bits & 0x7F800000 == 0x7F800000 and bits & 0x7FFFFF:
            sign, payload = bits >> 31, bits & 0x7FFFFF
            return f"0x{sign << 63 | 0x7FF << 52 | payload << 29:016X}"
        value = struct.unpack("<f", struct.pack("<I", bits))[0]
        bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    return f"0x{bits:016X}"


@dataclass(slots=True)
class Writer:
    """The text of one kernel as it grows."""

    flat: Flat
    places: Places
    types: dict[str, str]
    parameters: dict[str, str]
    pointers: Pointers
    variables: dict[str, Variable]
    symbols: dict[str, str]
    """Variables as they are called in the dialect: ``@name`` or ``%name``."""
    base: str = ""
    """Where shared memory is addressed by offsets, the object they count from."""
    starts: dict[str, int] = field(default_factory=dict[str, int])
    """Where the variables begin in that object."""
    lines: list[str] = field(default_factory=list[str])
    declared: dict[str, str] = field(default_factory=dict[str, str])
    place: str = ""
    """`, !dbg !N` of the current instruction."""
    apart: str = ""
    """`, !nontemporal !N`: what marks a load whose address is computed for itself."""
    condition: str = ""
    """The predicate under which results are written; empty without one."""
    count: int = 0
    at: int = 0
    ended: bool = False
    """Whether the current block has its terminator."""

    # messages

    def refuse(self, message: str, code: str = "K431", hint: str | None = None) -> DiagnosticError:
        """What is said of an instruction that is not taken in."""
        return DiagnosticError([Diagnostic(code, message, self.places.span(self.at), hint=hint)])

    # text

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def line(self, text: str) -> None:
        self.lines.append(f"  {text}{self.place}")

    def value(self, text: str) -> str:
        """An instruction with a result."""
        name = self.name()
        self.lines.append(f"  {name} = {text}{self.place}")
        return name

    def label(self, name: str) -> None:
        if not self.ended:
            self.lines.append(f"  br label %{name}{self.place}")
        self.lines.append(f"{name}:")
        self.ended = False

    def jump(self, target: str) -> None:
        self.line(f"br label %{target}")
        self.ended = True

    def branch(self, condition: str, yes: str, no: str) -> None:
        self.line(f"br i1 {condition}, label %{yes}, label %{no}")
        self.ended = True

    def fresh(self, word: str) -> str:
        """A label of its own."""
        self.count += 1
        return f"{word}.{self.count}"

    def group(self, of: str) -> None:
        """What was begun of a kind so far becomes a group."""
        self.line(f'fence syncscope("{of}.{GROUP}") seq_cst')

    def wait(self, of: str, left: int = -1) -> None:
        """Wait for groups but for the last ones; -1: for all that was begun."""
        scope = of if left < 0 else f"{of}.{left}"
        self.line(f'fence syncscope("{scope}") seq_cst')

    def call(self, result: str, symbol: str, arguments: str, kinds: str, effect: str = "") -> str:
        """A call of a built-in function by its mangled name."""
        effect = effect or "nounwind willreturn memory(none)"
        self.declared[symbol] = f"declare spir_func {result} @{symbol}({kinds}) {effect}"
        text = f"call spir_func {result} @{symbol}({arguments})"
        if result == "void":
            self.line(text)
            return ""
        return self.value(text)

    def intrinsic(self, name: str, type_: str, *values: str, extra: str = "") -> str:
        """``llvm.NAME`` on values of one type; ``extra`` is an operand more, with its type."""
        symbol = f"llvm.{name}.{suffix(type_)}"
        kinds = ", ".join([type_] * len(values) + ([extra.split(maxsplit=1)[0]] if extra else []))
        self.declared[symbol] = f"declare {type_} @{symbol}({kinds})"
        arguments = ", ".join([f"{type_} {v}" for v in values] + ([extra] if extra else []))
        return self.value(f"call {type_} @{symbol}({arguments})")

    def binary(self, word: str, type_: str, left: str, right: str | int) -> str:
        return self.value(f"{word} {type_} {left}, {right}")

    def compare(self, word: str, type_: str, left: str, right: str | int) -> str:
        return self.value(f"icmp {word} {type_} {left}, {right}")

    def select(self, condition: str, type_: str, yes: str | int, no: str | int) -> str:
        return self.value(f"select i1 {condition}, {type_} {yes}, {type_} {no}")

    def cast(self, word: str, have: str, value: str, want: str) -> str:
        return self.value(f"{word} {have} {value} to {want}")

    # conversions

    def convert(self, value: str, have: str, want: str, *, signed: bool = False) -> str:
        """The same bits as another type; wide ones are cut, narrow ones extended."""
        if have == want:
            return value
        if have.startswith("ptr") and want.startswith("ptr"):
            if "ptr addrspace(4)" in (have, want):
                return self.cast("addrspacecast", have, value, want)
            return self.convert(self.convert(value, have, "i64"), "i64", want)
        if have.startswith("ptr"):
            return self.convert(self.address_number(value, have), "i64", want)
        if want.startswith("ptr"):
            return self.address_of_number(self.convert(value, have, "i64"), want)
        have_bits, want_bits = BITS[have], BITS[want]
        if not have.startswith("i"):
            value = self.cast("bitcast", have, value, f"i{have_bits}")
        if have_bits < want_bits:
            word = "sext" if signed else "zext"
            value = self.cast(word, f"i{have_bits}", value, f"i{want_bits}")
        elif have_bits > want_bits:
            value = self.cast("trunc", f"i{have_bits}", value, f"i{want_bits}")
        if not want.startswith("i"):
            value = self.cast("bitcast", f"i{want_bits}", value, want)
        return value

    def convert_float(self, value: str, have: str, want: str) -> str:
        """A float of another precision."""
        if have == want:
            return value
        word = "fpext" if BITS[have] < BITS[want] else "fptrunc"
        return self.cast(word, have, value, want)

    def address_number(self, value: str, have: str) -> str:
        number = self.cast("ptrtoint", have, value, "i64")
        if self.base and have == "ptr addrspace(3)":
            first = self.cast("ptrtoint", have, self.base, "i64")
            return self.binary("sub", "i64", number, first)
        return number

    def address_of_number(self, value: str, want: str) -> str:
        if self.base and want == "ptr addrspace(3)":
            return self.value(f"getelementptr i8, {want} {self.base}, i64 {value}")
        return self.cast("inttoptr", "i64", value, want)

    # operands

    def read(self, operand: Operand, want: str, *, signed: bool = False) -> str:
        """An operand as a value of a type of the dialect."""
        match operand:
            case Register(name) if name in self.types:
                have = self.types[name]
                value = self.value(f"load {have}, ptr {variable(name)}")
                return self.convert(value, have, want, signed=signed)
            case Register(name):
                return self.special(name, want)
            case Integer(number):
                return self.number(number, want)
            case Real(bits, width):
                return self.real(bits, width, want)
            case Symbol(name, offset):
                return self.address_value(name, offset, want)
            case Negated(register):
                return self.binary("xor", "i1", self.read(register, "i1"), "true")
            case Several(parts, False):
                return self.packed(parts, want)
            case _:
                raise self.refuse("this operand is not supported here")

    def number(self, number: int, want: str) -> str:
        if want.startswith("ptr"):
            if number == 0 and want != "ptr addrspace(3)":
                return "null"
            return self.address_of_number(str(number), want)
        bits = BITS[want]
        if want in ("half", "float", "double"):
            return double_text(number & ((1 << bits) - 1), bits)
        number &= (1 << bits) - 1
        if bits == 1:
            return "true" if number else "false"
        return str(number - (1 << bits) if number >> (bits - 1) and bits > 1 else number)

    def real(self, bits: int, width: int, want: str) -> str:
        if want in ("half", "float", "double"):
            if BITS[want] == width:
                return double_text(bits, width)
            if width == 64 and want == "float":
                value = struct.unpack("<d", struct.pack("<Q", bits))[0]
                try:
                    narrow = struct.unpack("<I", struct.pack("<f", value))[0]
                except OverflowError:
                    raise self.refuse("the number is too large for a float", "K430") from None
                return double_text(narrow, 32)
            raise self.refuse("the number is of another type than the instruction", "K430")
        return self.number(bits, want)

    def packed(self, parts: tuple[Operand, ...], want: str) -> str:
        """``{a, b}`` as one value, the first in the lowest bits."""
        bits = BITS[want]
        each = bits // len(parts)
        if each * len(parts) != bits or each not in (8, 16, 32, 64):
            raise self.refuse("these parts do not make a value of this type", "K430")
        vector = f"<{len(parts)} x i{each}>"
        value = "poison"
        for number, part in enumerate(parts):
            element = "0" if isinstance(part, Nothing) else self.read(part, f"i{each}")
            value = self.value(f"insertelement {vector} {value}, i{each} {element}, i32 {number}")
        return self.convert(self.cast("bitcast", vector, value, f"i{bits}"), f"i{bits}", want)

    def special(self, name: str, want: str) -> str:
        stem, _, part = name.lstrip("%").partition(".")
        if stem in _QUERIES and part in ("x", "y", "z"):
            query = _QUERIES[stem]
            number = "xyz".index(part)
            wide = self.call("i64", f"_Z{len(query)}{query}j", f"i32 {number}", "i32")
            narrow = self.cast("trunc", "i64", wide, "i32")
            return self.convert(narrow, "i32", want)
        threads = self.flat.kernel.threads
        if name == "%laneid" and threads and all(size == 1 for size in threads[1:]):
            value = self.binary("and", "i32", self.special("%tid.x", "i32"), 31)
            return self.convert(value, "i32", want)
        if name in _WARPS:
            query = _WARPS[name]
            value = self.call("i32", f"_Z{len(query)}{query}v", "", "", "convergent nounwind")
            return self.convert(value, "i32", want)
        if name in _LANE_MASKS:
            return self.convert(self.lane_mask(name[-2:]), "i32", want)
        if name in _FIXED:
            return self.number(_FIXED[name], want)
        if name in ("%dynamic_smem_size", "%total_smem_size", "%aggr_smem_size"):
            raise self.refuse(f"'{name}' is not known: it is the launch's")
        if name.startswith("%clusterid"):
            return self.special(f"%ctaid.{part}", want)
        if name.startswith("%envreg"):
            what = "it is the driver's, for a barrier of the whole grid"
            raise self.refuse(f"'{name}' is not known: {what}")
        raise self.refuse(f"'{name}' is no register", "K430")

    def lane(self) -> str:
        return self.special("%laneid", "i32")

    def lane_mask(self, kind: str) -> str:
        one = self.binary("shl", "i32", "1", self.lane())
        below = self.binary("sub", "i32", one, 1)
        match kind:
            case "eq":
                return one
            case "lt":
                return below
            case "le":
                return self.binary("or", "i32", below, one)
            case "ge":
                return self.binary("xor", "i32", below, -1)
            case _:
                up_to = self.binary("or", "i32", below, one)
                return self.binary("xor", "i32", up_to, -1)

    def space_of_symbol(self, name: str) -> int:
        found = self.variables.get(name)
        if found is None:
            raise self.refuse(f"'{name}' is not declared", "K430")
        return SPACES.get(found.space, GENERIC)

    def symbol_pointer(self, name: str, offset: int) -> tuple[str, int]:
        """A pointer to a variable plus bytes, and its space."""
        if name in self.parameters:
            if self.parameters[name] != "byval":
                raise self.refuse("the address of a parameter is not supported")
            return self.moved(f"%{plain(name)}", LOCAL, offset), LOCAL
        space = self.space_of_symbol(name)
        if self.base and space == SHARED:
            return self.moved(self.base, SHARED, self.starts[name] + offset), SHARED
        return self.moved(self.symbols[name], space, offset), space

    def moved(self, pointer: str, space: int, offset: int) -> str:
        if offset == 0:
            return pointer
        return self.value(f"getelementptr i8, {pointer_type(space)} {pointer}, i64 {offset}")

    def address_value(self, name: str, offset: int, want: str) -> str:
        pointer, space = self.symbol_pointer(name, offset)
        if self.base and space == SHARED and not want.startswith("ptr"):
            return self.number(self.starts[name] + offset, want)
        return self.convert(pointer, pointer_type(space), want)

    def pointer(self, address: Operand, space: int) -> tuple[str, int]:
        """Where an access goes: the pointer, and the space it points into."""
        if not isinstance(address, Address):
            raise self.refuse("an address is expected here", "K430")
        match address.base:
            case Symbol(name, more):
                pointer, found = self.symbol_pointer(name, address.offset + more)
                return self.to_space(pointer, found, space)
            case Integer(number):
                return self.number(number + address.offset, pointer_type(space)), space
            case Register(name) if name in self.pointers.spaces:
                have = self.pointers.spaces[name]
                value = self.value(f"load {pointer_type(have)}, ptr {variable(name)}")
                return self.to_space(self.moved(value, have, address.offset), have, space)
            case register:
                want = pointer_type(space)
                number = self.read(register, "i64")
                return self.moved(
                    self.address_of_number(number, want), space, address.offset
                ), space

    def to_space(self, pointer: str, have: int, want: int) -> tuple[str, int]:
        """A pointer as an access of a space takes it; a generic access keeps what is known."""
        if want in (GENERIC, have):
            return pointer, have
        if have == GENERIC:
            return self.convert(pointer, pointer_type(have), pointer_type(want)), want
        if {have, want} <= {GLOBAL, CONSTANT}:
            return pointer, have
        return self.convert(pointer, pointer_type(have), pointer_type(want)), want

    # results

    def write(self, operand: Operand, have: str, value: str, *, signed: bool = False) -> None:
        """A result into a register, under the instruction's predicate."""
        match operand:
            case Nothing():
                return
            case Register(name) if name in self.types:
                want = self.types[name]
                value = self.convert(value, have, want, signed=signed)
                if self.condition:
                    old = self.value(f"load {want}, ptr {variable(name)}")
                    value = self.select(self.condition, want, value, old)
                self.line(f"store {want} {value}, ptr {variable(name)}")
            case Several(parts, False):
                self.unpack(parts, have, value)
            case _:
                raise self.refuse("a result goes into a register", "K430")

    def unpack(self, parts: tuple[Operand, ...], have: str, value: str) -> None:
        """``{a, b}`` from one value."""
        bits = BITS[have]
        each = bits // len(parts)
        if each * len(parts) != bits or each not in (8, 16, 32, 64):
            raise self.refuse("a value of this type has no such parts", "K430")
        vector = f"<{len(parts)} x i{each}>"
        value = self.cast("bitcast", f"i{bits}", self.convert(value, have, f"i{bits}"), vector)
        for number, part in enumerate(parts):
            if not isinstance(part, Nothing):
                element = self.value(f"extractelement {vector} {value}, i32 {number}")
                self.write(part, f"i{each}", element)

    def guard(self, guard: Guard) -> str:
        value = self.read(Register(guard.register), "i1")
        return self.binary("xor", "i1", value, "true") if guard.negated else value

    def operands(self, item: Instruction, low: int, high: int | None = None) -> tuple[Operand, ...]:
        """The operands, whose number must lie between the two."""
        if not low <= len(item.operands) <= (high or low):
            raise self.refuse(f"'{item.opcode}' has another number of operands", "K430")
        return item.operands


def suffix(type_: str) -> str:
    """What an intrinsic's name ends in for a type."""
    vector = re.fullmatch(r"<(\d+) x (\w+)>", type_)
    if vector:
        return f"v{vector[1]}{suffix(vector[2])}"
    return {"half": "f16", "float": "f32", "double": "f64"}.get(type_, type_)


def plain(name: str) -> str:
    """A name without what LLVM would want quotes for."""
    return re.sub(r"[^\w.$]", "_", name.lstrip("%"))


def variable(name: str) -> str:
    """The stack variable of a register."""
    return f"%r.{plain(name)}"


def ir_type(writer: Writer, type_: str) -> str:
    """A type of PTX in the dialect; raises K431 for one there is none for."""
    if type_ not in IR_TYPES:
        raise writer.refuse(f"the type '.{type_}' is not supported here")
    return IR_TYPES[type_]
