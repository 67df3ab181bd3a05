"""What one operation of the IR costs a warp: machine instructions, by unit, per architecture.

A GPU's compiler turns an operation into none, one or many machine instructions. The table says
which, each row with where the figure comes from; widths and folding are decided in
:mod:`kcc.sim.program.lowering`. "Guide" is NVIDIA's CUDA C++ Programming Guide, section "Arithmetic
Instructions" (throughput of native instructions); "Turing data" are the instruction counters of a
2080 Ti over convolution and Coulomb sums, which the tests of the benchmark compare with.
"""

from __future__ import annotations

from enum import Enum, IntEnum

from kcc.base.gpu.description import GpuDescription
from kcc.base.records import dataclass
from kcc.frontend.ir.opcodes import Opcode
from kcc.passes.mix.instruction_classes import InstructionClass


class Unit(IntEnum):
    """What executes a machine instruction; the numbers index a scheduler's units."""

    ALU = 0
    """Integer, logic, compare, select, move."""
    FMA = 1
    """Single and half precision, and integer multiplication since Volta."""
    FP64 = 2
    SFU = 3
    """Special functions and conversions between kinds of number (NVIDIA: XU)."""
    MEMORY = 4
    """Loads and stores: one for the SM, not one per scheduler."""
    CONTROL = 5
    EITHER = 6
    """Moves between registers: ptxas deals them out between ALU (MOV) and FMA (IMAD.MOV)."""

    TENSOR = 7
    """Matrix products; how long each takes is in :mod:`kcc.sim.machine.tensor_cores`."""


UNITS = len(Unit)


class Generation(Enum):
    """Architectures that differ in what an operation becomes."""

    FERMI = "Fermi"
    KEPLER = "Kepler"
    MAXWELL = "Maxwell and Pascal"
    VOLTA = "Volta to Ada"
    HOPPER = "Hopper and later"
    AMD = "AMD"


SINCE_VOLTA = frozenset({Generation.VOLTA, Generation.HOPPER})


@dataclass(frozen=True, slots=True)
class Cost:
    """``slots`` machine instructions on ``unit``, the last result ``steps`` dependent instructions
    after the first begins. ``origin`` says where the numbers come from. Of the instructions those
    that ``beside`` counts are on other units; ``of_divisor`` are those of a division that the
    divisions by one number in a block have together."""

    unit: Unit
    slots: float
    steps: float
    origin: str
    beside: tuple[tuple[Unit, float], ...] = ()
    of_divisor: float = 0.0


_C = InstructionClass
_ONE = "one machine instruction in the guide's table"

COSTS: dict[InstructionClass, Cost] = {
    _C.INT: Cost(Unit.ALU, 1, 1, _ONE),
    _C.INT_MUL: Cost(Unit.FMA, 1, 1, "IMAD since Volta (guide, 7.x: 64 lanes)"),
    _C.INT_DIV: Cost(Unit.ALU, 18, 20, "guide: up to 20; I2F, MUFU.RCP, IMAD.HI steps"),
    _C.INT64: Cost(Unit.ALU, 2, 2, "low half with carry out, high half with carry in"),
    _C.INT64_MUL: Cost(Unit.FMA, 4, 3, "IMAD.WIDE and two IMAD for the cross terms, one move"),
    _C.LOGIC: Cost(Unit.ALU, 1, 1, _ONE),
    _C.FP16: Cost(Unit.FMA, 1, 1, _ONE),
    _C.FP32: Cost(Unit.FMA, 1, 1, _ONE),
    _C.FP64: Cost(Unit.FP64, 1, 1, _ONE),
    _C.FP_DIV: Cost(Unit.FMA, 9, 9, "MUFU.RCP, four FFMA, FCHK, branch, moves; slow path is rare"),
    _C.SPECIAL: Cost(Unit.SFU, 1, 1, "MUFU (guide: 16 lanes)"),
    _C.MATH: Cost(Unit.FMA, 20, 12, "range reduction and polynomial of libdevice, its usual path"),
    _C.CONVERT: Cost(Unit.SFU, 1, 1, "guide: conversions at 16 lanes"),
    _C.COMPARE: Cost(Unit.ALU, 1, 1, _ONE),
    _C.SELECT: Cost(Unit.ALU, 1, 1, _ONE),
    _C.MOVE: Cost(Unit.ALU, 0, 0, "a change of name; vector lanes are registers"),
    _C.PHI: Cost(Unit.ALU, 0, 0, "the compiler coalesces it with its sources"),
    _C.ADDRESS: Cost(Unit.ALU, 0, 0, "counted by groups of addresses (sim/program/addresses.py)"),
    _C.WORK_ITEM: Cost(Unit.ALU, 1, 4, "S2R"),
    _C.BRANCH: Cost(Unit.CONTROL, 1, 1, _ONE),
    _C.FENCE: Cost(Unit.CONTROL, 1, 1, "MEMBAR"),
    _C.CALL: Cost(Unit.CONTROL, 20, 20, "a call with its moves; rare"),
    _C.BARRIER: Cost(Unit.CONTROL, 1, 1, "BAR.SYNC"),
    _C.TENSOR: Cost(Unit.TENSOR, 1, 1, "HMMA, IMMA, BMMA, DMMA"),
    _C.SHUFFLE: Cost(Unit.MEMORY, 1, 1, "SHFL (guide: 32 lanes, of the SM)"),
    _C.IMAGE: Cost(Unit.MEMORY, 1, 1, "TEX"),
}  # fmt: skip
"""The rows for NVIDIA GPUs since Volta; what is not here goes through memory."""

