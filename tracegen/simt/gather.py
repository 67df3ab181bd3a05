"""Reading from addresses that do not follow one another, without the host's gather instruction.

That instruction takes 50 to 80 ns for 32 lanes on processors whose microcode guards it, about
twice as long as one load after another. Where all lanes read within 128 bytes from the first, as
rows of a tile in local memory do, two vector loads and a permutation do: under 10 ns.
"""

from __future__ import annotations

from kcc.frontend.ir.builder import Value, const_int, zero
from kcc.frontend.ir.types import I8, I64, IntTy, VecTy
from kcc.tracegen.simt.host_cpu import host_cpu
from kcc.tracegen.simt.wide import Writer

WINDOW_BYTES = 128
"""What one permutation of two 64-byte vectors reaches."""

VECTOR_BYTES = 64

_PERMUTATIONS = {4: "llvm.x86.avx512.vpermi2var.d.512", 8: "llvm.x86.avx512.vpermi2var.q.512"}
"""By element size: elements of two vectors by index. They give what single loads would."""


def can_permute(size: int, width: int) -> bool:
    """Whether the host permutes elements of ``size`` bytes for a whole warp."""
    return size in _PERMUTATIONS and width * size % VECTOR_BYTES == 0 and host_cpu().has("avx512f")


def window_test(writer: Writer, addresses: Value, origin: Value, mask: Value, size: int) -> Value:
    """Whether all active lanes lie in the window that starts at ``origin``, whole elements apart;
    i1."""
    code = writer.code
    apart = code.binary("sub", addresses, writer.lanes(origin))
    outside = code.binary("and", apart, const_int(apart.type, ~(WINDOW_BYTES - size)))
    wrong = writer.bits(code.compare("icmp", "ne", outside, zero(outside.type)))
    return code.compare("icmp", "eq", code.binary("and", wrong, mask), zero(mask.type))


def permute(writer: Writer, start: Value, addresses: Value, origin: Value, part: IntTy) -> Value:
    """The lanes' elements out of the window whose host address is ``start``."""
    code, size = writer.code, part.bits // 8
    lanes = VECTOR_BYTES // size
    chunk = VecTy(lanes, part)
    apart = code.binary("sub", addresses, writer.lanes(origin))
    narrow = apart if part == I64 else code.cast("trunc", apart, writer.vector_type(part))
    index = code.binary("lshr", narrow, const_int(narrow.type, size.bit_length() - 1))
    low = code.load(chunk, start, size)
    high = code.load(chunk, code.gep(I8, start, [const_int(I64, VECTOR_BYTES)]), size)
    pieces = list[Value]()
    for first in range(0, writer.width, lanes):
        own = code.shuffle(index, None, list(range(first, first + lanes)))
        pieces.append(writer.call_intrinsic(_PERMUTATIONS[size], chunk, [low, own, high]))
    while len(pieces) > 1:
        pairs = zip(pieces[::2], pieces[1::2], strict=True)
        pieces = [_join(writer, a, b) for a, b in pairs]
    return pieces[0]


def _join(writer: Writer, first: Value, second: Value) -> Value:
    assert isinstance(first.type, VecTy)
    return writer.code.shuffle(first, second, list(range(2 * first.type.lanes)))


def read_lanes(
    writer: Writer, base: Value, addresses: Value, mask: Value, parts: list[tuple[IntTy, int]]
) -> list[Value]:
    """What each active lane finds, part by part (type and offset), one load after another; lanes
    that are not active read where the first active one does."""
    code = writer.code
    first = code.extract_element(addresses, writer.widen(writer.first_lane(mask)))
    safe = code.select(writer.flags(mask), addresses, writer.lanes(first))
    found = [zero(writer.vector_type(p)) for p, _ in parts]
    for lane in range(writer.width):
        pointer = code.gep(I8, base, [code.extract_element(safe, lane)], inbounds=False)
        for number, (part, offset) in enumerate(parts):
            place = code.gep(I8, pointer, [const_int(I64, offset)]) if offset else pointer
            element = code.load(part, place, part.bits // 8)
            found[number] = code.insert_element(found[number], element, lane)
    return found
