"""A kernel's static tables: what its blocks, segments, instructions and accesses are.

A trace says which segments a warp executed and which addresses it touched; everything else about
the instructions stands here, once per kernel. All numbers count from 0 through the whole kernel.
"""

from __future__ import annotations

from kcc.base.records import dataclass
from kcc.base.trace.rows import Json, from_json, to_json

CLASSES = (
    "int", "int_mul", "int_div", "int64", "int64_mul", "logic", "fp16", "fp32", "fp64", "fp_div",
    "special", "math", "convert", "compare", "select", "move", "phi", "address",
    "load_private", "load_global", "load_constant", "load_local", "load_generic",
    "store_private", "store_global", "store_local", "store_generic",
    "atomic_global", "atomic_local", "atomic_generic",
    "tensor", "image", "barrier", "fence", "shuffle", "work_item", "branch", "call",
)  # fmt: skip
"""The closed list of instruction classes, those of the instruction mix."""

SPACES = ("private", "global", "constant", "local", "generic")
OPERATIONS = ("load", "store", "atomic")
WIDTHS = (32, 64)
LARGEST = 1 << 30
"""More segments, or bytes in an element, than this cannot be."""

CONSTANT = -(1 << 31)
"""The operand that is a constant; argument ``a`` is ``-1 - a``."""


@dataclass(frozen=True, slots=True)
class TracedInstruction:
    """One instruction of the canonical IR.

    ``detail`` is what the opcode leaves open: the callee, the predicate, the atomic operation.
    ``classes`` are what one execution counts as in the instruction mix, with how often (a vector
    operation once per lane; memcpy is a load and a store; some instructions make no code).
    ``operands`` are the instructions whose results it reads, its true dependences;
    ``-1 - a`` stands for argument a, :data:`CONSTANT` for a constant. A phi reads ``operands[i]``
    when control comes from block ``incoming[i]``. ``type`` and ``result_bytes`` are void and 0
    where there is no result. ``access`` is the number of the traced access it is, -1 for none.
    ``file`` is a place in the tables' ``files``, -1 (and line and column 0) where the place in the
    source is not known.
    """

    block: int
    segment: int
    opcode: str
    detail: str
    classes: tuple[tuple[str, int], ...]
    type: str
    result_bytes: int
    operands: tuple[int, ...]
    incoming: tuple[int, ...]
    access: int
    file: int
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class TracedBlockTable:
    """A basic block: instructions ``first`` to ``end`` (excluded), its phis first, its terminator
    last. ``counted`` are those that count as warp instructions: all but phis.

    ``successors`` are the terminator's targets, each once. ``reconvergence`` is the block where
    lanes that part here reconverge, -1 the end of the kernel; None where lanes cannot part.
    ``line`` is 0 where it is not known.
    """

    label: str
    line: int
    first: int
    end: int
    counted: int
    first_segment: int
    successors: tuple[int, ...]
    reconvergence: int | None


@dataclass(frozen=True, slots=True)
class Segment:
    """A block, or the part of one up to a barrier and after it: instructions ``first`` to
    ``end``, accesses ``first_access`` to ``end_access`` (ends excluded). ``counted`` as for
    blocks. ``barrier`` is the barrier that ends it, -1 for none."""

    block: int
    first: int
    end: int
    counted: int
    first_access: int
    end_access: int
    barrier: int


@dataclass(frozen=True, slots=True)
class TracedAccessTable:
    """A memory instruction that is traced.

    ``element_bytes`` is what one lane moves. ``space`` is the array's where it is known, else the
    pointer's. ``array`` is the array's name in the source, "" where it is not one alone, and
    ``argument`` its number among the kernel's arguments, -1 where it is none.
    """

    instruction: int
    operation: str
    space: str
    element_bytes: int
    array: str
    argument: int

    @property
    def memory(self) -> str:
        """The space whose memory a GPU goes to: a struct by value is read from constant memory,
        where launches leave their arguments."""
        is_parameter = self.space == "private" and self.argument >= 0
        return "constant" if is_parameter and self.operation == "load" else self.space


@dataclass(frozen=True, slots=True)
class StaticArray:
    """An array the kernel declares, at its virtual address (private ones lie at the same in every
    work-item, local ones in every thread block)."""

    name: str
    space: str
    address: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class TracedArgument:
    """A kernel argument as OpenCL's argument info spells it."""

    name: str
    type: str
    space: str


@dataclass(frozen=True, slots=True)
class TraceTables:
    """Everything a trace's reader must know of a kernel.

    ``level`` is the optimisation level of the IR (O0, O1, O2). ``texts`` are the contents of
    ``files``, "" for those that were not at hand. ``local_bytes`` and ``private_bytes`` (of one
    work-item) are what the kernel itself declares. ``ir`` is the text of the module, in which the
    kernel is called ``symbol`` and was written in ``language``: instruction i of its function is
    instruction i here. They are "" in traces of versions 1 and 2, and of what is no IR.
    """

    kernel: str
    source: str
    level: str
    width: int
    arguments: tuple[TracedArgument, ...]
    files: tuple[str, ...]
    texts: tuple[str, ...]
    blocks: tuple[TracedBlockTable, ...]
    segments: tuple[Segment, ...]
    instructions: tuple[TracedInstruction, ...]
    accesses: tuple[TracedAccessTable, ...]
    arrays: tuple[StaticArray, ...]
    local_bytes: int
    private_bytes: int
    ir: str = ""
    symbol: str = ""
    language: str = ""

    def to_json(self) -> Json:
        """As what :mod:`json` writes."""
        return to_json(self)

    @staticmethod
    def from_json(value: Json) -> TraceTables:
        """From what :meth:`to_json` gave; raises ValueError for anything else."""
        tables = from_json(TraceTables, value, "tables")
        _check(tables)
        return tables