OLDER: dict[Generation, dict[InstructionClass, Cost]] = {
    Generation.MAXWELL: {
        _C.INT_MUL: Cost(Unit.FMA, 3, 3, "three XMAD: 16-bit products (guide, 5.x: 'multiple')"),
        _C.INT64_MUL: Cost(Unit.FMA, 12, 8, "XMAD sequences"),
        _C.INT_DIV: Cost(Unit.ALU, 30, 30, "as above with XMAD"),
    },
    Generation.KEPLER: {
        _C.INT_MUL: Cost(Unit.SFU, 1, 1, "guide, 3.x: 32 lanes, that of a sixth of the cores"),
        _C.INT64_MUL: Cost(Unit.SFU, 4, 3, "IMUL and IMUL.HI"),
    },
    Generation.FERMI: {
        _C.INT_MUL: Cost(Unit.FMA, 2, 1, "guide, 2.x: half rate"),
    },
    Generation.AMD: {
        _C.INT_MUL: Cost(Unit.ALU, 4, 4, "v_mul_lo_u32 runs at a quarter rate"),
        _C.FP_DIV: Cost(Unit.FMA, 10, 10, "v_div_scale, v_rcp, v_fma, v_div_fmas, v_div_fixup"),
    },
}

_PTXAS = "ptxas 13 for sm_75 to sm_90, instructions of one division"
_SHORT = (
    "LLVM's NVPTX (BypassSlowDivision) asks whether both are below 2^32, as sizes and indices are, "
    "and then divides 32 bits; else 68 to 88 instructions (ptxas 13)"
)
_PRODUCT = "Granlund and Montgomery (PLDI 1994): high half of a product, shifts, signs corrected"

CONVERSIONS = 3
"""Of each division: of the divisor to a float, its reciprocal, and back (I2F, MUFU.RCP, F2I)."""

_PRODUCTS = 0.4
"""Of its other instructions those that multiply (IMAD, IMAD.HI): 0.3 to 0.5 in code of ptxas 12.9
for sm_75 and sm_90."""


def products_of(slots: float) -> float:
    """Of a division's instructions without conversions those that multiply."""
    return float(round(_PRODUCTS * slots))


def _divides(slots: float, origin: str, of_divisor: float = 0.0) -> Cost:
    beside = (Unit.SFU, float(CONVERSIONS)), (Unit.FMA, products_of(slots - CONVERSIONS))
    return Cost(Unit.ALU, slots, slots + 2, origin, beside, of_divisor)


_OF_DIVISOR = {False: 8.0, True: 10.0}
"""Its reciprocal and whether it is zero: by how much fewer the second and third division by one
number are, by whether they are signed (ptxas 12.9, sm_75 to sm_90)."""

