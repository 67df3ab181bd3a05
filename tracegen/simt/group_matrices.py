"""A warp's part of a warpgroup's matrix product (``wgmma``), whose operands lie in shared memory.

Matrix descriptors and layouts: PTX ISA, "Asynchronous warpgroup-level matrix shared memory layout"
and "Matrix descriptor format": rows of 128, 64 or 32 bytes, swizzled by exclusive or of bits 4 to 6
of the address with bits 7 to 9. Elements are read without a trace; an address beyond shared memory
is taken at its end.
"""

from __future__ import annotations

from kcc.frontend.builtins.matrix import MatrixProduct
from kcc.frontend.ir.builder import Value, const_int
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import FLOAT, I8, I32, I64, VOID, VecTy
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import Worker
from kcc.tracegen.simt.wide import Wide

LANES = 32


def write_group_product(frame: WarpFrame, call: Call, product: MatrixProduct) -> Wide:
    """A call of a function that reads A and B as descriptors say and adds to C in memory."""
    code = frame.code
    left, right, base, total = (frame.operand(o) for o in call.operands)
    registers = product.n // 2
    sums = code.alloca(VecTy(LANES * registers, FLOAT), 64)
    for number, part in enumerate(total.parts):
        vector = frame.lanes(part)
        code.store(vector, code.gep(vector.type, sums, [const_int(I64, number)]), 64)
    fragment = code.alloca(VecTy(LANES * 4, I32), 64)
    descriptor: Value = const_int(I64, 0)
    if len(left.parts) == 4:
        for number, part in enumerate(left.parts):
            vector = frame.lanes(part)
            code.store(vector, code.gep(vector.type, fragment, [const_int(I64, number)]), 64)
    else:
        descriptor = _first(frame, left.parts[0])
    name = f"kcc.{call.callee}.{len(left.parts)}"
    text = _TEXT if len(left.parts) == 1 else _TEXT.replace(_OF_DESCRIPTOR, _OF_REGISTERS)
    for word, with_ in (
        ("NAME", name.replace(".", "_")), ("COLUMNS", str(product.n)), ("DEPTH", str(product.k)),
        ("TRA", _flag("tra" in product.options)), ("TRB", _flag("trb" in product.options)),
        ("CONVERT", _CONVERT[product.a]),
    ):  # fmt: skip
        text = text.replace(word, with_)
    own = f"kcc.group.{name.replace('.', '_')}"
    frame.module.declare(own, text)
    local = frame.bases[3]
    start = _first(frame, base.parts[0])
    host = code.gep(I8, local, [start], inbounds=False)
    limit = frame.load_word(frame.worker, Worker.LOCAL_BYTES)
    warp = code.binary("and", frame.load_word(frame.worker, Worker.WARP), const_int(I64, 3))
    arguments = [host, limit, warp, descriptor, _first(frame, right.parts[0]), fragment, sums]
    code.call(own, VOID, arguments, convention="")
    vector = frame.vector_type(FLOAT)
    return Wide(tuple(
        code.load(vector, code.gep(vector, sums, [const_int(I64, n)]), 64) for n in range(registers)
    ))  # fmt: skip


def _first(frame: WarpFrame, part: Value) -> Value:
    """The value of the first lane: descriptors are the same for all."""
    return frame.code.extract_element(part, 0) if isinstance(part.type, VecTy) else part


def _flag(on: bool) -> str:
    return "true" if on else "false"


_CONVERT = {
    "f16": "%h = bitcast i16 %bits to half\n  %f = fpext half %h to double",
    "bf16": "%w = zext i16 %bits to i32\n  %s = shl i32 %w, 16\n  %g = bitcast i32 %s to float\n"
    "  %f = fpext float %g to double",
}

_OF_DESCRIPTOR = "@kcc.element.NAME(ptr %base, i64 %limit, i64 %da, i64 %row64, i64 %k, i1 TRA)"
_OF_REGISTERS = "@kcc.fragment.NAME(ptr %a, i64 %row, i64 %k)"

