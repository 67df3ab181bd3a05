"""Writes the function that runs a range of thread blocks, warp after warp, barrier by barrier.

``kcc.blocks(worker, first, count) -> i32`` gives a :class:`~kcc.tracegen.simt.layout.Status`. The
warps of a block run in turn, each to its next barrier or its end; when all have come to the same
barrier, the next round begins. A warp that ends while another waits, or waits at another barrier,
is a fault.
"""

from __future__ import annotations

from kcc.frontend.ir.builder import FunctionBuilder, ModuleBuilder, Value, const_int
from kcc.frontend.ir.types import I8, I32, I64, VOID, IrType, PtrTy
from kcc.tracegen.simt.layout import FaultKind, State, Status, Worker
from kcc.tracegen.simt.plan import Plan
from kcc.tracegen.simt.poison import POISON_BYTE
from kcc.tracegen.simt.tracing import HEADER_FUNCTION, define_header
from kcc.tracegen.simt.warp import WARP_FUNCTION
from kcc.tracegen.simt.wide import Writer

BLOCKS_FUNCTION = "kcc.blocks"
SHADOW_BYTE = 0xFF
"""Of a byte none of whose bits was set."""
POINTER = PtrTy(0)
_WORKER = Value(POINTER, "%worker")


def write_schedule(
    module: ModuleBuilder,
    plan: Plan,
    *,
    tracing: bool,
    precise: bool,
    watched: bool,
    lenient: bool,
) -> None:
    """Add ``kcc.blocks`` to the module. Local and private memory is filled with a pattern before
    use; with ``precise`` so is its shadow, with ``watched`` all bits of it are set. With
    ``lenient`` warps that have ended may miss barriers, and the others wait at different ones."""
    code = FunctionBuilder(I32)
    writer = Writer(module, code, plan.width)
    if tracing:
        define_header(module, plan.width)
    _Schedule(
        writer, plan, tracing=tracing, precise=precise, watched=watched, lenient=lenient
    ).write()
    module.define(
        f"define i32 @{BLOCKS_FUNCTION}(ptr %worker, i64 %first, i64 %count) nounwind", code
    )