DIVISIONS: dict[tuple[Opcode, bool], Cost] = {
    (Opcode.UDIV, False): _divides(
        18, f"{_PTXAS}: I2F, MUFU.RCP, IMAD.HI, corrections", _OF_DIVISOR[False]
    ),
    (Opcode.UREM, False): _divides(17, _PTXAS, _OF_DIVISOR[False]),
    (Opcode.SDIV, False): _divides(24, f"{_PTXAS}: as unsigned, and signs", _OF_DIVISOR[True]),
    (Opcode.SREM, False): _divides(22, _PTXAS, _OF_DIVISOR[True]),
    (Opcode.UDIV, True): _divides(22, _SHORT),
    (Opcode.UREM, True): _divides(21, _SHORT),
    (Opcode.SDIV, True): _divides(22, _SHORT),
    (Opcode.SREM, True): _divides(21, _SHORT),
}
"""Division and remainder of integers by what is no constant, by whether they have 64 bits, since
Volta; ptxas 13 makes no code for GPUs before, which have the row of their class."""

_KNOWN_LATE = (
    "ptxas 12.9 for sm_75 to sm_90, instructions of one more division by a power of two that a "
    "fast function of an unrolled loop's counter gives"
)

LATE_DIVISIONS: dict[Opcode, Cost] = {
    Opcode.UDIV: _divides(14, _KNOWN_LATE),
    Opcode.UREM: _divides(13, _KNOWN_LATE),
    Opcode.SDIV: _divides(18, _KNOWN_LATE),
    Opcode.SREM: _divides(16, _KNOWN_LATE),
}
"""Of integers of 32 bits by a number that ptxas knows after it has taken divisions apart."""

TEST_OF_HALVES = 4
"""Instructions that ask whether 64-bit operands fit 32 bits (BypassSlowDivision, as above)."""

AMD_WIDE_DIVISION = Cost(Unit.ALU, 70, 60, "AMDGPU expands it in line: two reciprocals in halves")

BY_POWER_OF_TWO: dict[bool, Cost] = {
    False: Cost(Unit.ALU, 3, 3, "shift of the sign, addition, shift"),
    True: Cost(Unit.ALU, 8, 6, "the same in halves, shifts across them two each"),
}
BY_TWO = Cost(Unit.ALU, 2, 2, "the sign added (LEA.HI), shift (ptxas 12.9, sm_80)")
BY_CONSTANT: dict[bool, Cost] = {
    False: Cost(Unit.ALU, 4, 4, _PRODUCT),
    True: Cost(Unit.ALU, 14, 8, f"{_PRODUCT}; four products of halves"),
}
"""Division of integers by constants, by whether they have 64 bits."""


def generation_of(capability: tuple[int, int] | None, is_amd: bool) -> Generation:
    """The row of tables for a GPU; what is neither counts as Volta and what came after it."""
    if is_amd:
        return Generation.AMD
    if capability is not None and capability[0] >= 9:
        return Generation.HOPPER
    if capability is None or capability[0] >= 7:
        return Generation.VOLTA
    if capability[0] >= 5:
        return Generation.MAXWELL
    return Generation.KEPLER if capability[0] == 3 else Generation.FERMI


def generation_of_gpu(gpu: GpuDescription) -> Generation:
    """The row of tables for a GPU."""
    return generation_of(gpu.capability, gpu.is_amd)


def division_cost(
    opcode: Opcode, generation: Generation, *, is_wide: bool, is_known_late: bool = False
) -> Cost:
    """Integer division or remainder by a value that is no constant, or known too late."""
    if generation in SINCE_VOLTA:
        late = is_known_late and not is_wide
        return LATE_DIVISIONS[opcode] if late else DIVISIONS[opcode, is_wide]
    if is_wide and generation is Generation.AMD:
        return AMD_WIDE_DIVISION
    kind = InstructionClass.INT_DIV
    row = OLDER.get(generation, {}).get(kind, COSTS[kind])
    more = TEST_OF_HALVES if is_wide else 0
    return Cost(row.unit, row.slots + more, row.steps + more, row.origin)


def cost_of(kind: InstructionClass, generation: Generation) -> Cost | None:
    """The cost of one operation of a class; None for what goes through memory."""
    return OLDER.get(generation, {}).get(kind) or COSTS.get(kind)
