"""Notes what went wrong in a worker's record; the way to it is off the usual one."""

from __future__ import annotations

from kcc.frontend.ir.builder import FunctionBuilder, Value, const_int
from kcc.frontend.ir.types import I64, VOID, PtrTy, VecTy
from kcc.tracegen.simt.layout import FaultKind, Worker
from kcc.tracegen.simt.wide import Writer


def note_fault(
    writer: Writer, made: set[str], worker: Value, kind: FaultKind, lanes: Value, addresses: Value
) -> None:
    """Write kind, lanes to blame, the first of them and its address; ``addresses`` is one for each
    lane or one for all. ``made`` has the names of the module's helpers."""
    each = isinstance(addresses.type, VecTy)
    name = "kcc.note.lanes" if each else "kcc.note"
    if name not in made:
        made.add(name)
        _define(writer, name, addresses)
    arguments = [worker, const_int(I64, kind), lanes, addresses]
    writer.code.call(name, VOID, arguments, convention="")


def _define(outer: Writer, name: str, addresses: Value) -> None:
    code = FunctionBuilder(VOID)
    writer = Writer(outer.module, code, outer.width)
    code.position_at("entry")
    worker, lanes = Value(PtrTy(0), "%worker"), Value(writer.mask_type, "%lanes")
    address = Value(addresses.type, "%address")
    writer.store_word(Value(I64, "%kind"), worker, Worker.FAULT_KIND)
    writer.store_word(writer.widen(lanes), worker, Worker.FAULT_LANES)
    lane = writer.widen(writer.first_lane(lanes))
    writer.store_word(lane, worker, Worker.FAULT_LANE)
    one = code.extract_element(address, lane) if isinstance(address.type, VecTy) else address
    writer.store_word(one, worker, Worker.FAULT_ADDRESS)
    code.ret()
    header = f"define internal void @{name}({worker}, i64 %kind, {lanes}, {address})"
    writer.module.define(f"{header} cold noinline nounwind", code)