class _Schedule:
    def __init__(
        self,
        writer: Writer,
        plan: Plan,
        *,
        tracing: bool,
        precise: bool,
        watched: bool,
        lenient: bool,
    ) -> None:
        self.writer = writer
        self.code = writer.code
        self.plan = plan
        self.tracing = tracing
        self.precise = precise
        self.shadow_byte = SHADOW_BYTE if watched else POISON_BYTE
        self.lenient = lenient

    def write(self) -> None:
        code = self.code
        code.position_at("entry")
        end = code.binary("add", Value(I64, "%first"), Value(I64, "%count"))
        warps = self.word(Worker.WARPS)
        states = self.word(Worker.STATES, POINTER)
        code.branch("block")
        code.position_at("block")
        block = Value(I64, "%block.number")
        code.blocks["block"].append(
            "  %block.number = phi i64 [ %first, %entry ], [ %block.next, %block.end ]"
        )
        code.branch_if(code.compare("icmp", "ult", block, end), "block.start", "done")
        code.position_at("block.start")
        self._set_group(block)
        self._fill_local()
        self._init_warps(warps, states)
        self._round(warps, states)
        code.position_at("block.end")
        code.blocks["block.end"].append("  %block.next = add i64 %block.number, 1")
        code.branch("block")
        code.position_at("done")
        code.ret(const_int(I32, Status.DONE))
        code.position_at("fault")
        self.set(Worker.FAULT_BLOCK, block)
        code.ret(const_int(I32, Status.FAULT))

    def word(self, index: int, type_: IrType = I64) -> Value:
        return self.writer.load_word(_WORKER, index, type_)

    def set(self, index: int, value: Value) -> None:
        self.writer.store_word(value, _WORKER, index)

    def _set_group(self, block: Value) -> None:
        """Group ids from the linear number, x fastest."""
        code = self.code
        self.set(Worker.BLOCK, block)
        nx, ny = self.word(Worker.GROUPS_X), self.word(Worker.GROUPS_Y)
        self.set(Worker.GROUP_X, code.binary("urem", block, nx))
        rest = code.binary("udiv", block, nx)
        self.set(Worker.GROUP_Y, code.binary("urem", rest, ny))
        self.set(Worker.GROUP_Z, code.binary("udiv", rest, ny))

    def _fill_local(self) -> None:
        base = self.word(Worker.LOCAL, POINTER)
        start = self.code.gep(I8, base, [self.word(Worker.LOCAL_LOW)], inbounds=False)
        self._fill(start, self.word(Worker.LOCAL_BYTES))
        if self.precise:
            shadow = self.code.gep(I8, start, [self.word(Worker.LOCAL_SHADOW)], inbounds=False)
            self._fill(shadow, self.word(Worker.LOCAL_BYTES), self.shadow_byte)

    def _fill(self, start: Value, size: Value, byte: int = POISON_BYTE) -> None:
        """Fill memory with the pattern of what was never written."""
        name = "llvm.memset.p0.i64"
        self.writer.module.declare(name, f"declare void @{name}(ptr, i8, i64, i1)")
        self.code.emit(f"call void @{name}({start}, i8 {byte}, {size}, i1 false)")

    @property
    def _private_bytes(self) -> int:
        """Of one warp, the shadow included."""
        return self.plan.private_bytes * self.plan.width * (2 if self.precise else 1)

    def _private(self, warp: Value) -> Value:
        """Where the warp's private memory begins."""
        each = self._private_bytes
        number = warp if self.plan.barriers else const_int(I64, 0)
        start = self.code.binary("mul", number, const_int(I64, each))
        return self.code.gep(I8, self.word(Worker.PRIVATE_START, POINTER), [start])

    def _loop(self, name: str, warps: Value) -> Value:
        """Open a loop over the warps; the caller ends its body with :meth:`_next`."""
        code = self.code
        here = code.current
        code.branch(f"{name}.head")
        code.position_at(f"{name}.head")
        number = Value(I64, f"%{name}.warp")
        code.blocks[f"{name}.head"].append(
            f"  {number.text} = phi i64 [ 0, %{here} ], [ %{name}.after, %{name}.next ]"
        )
        inside = code.compare("icmp", "ult", number, warps)
        code.branch_if(inside, f"{name}.body", f"{name}.end")
        code.position_at(f"{name}.next")
        code.blocks[f"{name}.next"].append(f"  %{name}.after = add i64 {number.text}, 1")
        code.branch(f"{name}.head")
        code.position_at(f"{name}.body")
        return number

    def _state(self, states: Value, warp: Value) -> Value:
        offset = self.code.binary("mul", warp, const_int(I64, self.stride))
        return self.code.gep(I8, states, [offset])

    @property
    def stride(self) -> int:
        """Bytes from one warp's state to the next: 0 where one serves all in turn."""
        return self.plan.state_bytes if self.plan.barriers else 0

    def _init_state(self, state: Value, warp: Value) -> None:
        """A warp at the entry with all its lanes."""
        code, writer = self.code, self.writer
        masks = self.word(Worker.LIVE_MASKS, POINTER)
        live = code.load(I64, code.gep(I64, masks, [warp]), 8)
        zero = const_int(I64, 0)
        for index, value in (
            (State.PC, zero), (State.MASK, live), (State.RECONVERGENCE, const_int(I64, -1)),
            (State.DEPTH, zero), (State.BUDGET, self.word(Worker.BUDGET)),
            (State.STATUS, const_int(I64, Status.BARRIER)), (State.LIVE, live),
            (State.VOTES, zero),
        ):  # fmt: skip
            writer.store_word(value, state, index)
        if self.plan.private_bytes:
            start = self._private(warp)
            self._fill(start, const_int(I64, self._private_bytes))
            if self.shadow_byte != POISON_BYTE:
                size = const_int(I64, self._private_bytes // 2)
                self._fill(self.code.gep(I8, start, [size]), size, self.shadow_byte)

    def _init_warps(self, warps: Value, states: Value) -> None:
        if not self.plan.barriers:
            return
        warp = self._loop("init", warps)
        self._init_state(self._state(states, warp), warp)
        self.code.branch("init.next")
        self.code.position_at("init.end")

    def _round(self, warps: Value, states: Value) -> None:
        """Run every warp that has not ended; without barriers one round does."""
        code, writer = self.code, self.writer
        if self.plan.barriers:
            code.branch("round")
            code.position_at("round")
        waiting = code.alloca(I64, 8)
        place = code.alloca(I64, 8)
        ended = code.alloca(I64, 8)
        for slot in (waiting, ended):
            code.store(const_int(I64, 0), slot, 8)
        code.store(const_int(I64, -1), place, 8)
        warp = self._loop("run", warps)
        state = self._state(states, warp)
        if not self.plan.barriers:
            self._init_state(state, warp)
        else:
            status = writer.load_word(state, State.STATUS)
            over = code.compare("icmp", "eq", status, const_int(I64, Status.DONE))
            code.branch_if(over, "run.over", "run.go")
            code.position_at("run.over")
            code.store(const_int(I64, 1), ended, 8)
            code.branch("run.next")
            code.position_at("run.go")
        self._enter_warp(warp)
        answer = code.call(WARP_FUNCTION, I32, [_WORKER, state], convention="")
        code.switch(answer, "run.fault", [(Status.DONE, "run.done"), (Status.BARRIER, "run.wait")])
        code.position_at("run.fault")
        self.set(Worker.FAULT_WARP, warp)
        code.branch("fault")
        code.position_at("run.done")
        writer.store_word(const_int(I64, Status.DONE), state, State.STATUS)
        code.store(const_int(I64, 1), ended, 8)
        code.branch("run.next")
        code.position_at("run.wait")
        self._arrive(state, warp, waiting, place)
        code.position_at("run.end")
        self._close_round(waiting, ended, place)

    def _enter_warp(self, warp: Value) -> None:
        """Tell the worker record which warp runs and where its private memory is."""
        self.set(Worker.WARP, warp)
        if self.plan.private_bytes:
            self.writer.store_word(self._private(warp), _WORKER, Worker.PRIVATE)
        if self.tracing:
            self._trace_header(warp)

    def _trace_header(self, warp: Value) -> None:
        """Say whose blocks follow."""
        arguments = [_WORKER, self.word(Worker.BLOCK), warp]
        self.code.call(HEADER_FUNCTION, VOID, arguments, convention="")

    def _arrive(self, state: Value, warp: Value, waiting: Value, place: Value) -> None:
        """A warp waits: at the same barrier as those before it, or it is a fault."""
        code, writer = self.code, self.writer
        point = writer.load_word(state, State.PC)
        if self.lenient:
            code.store(const_int(I64, 1), waiting, 8)
            code.branch("run.next")
            return
        known = code.load(I64, place, 8)
        first = code.compare("icmp", "eq", known, const_int(I64, -1))
        same = code.compare("icmp", "eq", known, point)
        code.branch_if(code.binary("or", first, same), "run.arrive", "run.mismatch")
        code.position_at("run.mismatch")
        self.set(Worker.FAULT_KIND, const_int(I64, FaultKind.BARRIER_MISMATCH))
        self._blame_barrier(point, warp)
        code.position_at("run.arrive")
        code.store(point, place, 8)
        code.store(const_int(I64, 1), waiting, 8)
        code.branch("run.next")

    def _blame_barrier(self, point: Value, warp: Value) -> None:
        """A fault at a barrier: the resume point stands for the instruction."""
        self.set(Worker.FAULT_INSTRUCTION, point)
        self.set(Worker.FAULT_LANES, const_int(I64, 1))
        self.set(Worker.FAULT_LANE, const_int(I64, 0))
        self.set(Worker.FAULT_WARP, warp)
        self.code.branch("fault")

    def _close_round(self, waiting: Value, ended: Value, place: Value) -> None:
        code = self.code
        if not self.plan.barriers:
            code.branch("block.end")
            return
        some_wait = code.compare("icmp", "ne", code.load(I64, waiting, 8), const_int(I64, 0))
        code.branch_if(some_wait, "round.waiting", "block.end")
        code.position_at("round.waiting")
        if self.lenient:
            code.branch("round")
            return
        some_ended = code.compare("icmp", "ne", code.load(I64, ended, 8), const_int(I64, 0))
        code.branch_if(some_ended, "round.abandoned", "round")
        code.position_at("round.abandoned")
        self.set(Worker.FAULT_KIND, const_int(I64, FaultKind.BARRIER_ABANDONED))
        self._blame_barrier(code.load(I64, place, 8), const_int(I64, 0))
