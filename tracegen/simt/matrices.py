"""Matrix products of a warp, as functions on fragments in memory.

Products of floats of up to 16 bits and of tf32 are exact in double precision; their sum with C is
made in double precision, from k = 0 on, and rounded once. PTX leaves order and precision of the sum
open ("at least single precision"). Products of doubles are fused, from k = 0 on, those of integers
exact.
"""

from __future__ import annotations

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.builtins.matrix import BITS, MatrixProduct, matrix_product
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import I64, VOID, VecTy
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.group_matrices import write_group_product
from kcc.tracegen.simt.wide import Wide, parts_of

LANES = 32


def write_matrix_product(frame: WarpFrame, call: Call) -> Wide:
    """A call of a function that works on fragments in memory, register by register."""
    found = matrix_product(call.callee)
    assert found is not None
    if frame.width != LANES:
        message = "matrix products are of warps with 32 lanes"
        raise DiagnosticError([Diagnostic("K424", message)])
    if found.of_group:
        return write_group_product(frame, call, found)
    code, pointers = frame.code, list[Value]()
    for operand in call.operands:
        parts = [frame.lanes(p) for p in frame.operand(operand).parts]
        slot = code.alloca(VecTy(len(parts) * LANES, parts_of(operand.type)[0]), 64)
        for number, part in enumerate(parts):
            code.store(part, _register(frame, slot, part, number), 64)
        pointers.append(slot)
    name = f"kcc.{call.callee}"
    for intrinsic, kinds in _INTRINSICS.items():
        frame.module.declare(intrinsic, f"declare {kinds[0]} @{intrinsic}({', '.join(kinds)})")
    frame.module.declare(name, _Function(found, name).text())
    code.call(name, VOID, pointers, convention="")
    result = list[Value]()
    for number, part in enumerate(parts_of(call.type)):
        vector = frame.vector_type(part)
        place = code.gep(vector, pointers[2], [_number(number)])
        result.append(code.load(vector, place, 64))
    return Wide(tuple(result))


def _number(value: int) -> Value:
    return const_int(I64, value)


def _register(frame: WarpFrame, slot: Value, part: Value, number: int) -> Value:
    return frame.code.gep(part.type, slot, [_number(number)])


_INTRINSICS = {
    "llvm.fma.v32f64": ["<32 x double>"] * 3, "llvm.fabs.v32f64": ["<32 x double>"],
    "llvm.smin.v32i64": ["<32 x i64>"] * 2, "llvm.smax.v32i64": ["<32 x i64>"] * 2,
}  # fmt: skip

_STORED = {"f64": "double", "f32": "float"}


