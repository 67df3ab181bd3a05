"""What a miniature is made of. Everything the emitted files reveal stands in these values, and the
report (:mod:`kcc.synth.report`) prints them all; names, text, data and constants of the original
are not among them.

After Yu et al., "GPGPU-MiniBench: Accelerating GPGPU Micro-Architecture Simulation", IEEE
Transactions on Computers 2015, section 4. What goes beyond it is said where it is decided:
:mod:`kcc.synth.assembly.control` and :mod:`kcc.synth.original.contents`.
"""

from __future__ import annotations

from enum import Enum
from math import prod

from kcc.base.records import dataclass
from kcc.frontend.ir.types import IrType
from kcc.synth.assembly.sharing import Sharing


class Role(Enum):
    """Why an instruction is in the miniature."""

    CHAIN = "chain"
    """Of the opcode chain: opcode, type and dependences are those of the original."""
    INDEX = "index"
    """Makes an address or a condition out of ids, sizes and loop counters: its constants are
    strides and sizes, and are kept."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of the statement of that number."""

    number: int


@dataclass(frozen=True, slots=True)
class Input:
    """A parameter of the miniature kernel."""

    number: int


@dataclass(frozen=True, slots=True)
class Literal:
    """A number: of index statements that of the original, of others one of the generator's own.
    A tuple is a vector."""

    value: int | float | tuple[int | float, ...]


@dataclass(frozen=True, slots=True)
class Place:
    """The start of a local array or a table of constants of the kernel, and bytes after it."""

    array: int
    offset_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Nothing:
    """A value that does not matter."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A drawn address: ``low_bytes`` after ``base`` and one of at most ``count`` elements of
    ``element_bytes``, when ``anchor`` is there. Lanes that draw together access as many elements
    side by side. Where ``hot`` is not 0, half of the draws go to the first of ``2 ** hot`` parts of
    the elements. Where launches differ, ``own`` is the parameter that says how many elements."""

    base: Input | Place
    anchor: Operand
    anchor_type: IrType
    low_bytes: int
    count: int
    element_bytes: int
    sharing: Sharing
    hot: int = 0
    own: Input | None = None


@dataclass(frozen=True, slots=True)
class Refill:
    """What is stored where addresses are taken from: ``least`` and up to ``2 ** bits - 1`` more,
    drawn when ``anchor``, which the original stores, is there."""

    anchor: Operand
    anchor_type: IrType
    least: int
    bits: int


Operand = Result | Input | Literal | Place | Nothing | Spread | Refill


@dataclass(frozen=True, slots=True)
class Statement:
    """One instruction of a block.

    ``detail`` is what the opcode leaves open: the predicate, the built-in function, the atomic
    operation, that signed arithmetic does not overflow. ``operand_types`` go with ``operands``. A
    phi has ``incoming`` blocks. ``shape`` is the type that a getelementptr steps over, ``lanes``
    the mask of a shuffle. ``access`` is the number of the memory access it is, -1 for none, and
    ``alignment_bytes`` what it promises.
    """

    number: int
    opcode: str
    detail: str
    type: IrType
    operands: tuple[Operand, ...]
    operand_types: tuple[IrType, ...]
    incoming: tuple[int, ...]
    role: Role
    shape: IrType | None = None
    lanes: tuple[int | None, ...] = ()
    access: int = -1
    alignment_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Known:
    """A condition that ids, sizes and loop counters decide, as in the original."""

    condition: Operand


@dataclass(frozen=True, slots=True)
class Drawn:
    """A condition that data decide in the original: drawn at the measured rate (section 4.2.2,
    target points, case (iv)).

    ``rates`` is the kernel's parameter with the rate of the first way; ``anchor`` the loaded or
    computed value that must be there first; lanes draw together as ``sharing`` says
    take one side; ``fixed``: a thread always goes the same way (case (ii)), or comes there only
    once. ``stands``: waiting for the anchor is in place of an instruction of the original.
    """

    rates: int
    anchor: Operand
    anchor_type: IrType
    sharing: Sharing
    fixed: bool
    stands: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """The condition that ends a loop: it goes on while the loop's counter is below its trips.
    Where data decide in the original, ``anchor`` is what must be there first; ``stands`` as for
    :class:`Drawn`, ``early`` as for :class:`Bounded`."""

    loop: int
    continues_then: bool
    anchor: Operand
    anchor_type: IrType
    stands: bool = False
    early: bool = False


