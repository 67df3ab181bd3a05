"""Machine code as facts: instructions with registers, control bits and where they came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum

from kcc.base.records import dataclass


class Pipe(Enum):
    """What executes a machine instruction."""

    FMA = "fma"
    ALU = "alu"
    FP64 = "fp64"
    SPECIAL = "special"
    TENSOR = "tensor"
    UNIFORM = "uniform"
    """NVIDIA's uniform datapath, AMD's scalar ALU: once for all lanes."""
    MEMORY = "memory"
    CONTROL = "control"


class Space(Enum):
    """The memory that an instruction goes to."""

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"
    TEXTURE = "texture"


@dataclass(frozen=True, slots=True)
class Control:
    """The control bits of an instruction: cycles until the next one of the warp may issue, whether
    the scheduler is asked to take another warp, the barriers (0 to 5) that it sets when its result
    is written and when its sources are read, and those it waits for."""

    stall_cycles: int
    yields: bool
    write_barrier: int | None
    read_barrier: int | None
    waits_for: tuple[int, ...]
    reuse: int
    """A bit for each source operand that stays in the reuse cache."""


@dataclass(frozen=True, slots=True)
class MachineInstruction:
    """``number`` is the instruction of the IR (:mod:`kcc.frontend.machine_code.numbering`) or the
    line it came from, 0 if the compiler does not say. ``predicate`` such as ``!P0``, "" for none;
    ``made`` and ``used`` are registers and predicates, of vectors each word."""

    address: int
    opcode: str
    operands: str
    predicate: str
    number: int
    pipe: Pipe
    made: tuple[str, ...]
    used: tuple[str, ...]
    space: Space | None = None
    is_load: bool = False
    is_store: bool = False
    """Both for an atomic operation that gives a result."""
    bytes: int = 0
    """What a lane moves."""
    target: str = ""
    """The label that it jumps to."""
    control: Control | None = None
    is_paired: bool = False
    """Issued in the same cycle as the one before (Maxwell, Pascal)."""

    @property
    def text(self) -> str:
        """As the assembler writes it."""
        guard = f"@{self.predicate} " if self.predicate else ""
        return f"{guard}{self.opcode} {self.operands}".rstrip()

    @property
    def ends(self) -> bool:
        """Whether nothing after it runs by falling through. A jump with an operand before its
        target (``BRA.DIV``, ``BRA P1``) goes there under a condition."""
        name, *modifiers = self.opcode.split(".")
        conditional = "," in self.operands or "DIV" in modifiers or "CONV" in modifiers
        return not self.predicate and name in ENDS and not (self.target and conditional)


ENDS = frozenset({"EXIT", "BRA", "JMP", "RET", "BRX", "JMX", "KILL", "SYNC", "BRK", "CONT",
                  "s_endpgm", "s_branch", "s_setpc_b64"})  # fmt: skip
"""Opcodes after which the next instruction is not next."""


@dataclass(frozen=True, slots=True)
class MachineCode:
    """A kernel as a compiler made it. ``compiler`` says which, with its target. Registers are
    32-bit ones of a lane; ``scalar_registers`` those of a wave (AMD). ``labels`` give the place of
    the instruction that each stands before."""

    symbol: str
    compiler: str
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int
    barriers: int
    code_bytes: int
    instructions: tuple[MachineInstruction, ...]
    labels: Mapping[str, int]
    scalar_registers: int = 0
    wave_size: int = 32
    reason: str = ""
    """Why there are no instructions, "" where there are."""
    copies: Mapping[int, tuple[int, ...]] = field(default_factory=dict[int, tuple[int, ...]])
    """Instructions of the IR that are one instruction for the compiler, since kcc's own LLVM made
    several of it: their numbers, by the first, which is that of the machine instructions."""

    @property
    def is_amd(self) -> bool:
        """Whether it is AMD's, whose back end unrolls no loop after those of the IR."""
        return self.compiler.startswith("llvm")

    @property
    def spills(self) -> bool:
        """Whether registers did not suffice."""
        return self.spill_store_bytes + self.spill_load_bytes > 0
