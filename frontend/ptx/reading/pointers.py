"""Which registers hold pointers, and into which space: PTX has integers alone.

Backwards from every address to what it is computed from: of a sum the operand that is a pointer is
the one that is not made by multiplication, shifting and the like. Then forwards, the spaces joined
over all definitions until nothing changes, as LLVM's InferAddressSpaces does for generic pointers.
A register that is a pointer on one way and something else on another stays an integer.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ptx.reading.flatten import Flat
from kcc.frontend.ptx.reading.model import (
    Address,
    Instruction,
    Integer,
    Operand,
    Register,
    Several,
    Symbol,
    Variable,
)

GLOBAL, CONSTANT, SHARED, LOCAL, GENERIC = 1, 2, 3, 0, 4
SPACES = {"global": GLOBAL, "const": CONSTANT, "shared": SHARED, "local": LOCAL, "generic": GENERIC}
NO_POINTER = 9
"""Above every space in the lattice: an integer."""

WITHOUT_RESULT = frozenset({
    "st", "red", "bra", "brx", "membar", "fence", "ret", "exit", "trap", "brkpt", "nanosleep",
    "prefetch", "prefetchu", "discard", "applypriority", "stmatrix", "cp", "wgmma", "sust",
    "griddepcontrol", "pmevent", "setmaxnreg", "tensormap",
})  # fmt: skip
"""Instructions whose first operand is no result."""


def space_of(words: tuple[str, ...]) -> int:
    """The state space that an opcode names; generic where it names none."""
    for word in words[1:]:
        name = word.split("::")[0]
        if name in SPACES:
            return SPACES[name]
        if name == "param":
            return LOCAL
    return GENERIC


def results_of(item: Instruction) -> tuple[Operand, ...]:
    """The registers an instruction gives a value."""
    barrier = item.words[0] in ("bar", "barrier") and "red" not in item.words
    if item.words[0] in WITHOUT_RESULT or barrier or not item.operands:
        return ()
    first = item.operands[0]
    if isinstance(first, Address):
        return ()
    return first.parts if isinstance(first, Several) else (first,)


@dataclass(slots=True)
class Pointers:
    """``spaces`` of registers that hold pointers, ``parameters`` of kernel parameters that do.

    ``offsets`` is whether shared memory is addressed by numbers of bytes within one object: then
    no register of 32 bits is a pointer."""

    spaces: dict[str, int] = field(default_factory=dict[str, int])
    parameters: dict[str, int] = field(default_factory=dict[str, int])
    offsets: bool = False


def find_pointers(flat: Flat, variables: dict[str, Variable]) -> Pointers:
    """The pointers of a kernel; ``variables`` are those of the module."""
    finder = _Finder(flat, {**variables, **flat.variables})
    finder.collect()
    finder.demand()
    return finder.solve()


class _Finder:
    def __init__(self, flat: Flat, variables: dict[str, Variable]) -> None:
        self.flat, self.variables = flat, variables
        self.definitions = defaultdict[str, list[Instruction]](list)
        self.bases = dict[str, int]()
        """Registers that are addresses, with the space of an access through each."""
        self.wanted = dict[str, None]()
        self.described = {
            p.name: SPACES[p.pointee_space] for p in flat.kernel.parameters if p.pointee_space
        }
        self.parameters = dict(self.described)
        self.converted = set[str]()
        """Registers that ``cvta`` reads."""
        self.ranks: dict[str, int] | None = None

    def collect(self) -> None:
        for item in self.flat.body:
            if not isinstance(item, Instruction):
                continue
            for result in results_of(item):
                if isinstance(result, Register):
                    self.definitions[result.name].append(item)
            for operand in item.operands:
                if isinstance(operand, Address) and isinstance(operand.base, Register):
                    is_image = item.words[0] in ("tex", "suld", "sust", "txq", "tld4", "suq")
                    self.bases[operand.base.name] = GLOBAL if is_image else space_of(item.words)
            if item.words[0] == "cvta" and isinstance(item.operands[1], Register):
                self.converted.add(item.operands[1].name)

    def demand(self) -> None:
        pending = [*self.bases, *self.converted]
        while pending:
            name = pending.pop()
            if name in self.wanted or name not in self.flat.registers:
                continue
            self.wanted[name] = None
            for item in self.definitions[name]:
                pending += [o.name for o in self.pointer_operands(item) if isinstance(o, Register)]
                if _is_parameter_load(item):
                    place = item.operands[1]
                    assert isinstance(place, Address)
                    assert isinstance(place.base, Symbol)
                    self.parameters.setdefault(place.base.name, GLOBAL)

    def pointer_operands(self, item: Instruction) -> tuple[Operand, ...]:
        """The operands through which an instruction's result is a pointer."""
        match item.words[0]:
            case "mov" | "cvta":
                return item.operands[1:2]
            case "cvt" if item.words[1:] in (("u64", "u32"), ("u32", "u64")):
                return item.operands[1:2]
            case "selp":
                return item.operands[1:3]
            case "sub" if item.type[1:] in ("32", "64"):
                return item.operands[1:2]
            case "mad" if item.type[0] in "sub":
                return item.operands[3:4]
            case "add" if item.type[1:] in ("32", "64"):
                return (self.base_of(item),)
            case _:
                return ()

    def base_of(self, item: Instruction) -> Operand:
        """Which operand of a sum is the pointer."""
        left, right = item.operands[1], item.operands[2]
        if not isinstance(right, Register):
            return left if isinstance(left, Register) else right
        if not isinstance(left, Register):
            return right
        first, second = self.rank(left.name), self.rank(right.name)
        return right if second > first else left

    def rank(self, name: str) -> int:
        """How much a register looks like a pointer: 0 not, 1 it may be one, 2 it is one."""
        if self.ranks is None:
            self.ranks = self.all_ranks()
        return self.ranks.get(name, 0)

    def all_ranks(self) -> dict[str, int]:
        """Of all registers that look like pointers: what an instruction makes of several looks
        like the best of them. Each register is visited once."""
        users = defaultdict[str, list[str]](list)
        certain, possible = list(self.converted), list[str]()
        for name, items in self.definitions.items():
            for item in items:
                word = item.words[0]
                if word == "cvta" or (word == "mov" and _is_variable(item, self.variables)):
                    certain.append(name)
                elif word == "ld" and item.type in ("u64", "b64", "s64"):
                    place = item.operands[1]
                    base = place.base if isinstance(place, Address) else None
                    told = isinstance(base, Symbol) and base.name in self.described
                    (certain if told else possible).append(name)
                elif word in ("mov", "add", "sub", "selp", "cvt", "mad"):
                    sources = item.operands[3:4] if word == "mad" else item.operands[1:3]
                    for source in sources:
                        if isinstance(source, Register):
                            users[source.name].append(name)
        ranks = dict[str, int]()
        for rank, pending in ((2, certain), (1, possible)):
            while pending:
                name = pending.pop()
                if name not in ranks:
                    ranks[name] = rank
                    pending += users[name]
        return ranks

    # forwards

    def solve(self) -> Pointers:
        kinds = dict[str, int | None].fromkeys(self.wanted)
        changed = True
        while changed:
            changed = False
            for name in self.wanted:
                kind = kinds[name]
                for item in self.definitions[name]:
                    kind = _join(kind, self.kind(item, kinds))
                if kind != kinds[name]:
                    kinds[name], changed = kind, True
        spaces = {n: k for n, k in kinds.items() if k is not None and k != NO_POINTER}
        narrow = [n for n in self.wanted if self.flat.registers[n] in ("b32", "u32", "s32")]
        offsets = any(
            n not in spaces and self.bases.get(n, GENERIC) in (SHARED, GENERIC) for n in narrow
        )
        offsets |= any(isinstance(i, Instruction) and i.words[0] == "wgmma" for i in self.flat.body)
        if offsets:
            spaces = {n: k for n, k in spaces.items() if n not in narrow}
        parameters = self.parameters
        return Pointers(spaces, parameters, offsets)

    def kind(self, item: Instruction, kinds: dict[str, int | None]) -> int | None:
        """The space of what an instruction gives; None where nothing is known yet."""
        word = item.words[0]
        if _is_parameter_load(item):
            place = item.operands[1]
            assert isinstance(place, Address)
            assert isinstance(place.base, Symbol)
            return self.parameters.get(place.base.name, GLOBAL)
        if word == "ld" and item.type in ("u64", "b64", "s64"):
            return GENERIC
        if word == "cvta" and item.words[1] == "to":
            return space_of(item.words)
        operands = self.pointer_operands(item)
        if not operands:
            return NO_POINTER
        found: int | None = None
        for operand in operands:
            found = _join(found, self.operand_kind(operand, kinds))
        if word == "cvta" and found in (None, NO_POINTER):
            return space_of(item.words)
        return found

    def operand_kind(self, operand: Operand, kinds: dict[str, int | None]) -> int | None:
        match operand:
            case Register(name):
                return kinds.get(name, NO_POINTER)
            case Symbol(name):
                variable = self.variables.get(name)
                if variable is None:
                    return NO_POINTER
                return SPACES.get(variable.space, NO_POINTER)
            case Integer(0):
                return None
            case _:
                return NO_POINTER


def _is_variable(item: Instruction, variables: dict[str, Variable]) -> bool:
    source = item.operands[1] if len(item.operands) > 1 else None
    return isinstance(source, Symbol) and source.name in variables


def _is_parameter_load(item: Instruction) -> bool:
    if item.words[0] != "ld" or not any(w.startswith("param") for w in item.words):
        return False
    place = item.operands[1]
    return isinstance(place, Address) and isinstance(place.base, Symbol) and place.offset == 0


def _join(one: int | None, other: int | None) -> int | None:
    if one is None or other is None:
        return other if one is None else one
    if one == other:
        return one
    return NO_POINTER if NO_POINTER in (one, other) else GENERIC