@dataclass(frozen=True, slots=True)
class Bounded:
    """The condition that ends a loop whose bound is reduced or drawn: ``value``, which moves by as
    much in each trip, is compared with the bound; ``anchor`` and ``stands`` as for
    :class:`Counted`. ``early``: a further way out of the loop, by :attr:`Loop.early`."""

    loop: int
    value: Operand
    value_type: IrType
    continues_then: bool
    anchor: Operand
    anchor_type: IrType
    stands: bool = False
    early: bool = False


Condition = Known | Drawn | Counted | Bounded


@dataclass(frozen=True, slots=True)
class Jump:
    """One way."""

    target: int


@dataclass(frozen=True, slots=True)
class Fork:
    """Two ways: ``then`` if the condition holds."""

    condition: Condition
    then: int
    otherwise: int


@dataclass(frozen=True, slots=True)
class Choice:
    """Ways by the value of an integer, or drawn where data decide (``rates``: the parameters with
    the running sums of the rates of ``cases``)."""

    value: Operand | None
    value_type: IrType
    default: int
    cases: tuple[tuple[int, int], ...]
    rates: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class End:
    """The thread ends."""


Ending = Jump | Fork | Choice | End


def successors(ending: Ending) -> tuple[int, ...]:
    """The blocks that may come next."""
    match ending:
        case Jump(target):
            return (target,)
        case Fork(_, then, otherwise):
            return then, otherwise
        case Choice():
            return *(target for _, target in ending.cases), ending.default
        case End():
            return ()


@dataclass(frozen=True, slots=True)
class Block:
    """A block of the DFSG; ``line`` of the miniature's source is given by the emitter."""

    number: int
    statements: tuple[Statement, ...]
    ending: Ending


class LoopControl(Enum):
    """How a loop of the miniature is ended."""

    KEPT = "as the original"
    BOUND = "by a bound from sizes, ids and counters"
    COUNT = "after the same trips in all threads"
    DRAWN = "after trips drawn from the measured distribution"


@dataclass(frozen=True, slots=True)
class Bound:
    """Where a loop's compared value starts (``is_ahead``: a step further), by how much it moves in
    a trip, up if it ``rises``, and the bound it is compared with by ``predicate`` (of LLVM) while
    the loop goes on. ``tests_first``: the comparison comes before the body. Of a loop with counted
    or drawn trips only ``start``, ``step``, ``rises`` and ``type`` mean anything."""

    start: Operand
    is_ahead: bool
    step: Operand
    rises: bool
    limit: Operand
    predicate: str
    type: IrType
    tests_first: bool


@dataclass(frozen=True, slots=True)
class EarlyExit:
    """A way out of a loop that data decide, beside one that ids and sizes decide: taken in a trip
    drawn from the table ``trips``, or never. Without a ``counter`` the trips are counted that the
    loop's own end counts, at its end."""

    counter: Bound | None
    trips: int
    sharing: Sharing


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop: ``entries`` are the blocks outside that lead to its header; ``trips`` the parameter
    with its trips (COUNT) or a table of them (DRAWN), -1 for none. ``bound`` is there for BOUND,
    and for the other two where the loop has a counter of its own. ``sharing`` as for
    :class:`Drawn`; ``halves``: shares of the loop's tables halve towards the longest trips."""

    number: int
    header: int
    blocks: tuple[int, ...]
    depth: int
    entries: tuple[int, ...]
    control: LoopControl
    bound: Bound | None
    trips: int
    sharing: Sharing
    early: EarlyExit | None = None
    halves: bool = False