def _check(tables: TraceTables) -> None:
    """Raise ValueError unless all numbers lead somewhere and the parts fit each other."""
    _require(tables.width in WIDTHS, "the warp width is neither 32 nor 64")
    _require(len(tables.segments) < LARGEST, "there are too many segments")
    _check_blocks(tables)
    _check_segments(tables)
    _check_instructions(tables)
    _check_accesses(tables)
    _require(len(tables.files) == len(tables.texts), "there is not one text for each file")
    for number, array in enumerate(tables.arrays):
        _require(array.space in SPACES and array.size_bytes >= 0, f"array {number}")


def _check_instructions(tables: TraceTables) -> None:
    blocks = range(len(tables.blocks))
    for number, instruction in enumerate(tables.instructions):
        where = f"instruction {number}"
        segment = tables.segments[instruction.segment : instruction.segment + 1]
        _require(instruction.segment >= 0 and len(segment) == 1, f"{where} is in no segment")
        _require(segment[0].first <= number < segment[0].end, f"{where} is in another segment")
        _require(instruction.block == segment[0].block, f"{where} is in another block")
        _require(all(c in CLASSES and n > 0 for c, n in instruction.classes), f"{where}: class")
        _require(all(_is_operand(o, tables) for o in instruction.operands), f"{where}: operand")
        _require(all(b in blocks for b in instruction.incoming), f"{where}: incoming block")
        _require(-1 <= instruction.file < len(tables.files), f"{where}: file")
        _require(min(instruction.line, instruction.column) >= 0, f"{where}: line")
        _require(instruction.result_bytes >= 0, f"{where}: result")
        access = instruction.access
        _require(-1 <= access < len(tables.accesses), f"{where}: access")
        _require(access < 0 or tables.accesses[access].instruction == number, f"{where}: access")


def _check_blocks(tables: TraceTables) -> None:
    """Blocks follow one another through instructions and segments."""
    first, segment, blocks = 0, 0, range(-1, len(tables.blocks))
    for number, block in enumerate(tables.blocks):
        where = f"block {number}"
        _require(block.first == first < block.end, f"{where} does not follow the one before")
        _require(block.first_segment == segment, f"{where}: first segment")
        _require(all(b in blocks[1:] for b in block.successors), f"{where}: successor")
        meets = block.reconvergence is None or block.reconvergence in blocks
        _require(meets, f"{where}: reconvergence")
        counted = 0
        while segment < len(tables.segments) and tables.segments[segment].block == number:
            counted += tables.segments[segment].counted
            segment += 1
        _require(segment > block.first_segment, f"{where} has no segment")
        _require(tables.segments[segment - 1].end == block.end, f"{where}: its segments' end")
        _require(block.counted == counted, f"{where}: counted instructions")
        first = block.end
    _require(first == len(tables.instructions), "there are instructions in no block")
    _require(segment == len(tables.segments), "there are segments in no block")


def _check_segments(tables: TraceTables) -> None:
    """Segments follow one another through instructions and accesses."""
    first = access = 0
    for number, segment in enumerate(tables.segments):
        where = f"segment {number}"
        follows = segment.first == first < segment.end <= len(tables.instructions)
        _require(follows, f"{where} does not follow the one before")
        _require(0 <= segment.counted <= segment.end - segment.first, f"{where}: counted")
        _require(segment.barrier in (-1, segment.end - 1), f"{where}: barrier")
        _require(segment.first_access == access <= segment.end_access, f"{where}: accesses")
        _require(segment.end_access <= len(tables.accesses), f"{where}: accesses")
        last = first - 1
        for own in tables.accesses[access : segment.end_access]:
            _require(last < own.instruction < segment.end, f"{where}: order of accesses")
            last = own.instruction
        first, access = segment.end, segment.end_access
    _require(first == len(tables.instructions), "there are instructions in no segment")
    _require(access == len(tables.accesses), "there are accesses in no segment")


def _check_accesses(tables: TraceTables) -> None:
    for number, own in enumerate(tables.accesses):
        _require(tables.instructions[own.instruction].access == number, f"access {number}")
        good = (
            own.operation in OPERATIONS and own.space in SPACES and 0 < own.element_bytes < LARGEST
        )
        _require(good, f"access {number}")
        _require(-1 <= own.argument < len(tables.arguments), f"access {number}: argument")


def _is_operand(operand: int, tables: TraceTables) -> bool:
    return operand == CONSTANT or -len(tables.arguments) <= operand < len(tables.instructions)


def _require(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise ValueError(f"tables: {otherwise}")
