"""What a report of `kcc analyze` holds: the typed form of the document `kcc/analysis/1`.

Ids count from 0 within a kernel. Lines and columns count from 1 in the user's source; 0 is
unknown. What is not known is an :class:`Unknown`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from kcc.diagnostics import Diagnostic, Span
from kcc.frontend.kernel import Language
from kcc.frontend.options import OptLevel


@dataclass(frozen=True, slots=True)
class Unknown:
    """A value that is not known, and why not, in words that follow a colon."""

    reason: str


class EdgeKind(Enum):
    """Which way out of a block an edge is."""

    JUMP = "jump"
    TRUE = "true"
    FALSE = "false"
    CASE = "case"
    DEFAULT = "default"


class AccessOp(Enum):
    """What an access does."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


class Severity(Enum):
    """How much a finding matters: a cost, or something worth knowing."""

    WARNING = "warning"
    REMARK = "remark"


@dataclass(frozen=True, slots=True)
class Argument:
    """A kernel argument; ``type`` as OpenCL's kernel argument info spells it."""

    name: str
    type: str
    address_space: str
    access: str
    qualifiers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A basic block; ``mix`` counts its instructions by class, ``last_line`` closes its lines."""

    id: int
    label: str
    line: int
    last_line: int
    instructions: int
    mix: Mapping[str, int]


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
class Loop:
    """A natural loop; ``line`` is that of its keyword, ``header`` and ``blocks`` are block ids."""

    id: int
    line: int
    header: int
    depth: int
    parent: int | None
    blocks: tuple[int, ...]
    barriers: int
    instructions: int
    trip: Unknown


@dataclass(frozen=True, slots=True)
class Branch:
    """A conditional branch or switch; ``condition`` is readable text."""

    id: int
    line: int
    column: int
    block: int
    condition: str
    divergence: Unknown


@dataclass(frozen=True, slots=True)
class Access:
    """One memory access; ``element_bytes`` is what one lane moves."""

    id: int
    line: int
    column: int
    block: int
    op: AccessOp
    array: str | Unknown
    address_space: str
    element_bytes: int
    pattern: Unknown


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
    """The launch a report speaks of; ``origin`` is the command line, a kernel.toml, or "assumed".

    Sizes are text: numbers, or expressions with free names.
    """

    global_size: tuple[str, ...] | Unknown
    local_size: tuple[str, ...]
    assumed: bool
    origin: str


@dataclass(frozen=True, slots=True)
class Finding:
    """Something the reader should know about, at a place in the source."""

    severity: Severity
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class LineFacts:
    """What stands on one source line: instructions by class, accesses (ids), loop depth."""

    file: str
    line: int
    mix: Mapping[str, int]
    accesses: tuple[int, ...]
    branches: tuple[int, ...]
    barriers: int
    loop_depth: int


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel. ``mix`` has every class of the closed list, those that do not occur with 0."""

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
    mix: Mapping[str, int]
    unattributed: int
    local_bytes: int
    private_bytes: int
    required_local_size: tuple[int, int, int] | None
    launch: LaunchView
    registers: Unknown
    occupancy: Unknown
    findings: tuple[Finding, ...]
    lines: tuple[LineFacts, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """Everything about one source; ``remarks`` say what else went into it (kernel.toml)."""

    source: str
    language: Language
    frontend: str
    optimisation: OptLevel
    kernels: tuple[KernelReport, ...]
    warnings: tuple[Diagnostic, ...]
    remarks: tuple[str, ...]
    sources: Mapping[str, Sequence[str]]
