"""A lane's private memory: words of 4 bytes, those of all lanes side by side."""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.types import I8, I32, I64, IntTy, VecTy, size_bytes
from kcc.tracegen.simt import arithmetic
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import PRIVATE_BASE
from kcc.tracegen.simt.memory import HOST_POINTER
from kcc.tracegen.simt.wide import Part


@dataclass(slots=True)
class PrivateWords:
    """Access to the interleaved words; ``place`` is the byte offset in the lane's memory."""

    host: WarpFrame
    place: Value

    def load(self, part: Part, byte: int) -> Value:
        host, size = self.host, size_bytes(part)
        if size >= 4:
            words = [self._load_word(byte + 4 * i) for i in range(size // 4)]
            whole = arithmetic.join_parts(host, tuple(words))
        else:
            word = self._load_word(byte)
            shifted = host.code.binary("lshr", word, self._shift(byte))
            whole = arithmetic.convert(host, "trunc", shifted, IntTy(8 * size))
        return arithmetic.convert(host, "bitcast", whole, part)

    def store(self, part: Part, byte: int, value: Value) -> None:
        host, size = self.host, size_bytes(part)
        whole = arithmetic.convert(host, "bitcast", value, IntTy(8 * size))
        if size >= 4:
            for number in range(size // 4):
                shift = const_int(whole.type, 32 * number)
                piece = host.code.binary("lshr", whole, shift) if number else whole
                word = piece if size == 4 else arithmetic.convert(host, "trunc", piece, I32)
                self._store_word(byte + 4 * number, word)
            return
        old = self._load_word(byte)
        shift = self._shift(byte)
        ones = const_int(old.type, (1 << (8 * size)) - 1)
        hole = host.code.binary(
            "xor", host.code.binary("shl", ones, shift), const_int(old.type, -1)
        )
        wide = arithmetic.convert(host, "zext", whole, I32)
        placed = host.code.binary("shl", wide, shift)
        merged = host.code.binary("or", host.code.binary("and", old, hole), placed)
        self._store_word(byte, merged)

    def _shift(self, byte: int) -> Value:
        """Bits to shift within the word, as a vector of i32."""
        host = self.host
        at = host.code.binary("add", self.place, const_int(self.place.type, byte))
        low = host.code.binary("and", at, const_int(at.type, 3))
        bits = host.code.binary("shl", low, const_int(low.type, 3))
        return host.lanes(arithmetic.convert(host, "trunc", bits, I32))

    def _host_offset(self, byte: int) -> Value:
        """Byte offset of the word in the warp's private memory, for lane 0."""
        host = self.host
        at = host.code.binary("add", self.place, const_int(self.place.type, byte))
        word = host.code.binary("and", at, const_int(at.type, -4))
        return host.code.binary("mul", word, const_int(word.type, host.width))

    def _load_word(self, byte: int) -> Value:
        host, offset = self.host, self._host_offset(byte)
        vector = host.vector_type(I32)
        if not isinstance(offset.type, VecTy):
            pointer = host.code.gep(I8, host.bases[0], [offset], inbounds=False)
            return host.code.load(vector, pointer, 4)
        pointers = self._pointers(offset)
        name = f"llvm.masked.gather.v{host.width}i32.v{host.width}p0"
        lanes = host.active()
        host.module.declare(
            name, f"declare {vector} @{name}({pointers.type}, {lanes.type}, {vector})"
        )
        return host.code.value(
            vector,
            f"call {vector} @{name}({pointers.type} align 4 {pointers.text}, {lanes}, "
            f"{zero(vector)})",
        )

    def _store_word(self, byte: int, word: Value) -> None:
        host, offset = self.host, self._host_offset(byte)
        if not isinstance(offset.type, VecTy):
            pointer = host.code.gep(I8, host.bases[0], [offset], inbounds=False)
            old = host.code.load(word.type, pointer, 4)
            host.code.store(host.code.select(host.active(), word, old), pointer, 4)
            return
        pointers, lanes = self._pointers(offset), host.active()
        name = f"llvm.masked.scatter.v{host.width}i32.v{host.width}p0"
        host.module.declare(
            name, f"declare void @{name}({word.type}, {pointers.type}, {lanes.type})"
        )
        host.code.emit(
            f"call void @{name}({word}, {pointers.type} align 4 {pointers.text}, {lanes})"
        )

    def _pointers(self, offset: Value) -> Value:
        host = self.host
        placed = host.code.binary("add", offset, host.iota(I64, 4))
        type_ = VecTy(host.width, HOST_POINTER)
        return host.code.value(type_, f"getelementptr i8, {host.bases[0]}, {placed}")


def copy_arguments(host: WarpFrame) -> None:
    """Give every lane its copy of the structs by value that it may change."""
    for index, item in host.plan.private_arguments.items():
        source = host.load_word(host.objects, 2 * index)
        base = host.code.gep(I8, host.bases[1], [source], inbounds=False)
        place = item.address - PRIVATE_BASE
        for byte in range(0, item.size_bytes, 4):
            pointer = host.code.gep(I8, base, [const_int(I64, byte)])
            word = host.lanes(host.code.load(I32, pointer, 4))
            PrivateWords(host, const_int(I64, place)).store(I32, byte, word)
            if host.precise:
                shadow = const_int(I64, place + host.plan.private_bytes)
                PrivateWords(host, shadow).store(I32, byte, zero(word.type))