class ParameterKind(Enum):
    """What a parameter of a miniature kernel is for."""

    BUFFER = "buffer"
    LOCAL = "local buffer"
    SCALAR = "scalar"
    STRUCT = "struct"
    IMAGE = "image"
    SAMPLER = "sampler"
    RATE = "rate of a branch"
    TRIPS = "trips of a loop"
    TABLE = "trips of a loop, by share of entries"
    SPAN = "elements among which an address is drawn"
    SEED = "seed"
    ZERO = "zero, which the compiler does not know"
    FIRST = "first row of thread blocks that is kept"
    SHIFT = "rows that are kept together, as a power of two"
    SKIP = "rows left out behind them"
    TOTAL = "rows of the original"


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a miniature kernel. ``space`` is the address space of a buffer; ``access`` of
    an image read_only or write_only, and ``size_bytes`` the bytes of a struct."""

    number: int
    kind: ParameterKind
    type: IrType
    space: int = 0
    size_bytes: int = 0
    access: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredArray:
    """An array that the kernel declares: local memory, or a table of constants, whose contents
    are then ``fill``."""

    number: int
    space: int
    size_bytes: int
    fill: Fill | None


@dataclass(frozen=True, slots=True)
class Fill:
    """What is put into (part of) a buffer: elements of ``size_bytes`` at ``offset_bytes``,
    ``stride_bytes`` apart, ``count`` of them: value i is ``start + slope * i`` and a uniform draw
    from 0 to ``spread``, no less than ``least`` and no more than ``most``.

    Where there are ``values``, each is there as often as ``counts`` says, in a random order: in
    place of as many on the line, or, with ``adds_up``, each element is the sum of ``start`` and
    those before it.

    Draws of neighbouring elements are correlated: random numbers go through a filter of coefficient
    ``correlation`` as often as ``filtered`` says, and their ranks order the draws. With ``rows_of``
    all elements of the array are put into ascending order from each element to the next that the
    sums in argument ``rows_of`` name.
    """

    offset_bytes: int
    stride_bytes: int
    count: int
    size_bytes: int
    start: float
    slope: float
    spread: int
    least: int
    most: int
    values: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    adds_up: bool = False
    correlation: float = 0.0
    filtered: int = 1
    rows_of: int | None = None


@dataclass(frozen=True, slots=True)
class Moved:
    """A query of an id or a size, ``get_global_id`` say, in a dimension of which thread blocks are
    left out. An id is the query's plus ``first`` plus ``skip`` for each full ``1 << shift`` thread
    blocks before it; a size is ``total``. All are numbers of parameters, -1 for none; their values
    are in what the query counts, work-items or thread blocks."""

    query: str
    dimension: int
    first: int = -1
    shift: int = -1
    skip: int = -1
    total: int = -1


@dataclass(frozen=True, slots=True)
class Kernel:
    """A miniature kernel. ``dimensions`` are those that any of its launches has more than one
    work-item in, ``local_size`` that of its first launch. ``cleared`` is local memory, with its
    bytes, that is written before anything else, since with fewer trips not all of it is written
    before it is read. ``moved`` are queries that thread blocks left out have a part in."""

    name: str
    parameters: tuple[Parameter, ...]
    arrays: tuple[DeclaredArray, ...]
    blocks: tuple[Block, ...]
    loops: tuple[Loop, ...]
    required_local_size: tuple[int, int, int] | None
    dimensions: int
    local_size: tuple[int, ...]
    cleared: tuple[tuple[Input | Place, int], ...] = ()
    moved: tuple[Moved, ...] = ()


@dataclass(frozen=True, slots=True)
class BufferValue:
    """A buffer of the host, from ``offset_bytes`` on."""

    buffer: int
    fills: tuple[Fill, ...]


@dataclass(frozen=True, slots=True)
class LocalValue:
    """Local memory that the host hands in."""

    size_bytes: int


@dataclass(frozen=True, slots=True)
class ScalarValue:
    """A number, or those of a vector."""

    value: int | float | tuple[int | float, ...]


@dataclass(frozen=True, slots=True)
class StructValue:
    """A struct by value as words of 4 bytes."""

    words: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TableValue:
    """64 trip counts, each for as large a share of the entries, or for shares that double."""

    trips: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ImageValue:
    """An image of so many pixels in x and y."""

    size: tuple[int, ...]


ArgumentValue = BufferValue | LocalValue | ScalarValue | StructValue | TableValue | ImageValue


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch of kernel ``kernel``; ``number`` is that of the original's launch."""

    number: int
    kernel: int
    global_size: tuple[int, ...]
    local_size: tuple[int, ...]
    values: tuple[ArgumentValue, ...]

    @property
    def thread_blocks(self) -> int:
        return prod(self.global_size) // prod(self.local_size)


@dataclass(frozen=True, slots=True)
class Miniature:
    """A whole miniature. ``buffers`` are the host's, in bytes; ``reductions`` are the factors by
    which trips are divided, for each loop of each kernel."""

    kernels: tuple[Kernel, ...]
    launches: tuple[Launch, ...]
    buffers: tuple[int, ...]
    reductions: tuple[tuple[int, ...], ...]
    seed: int
