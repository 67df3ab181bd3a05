"""What a report of `kcc analyze` holds: the typed form of the document `kcc/analysis/1`.

Ids count from 0 within a kernel. Lines and columns count from 1 in the user's source; 0 is
unknown. What is not known is an :class:`Unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Diagnostic, Span
from kcc.base.launch import Origin
from kcc.base.records import dataclass
from kcc.frontend.kernel import Argument, Language, Refused
from kcc.frontend.options import OptLevel
from kcc.frontend.types import AddressSpace
from kcc.passes.control.branch_conditions import Side, Terminal
from kcc.passes.control.divergence import Uniformity
from kcc.passes.control.flow_counts import FlowCounts
from kcc.passes.control.trip_counts import TripKind
from kcc.passes.graph.control_flow import EdgeKind
from kcc.passes.memory.access_facts import AccessPattern
from kcc.passes.memory.memory_accesses import AccessOp
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.passes.unknown import Unknown

if TYPE_CHECKING:
    from kcc.base.gpu.occupancy import Occupancy
    from kcc.frontend.machine_code.model import MachineCode
    from kcc.passes.registers.counts import Registers

Mix = Mapping[InstructionClass, int]
"""Instructions by class, in the order of the classes; an operation on a vector counts once per
lane."""


class Severity(Enum):
    """How much a finding matters: a cost, or something worth knowing."""

    WARNING = "warning"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block; ``mix`` counts its instructions by class, ``last_line`` closes its lines."""

    id: int
    label: str
    line: int
    last_line: int
    instructions: int
    mix: Mix


@dataclass(frozen=True, slots=True)
class Edge:
    """``back``: from inside a loop to its header."""

    source: int
    target: int
    kind: EdgeKind
    label: str
    """The value of a case; else empty."""
    back: bool


@dataclass(frozen=True, slots=True)
class Trip:
    """How often a loop's body runs, see :class:`kcc.passes.control.trip_counts.TripCount`:
    ``least`` and ``greatest`` per entry, the totals over all entries of one work-item."""

    kind: TripKind
    least: int | None
    greatest: int | None
    total_least: int | None
    total_greatest: int | None
    total_mean: float | None
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Loop:
    """A natural loop; ``line`` is that of its keyword, ``header`` and ``blocks`` are block ids.
    ``unrolled``: whether optimisation unrolled it wholly (True: then it has no header and no blocks
    any more, and its instructions and trips are those of the source), or by how much.
    """

    id: int
    line: int
    header: int | None
    depth: int
    parent: int | None
    blocks: tuple[int, ...]
    barriers: int
    instructions: int
    unrolled: bool | int | Unknown
    trip: Trip


@dataclass(frozen=True, slots=True)
class Branch:
    """A conditional branch or switch; ``condition`` is readable text. ``reconverges_at`` is its
    reconvergence point, None the end of the kernel."""

    id: int
    line: int
    column: int
    block: int
    condition: str
    divergence: Uniformity
    reconverges_at: int | None
    sides: tuple[Side, ...]
    terminals: tuple[Terminal, ...]
    reason: str
    """What keeps the sides from being known."""


@dataclass(frozen=True, slots=True)
class Access:
    """One memory access; ``element_bytes`` is what one lane moves."""

    id: int
    line: int
    column: int
    block: int
    op: AccessOp
    array: str | Unknown
    address_space: AddressSpace
    element_bytes: int | Unknown
    divergence: Uniformity
    """Of the address."""
    pattern: AccessPattern


@dataclass(frozen=True, slots=True)
class Barrier:
    """A barrier call; ``loop`` is the innermost loop around it."""

    line: int
    block: int
    loop: int | None


@dataclass(frozen=True, slots=True)
class IrreducibleRegion:
    """Blocks that form a cycle with several ways in: no natural loop."""

    line: int
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LaunchView:
    """The launch a report speaks of: work-items per dimension, as numbers or expressions with free
    names. ``given_by`` names what gave those sizes that were given, ``given`` the scalar arguments
    that have a value.
    """

    global_size: tuple[str, ...]
    local_size: tuple[str, ...]
    global_origin: Origin
    local_origin: Origin
    given_by: str
    given: frozenset[str] = frozenset()


class CostUnit(Enum):
    """Cost beyond the ideal."""

    SECTORS = "sectors"
    """32 bytes moved between an SM and its caches."""
    BANK_PASSES = "bank passes"
    """Cycles of local memory."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What an access moves beyond what its data need: ``excess`` of ``spent`` per execution of a
    full warp, ``total`` over the launch where that is known."""

    unit: CostUnit
    spent: float
    excess: float
    total: int | None


@dataclass(frozen=True, slots=True)
class Finding:
    """Something the reader should know about; ``lines`` are those of the kernel's own file that it
    is about. ``cost`` is what it costs and ``fix`` what would remove it, where that is known.
    """

    severity: Severity
    lines: tuple[int, ...]
    message: str
    cost: Cost | None = None
    fix: str = ""
    code: str = "unknown"
    """Of :data:`kcc.base.advice.ADVICE`."""


@dataclass(frozen=True, slots=True)
class LineFacts:
    """What stands on one source line: instructions by class, accesses (ids), loop depth, and
    instructions by block (phis left out: they stand for no work)."""

    file: str
    line: int
    mix: Mix
    accesses: tuple[int, ...]
    branches: tuple[int, ...]
    barriers: int
    loop_depth: int
    blocks: Mapping[int, int] = field(default_factory=dict[int, int])


@dataclass(frozen=True, slots=True)
class MachineView:
    """A kernel's machine code beside its source. By instruction: ``places`` are file and line, None
    where the compiler does not say; ``live`` the vector registers that hold values before it."""

    code: MachineCode
    places: tuple[tuple[str, int] | None, ...]
    live: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel. ``mix`` has every class of the closed list, those that do not occur with 0;
    ``local_bytes`` are those of its own arrays, ``dynamic_locals`` the arguments that bring more.
    """

    name: str
    symbol: str
    language: Language
    span: Span
    arguments: tuple[Argument, ...]
    blocks: tuple[Block, ...]
    edges: tuple[Edge, ...]
    loops: tuple[Loop, ...]
    irreducible: tuple[IrreducibleRegion, ...]
    branches: tuple[Branch, ...]
    accesses: tuple[Access, ...]
    barriers: tuple[Barrier, ...]
    mix: Mix
    unattributed: int
    local_bytes: int
    dynamic_locals: tuple[str, ...]
    private_bytes: int | Unknown
    required_local_size: tuple[int, int, int] | None
    launch: LaunchView
    flow: FlowCounts
    registers: Registers | Unknown
    block_local_bytes: int | Unknown
    """Local memory of a work-group, that of arguments included."""
    occupancy: Occupancy | Unknown
    findings: tuple[Finding, ...]
    lines: tuple[LineFacts, ...]
    machine: MachineView | None = None
    """Where it was asked for."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything about one source. ``build_options`` are those in effect, one word each;
    ``remarks`` say where they and the launches come from (kernel.toml).
    """

    source: str
    language: Language
    frontend: str
    optimisation: OptLevel
    build_options: tuple[str, ...]
    kernels: tuple[KernelReport, ...]
    refused: tuple[Refused, ...]
    warnings: tuple[Diagnostic, ...]
    remarks: tuple[str, ...]
    sources: Mapping[str, Sequence[str]]