_TEXT = """
define internal double @kcc.value.NAME(i16 %bits) alwaysinline {
  CONVERT
  ret double %f
}
define internal double @kcc.fragment.NAME(ptr %a, i64 %row, i64 %k) alwaysinline {
  %g = and i64 %row, 7
  %t = lshr i64 %k, 1
  %t3 = and i64 %t, 3
  %l = shl i64 %g, 2
  %lane = or i64 %l, %t3
  %up = lshr i64 %row, 3
  %k8 = lshr i64 %k, 3
  %k2 = shl i64 %k8, 1
  %register = or i64 %up, %k2
  %r32 = shl i64 %register, 5
  %word = or i64 %r32, %lane
  %w2 = shl i64 %word, 1
  %odd = and i64 %k, 1
  %half = or i64 %w2, %odd
  %p = getelementptr i16, ptr %a, i64 %half
  %bits = load i16, ptr %p
  %f = call double @kcc.value.NAME(i16 %bits)
  ret double %f
}
define internal double @kcc.element.NAME(
    ptr %base, i64 %limit, i64 %d, i64 %mn, i64 %k, i1 %across
) alwaysinline {
  %start14 = and i64 %d, 16383
  %start = shl i64 %start14, 4
  %l1 = lshr i64 %d, 16
  %l2 = and i64 %l1, 16383
  %leading = shl i64 %l2, 4
  %s1 = lshr i64 %d, 32
  %s2 = and i64 %s1, 16383
  %stride = shl i64 %s2, 4
  %mode = lshr i64 %d, 62
  %plain = icmp eq i64 %mode, 0
  %shift0 = sub i64 8, %mode
  %shift = select i1 %plain, i64 4, i64 %shift0
  %wide = shl i64 1, %shift
  %mn7 = and i64 %mn, 7
  %mn8 = lshr i64 %mn, 3
  %k7 = and i64 %k, 7
  %k8 = lshr i64 %k, 3
  %row = shl i64 %mn7, %shift
  %group = mul i64 %mn8, %stride
  %kb = shl i64 %k, 1
  %kb7 = shl i64 %k7, 1
  %kchunk = mul i64 %k8, %leading
  %kplain = add i64 %kchunk, %kb7
  %kin = select i1 %plain, i64 %kplain, i64 %kb
  %rowgroup = add i64 %row, %group
  %major = add i64 %rowgroup, %kin
  %krow = shl i64 %k7, %shift
  %mask = sub i64 %wide, 1
  %mnb = shl i64 %mn, 1
  %within = and i64 %mnb, %mask
  %block = lshr i64 %mnb, %shift
  %mstep = select i1 %plain, i64 %stride, i64 %leading
  %kstep = select i1 %plain, i64 %leading, i64 %stride
  %blocks = mul i64 %block, %mstep
  %kgroup = mul i64 %k8, %kstep
  %m1 = add i64 %within, %blocks
  %m2 = add i64 %krow, %kgroup
  %minor = add i64 %m1, %m2
  %offset = select i1 %across, i64 %minor, i64 %major
  %address = add i64 %start, %offset
  %bits3 = lshr i64 %address, 3
  %m3 = icmp eq i64 %mode, 3
  %m2x = icmp eq i64 %mode, 2
  %part0 = select i1 %m2x, i64 48, i64 112
  %part = select i1 %m3, i64 16, i64 %part0
  %used = select i1 %plain, i64 0, i64 %part
  %flip = and i64 %bits3, %used
  %swizzled = xor i64 %address, %flip
  %last = sub i64 %limit, 2
  %safe = call i64 @llvm.umin.i64(i64 %swizzled, i64 %last)
  %p = getelementptr i8, ptr %base, i64 %safe
  %bits = load i16, ptr %p, align 2
  %f = call double @kcc.value.NAME(i16 %bits)
  ret double %f
}
define internal void @kcc.group.NAME(
    ptr %base, i64 %limit, i64 %warp, i64 %da, i64 %db, ptr %a, ptr %c
) noinline {
entry:
  %first = shl i64 %warp, 4
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ %row.next, %row.end ]
  %row64 = add i64 %first, %row
  br label %columns
columns:
  %n = phi i64 [ 0, %rows ], [ %n.next, %column.end ]
  %g = and i64 %row, 7
  %l = shl i64 %g, 2
  %n7 = and i64 %n, 7
  %t = lshr i64 %n7, 1
  %lane = or i64 %l, %t
  %n8 = lshr i64 %n, 3
  %r1 = shl i64 %n8, 2
  %up = lshr i64 %row, 3
  %r2 = shl i64 %up, 1
  %odd = and i64 %n, 1
  %r3 = or i64 %r1, %r2
  %register = or i64 %r3, %odd
  %r32 = shl i64 %register, 5
  %place = or i64 %r32, %lane
  %p = getelementptr float, ptr %c, i64 %place
  %old = load float, ptr %p
  %old64 = fpext float %old to double
  br label %sum
sum:
  %k = phi i64 [ 0, %columns ], [ %k.next, %sum ]
  %total = phi double [ %old64, %columns ], [ %more, %sum ]
  %x = call double @kcc.element.NAME(ptr %base, i64 %limit, i64 %da, i64 %row64, i64 %k, i1 TRA)
  %y = call double @kcc.element.NAME(ptr %base, i64 %limit, i64 %db, i64 %n, i64 %k, i1 TRB)
  %xy = fmul double %x, %y
  %more = fadd double %total, %xy
  %k.next = add i64 %k, 1
  %k.more = icmp ult i64 %k.next, DEPTH
  br i1 %k.more, label %sum, label %column.end
column.end:
  %new = fptrunc double %more to float
  store float %new, ptr %p
  %n.next = add i64 %n, 1
  %n.more = icmp ult i64 %n.next, COLUMNS
  br i1 %n.more, label %columns, label %row.end
row.end:
  %row.next = add i64 %row, 1
  %row.more = icmp ult i64 %row.next, 16
  br i1 %row.more, label %rows, label %done
done:
  ret void
}
"""