class _Function:
    """The text of one product: shuffles by constant masks bring elements to where they are used."""

    def __init__(self, product: MatrixProduct, name: str) -> None:
        self.product, self.name, self.lines, self.count = product, name, list[str](), 0

    def value(self, text: str) -> str:
        self.count += 1
        self.lines.append(f"  %t{self.count} = {text}")
        return f"%t{self.count}"

    def text(self) -> str:
        """The definition; D takes the place of C."""
        p = self.product
        self.kind = self._accumulator()
        a, b = self._elements("%a", p.registers[0], p.a), self._elements("%b", p.registers[1], p.b)
        rows = p.m // 8
        totals = self._sums()
        for k in range(p.k):
            place, within = divmod(k, 4 * p.packed)
            lane, element = divmod(within, p.packed)
            right = [
                self._moved(b[place][element], [4 * (2 * (i & 3) + j) + lane for i in range(LANES)])
                for j in range(2)
            ]
            for row in range(rows):
                left = self._moved(
                    a[rows * place + row][element], [4 * (i >> 2) + lane for i in range(LANES)]
                )
                for j in range(2):
                    totals[2 * row + j] = self._added(totals[2 * row + j], left, right[j])
        self._store(totals)
        body = "\n".join(self.lines)
        head = f"define internal void @{self.name}(ptr %a, ptr %b, ptr %c) noinline nounwind"
        return f"{head} {{\n{body}\n  ret void\n}}"

    def _accumulator(self) -> str:
        if self.product.d == "s32":
            return "i64" if "satfinite" in self.product.options else "i32"
        return "double"

    def _vector(self, kind: str) -> str:
        return f"<{LANES} x {kind}>"

    def _elements(self, pointer: str, count: int, type_: str) -> list[list[str]]:
        """By register and place within it, each as a vector over lanes of what is multiplied."""
        if type_ == "f64":
            return [[self._loaded(pointer, "double", n)] for n in range(count)]
        found = list[list[str]]()
        for number in range(count):
            word = self._loaded(pointer, "i32", number)
            bits = BITS[type_]
            found.append([self._element(word, type_, bits, i) for i in range(32 // bits)])
        return found

    def _loaded(self, pointer: str, kind: str, number: int) -> str:
        vector = self._vector(kind)
        place = self.value(f"getelementptr {vector}, ptr {pointer}, i64 {number}")
        return self.value(f"load {vector}, ptr {place}, align 64")

    def _binary(self, word: str, kind: str, left: str, right: int | str) -> str:
        other = right if isinstance(right, str) else f"splat ({kind} {right})"
        return self.value(f"{word} {self._vector(kind)} {left}, {other}")

    def _element(self, word: str, type_: str, bits: int, place: int) -> str:
        match type_:
            case "f16":
                down = self._binary("lshr", "i32", word, 16 * place) if place else word
                half = self._cast("bitcast", "i16", self._cast("trunc", "i32", down, "i16"), "half")
                return self._cast("fpext", "half", half, "float")
            case "bf16":
                up = (
                    self._binary("and", "i32", word, -65536)
                    if place
                    else self._binary("shl", "i32", word, 16)
                )
                return self._cast("bitcast", "i32", up, "float")
            case "tf32":
                cut = self._binary("and", "i32", word, -8192)
                return self._cast("bitcast", "i32", cut, "float")
            case "e4m3" | "e5m2":
                return self._small_float(word, type_, place)
            case _:
                up = self._binary("shl", "i32", word, 32 - bits * (place + 1))
                shift = "ashr" if type_[0] == "s" else "lshr"
                return self._binary(shift, "i32", up, 32 - bits)

    def _small_float(self, word: str, type_: str, place: int) -> str:
        """8-bit floats, exact as float: e5m2 is the upper byte of a half, e4m3 at a float's place
        is a float whose exponent is 120 too small."""
        if type_ == "e5m2":
            up = self._binary("shl", "i32", word, 24 - 8 * place)
            high = self._binary("lshr", "i32", self._binary("and", "i32", up, -16777216), 16)
            half = self._cast("bitcast", "i16", self._cast("trunc", "i32", high, "i16"), "half")
            return self._cast("fpext", "half", half, "float")
        up = self._binary("shl", "i32", word, 24 - 8 * place)
        sign = self._binary("and", "i32", up, -(1 << 31))
        rest = self._binary("lshr", "i32", self._binary("and", "i32", up, 0x7F000000), 4)
        small = self._cast("bitcast", "i32", rest, "float")
        scale = f"splat (float 0x{(1023 + 120) << 52:016X})"
        value = self._binary("fmul", "float", small, scale)
        bits = self._binary("or", "i32", self._cast("bitcast", "float", value, "i32"), sign)
        nan = self.value(f"icmp eq {self._vector('i32')} {rest}, splat (i32 {0x7F000000 >> 4})")
        chosen = self.value(
            f"select {self._vector('i1')} {nan}, {self._vector('i32')} splat (i32 2143289344), "
            f"{self._vector('i32')} {bits}"
        )
        return self._cast("bitcast", "i32", chosen, "float")

    def _cast(self, word: str, have: str, value: str, want: str) -> str:
        return self.value(f"{word} {self._vector(have)} {value} to {self._vector(want)}")

    def _source(self) -> str:
        """The type of an element as it is moved between lanes."""
        if self.product.a == "f64":
            return "double"
        return "i32" if self.product.d == "s32" else "float"

    def _moved(self, vector: str, lanes: list[int]) -> str:
        kind = self._source()
        mask = ", ".join(f"i32 {lane}" for lane in lanes)
        type_ = self._vector(kind)
        moved = self.value(
            f"shufflevector {type_} {vector}, {type_} poison, <{LANES} x i32> <{mask}>"
        )
        if kind == "float":
            return self._cast("fpext", "float", moved, "double")
        return self._cast("sext", "i32", moved, "i64") if self.kind == "i64" else moved

    def _added(self, total: str, left: str, right: str) -> str:
        vector = self._vector(self.kind)
        if self.product.a == "b1":
            return self._added_bits(total, left, right)
        if self.kind != "double":
            return self._binary(
                "add", self.kind, total, self._binary("mul", self.kind, left, right)
            )
        if self.product.a == "f64":
            name = f"llvm.fma.v{LANES}f64"
            return self.value(
                f"call {vector} @{name}({vector} {left}, {vector} {right}, {vector} {total})"
            )
        return self._binary("fadd", "double", total, self._binary("fmul", "double", left, right))

    def _added_bits(self, total: str, left: str, right: str) -> str:
        word = "and" if "and" in self.product.options else "xor"
        return self._binary("add", self.kind, total, self._binary(word, self.kind, left, right))

    def _sums(self) -> list[str]:
        """C by row half and column, in the type of the sum."""
        p = self.product
        if p.d == "f16":
            found = list[str]()
            for number in range(p.registers[2]):
                word = self._loaded("%c", "i32", number)
                for place in range(2):
                    value = self._element(word, "f16", 16, place)
                    found.append(self._cast("fpext", "float", value, "double"))
            return found
        kind = _STORED.get(p.d, "i32")
        values = [self._loaded("%c", kind, n) for n in range(p.registers[2])]
        if kind == "float":
            return [self._cast("fpext", "float", v, "double") for v in values]
        if self.kind == "i64":
            return [self._cast("sext", "i32", v, "i64") for v in values]
        return values

    def _store(self, totals: list[str]) -> None:
        p = self.product
        if p.d == "f16":
            for number in range(p.registers[2]):
                low, high = (self._half(t) for t in totals[2 * number : 2 * number + 2])
                up = self._binary("shl", "i32", high, 16)
                self._put(self._binary("or", "i32", low, up), "i32", number)
            return
        for number, total in enumerate(totals):
            if p.d == "f32":
                self._put(self._cast("fptrunc", "double", total, "float"), "float", number)
            elif self.kind == "i64":
                self._put(self._clamped(total), "i32", number)
            else:
                self._put(total, self.kind, number)

    def _half(self, total: str) -> str:
        """Rounded once, through a float rounded to odd."""
        near = self._cast("fptrunc", "double", total, "float")
        back = self._cast("fpext", "float", near, "double")
        vector = self._vector("double")
        inexact = self.value(f"fcmp one {vector} {back}, {total}")
        over = self.value(f"fcmp ogt {vector} {self._magnitude(back)}, {self._magnitude(total)}")
        bits = self._cast("bitcast", "float", near, "i32")
        lower = self._binary("sub", "i32", bits, self._cast("zext", "i1", over, "i32"))
        odd = self._binary("or", "i32", lower, self._cast("zext", "i1", inexact, "i32"))
        value = self._cast("bitcast", "i32", odd, "float")
        half = self._cast("fptrunc", "float", value, "half")
        return self._cast("zext", "i16", self._cast("bitcast", "half", half, "i16"), "i32")

    def _magnitude(self, value: str) -> str:
        vector = self._vector("double")
        return self.value(f"call {vector} @llvm.fabs.v{LANES}f64({vector} {value})")

    def _clamped(self, total: str) -> str:
        vector = self._vector("i64")
        for name, limit in (("smin", (1 << 31) - 1), ("smax", -(1 << 31))):
            both = f"{vector} {total}, {vector} splat (i64 {limit})"
            total = self.value(f"call {vector} @llvm.{name}.v{LANES}i64({both})")
        return self._cast("trunc", "i64", total, "i32")

    def _put(self, value: str, kind: str, number: int) -> None:
        vector = self._vector(kind)
        place = self.value(f"getelementptr {vector}, ptr %c, i64 {number}")
        self.lines.append(f"  store {vector} {value}, ptr {place}, align 64")
