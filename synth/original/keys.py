"""Numbers of a kernel that are no strides, sizes or limits: what is hidden in them can be redrawn.

Two kinds. Numbers that are mixed into a hash, whose result is cut to an index by a mask or a
remainder: any others like them spread indices as evenly (Knuth, The Art of Computer Programming,
volume 3, section 6.4). And numbers that loaded values are compared with, and these values used for
nothing else: what is filled in then only says on which side of each number it is
(:class:`kcc.synth.original.contents.Coding`).
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import (
    AnyInstruction,
    Binary,
    Cast,
    CondBranch,
    IntCompare,
    Phi,
    Select,
    Switch,
)
from kcc.frontend.ir.model import Function
from kcc.frontend.ir.opcodes import IntPredicate, Opcode
from kcc.frontend.ir.types import IntTy, size_bytes
from kcc.frontend.ir.values import ArgumentRef, ConstantInt, InstructionRef, Value
from kcc.synth.original.roles import Roles

Users = Sequence[Sequence[AnyInstruction]]

SMALL_BITS = 8
"""Numbers of fewer bits hide nothing: strides, dimensions, shifts."""

LARGE_BITS = 16
"""From here on what is multiplied or added, and then cut, is taken for a hash's; below for the
width of a buffer that is walked round and round."""

KEPT_BITS = 3
"""Low bits that stay: whether a generator of numbers has its full period hangs on them (Knuth,
volume 2, section 3.2.1.2, theorem A)."""

_SIGNED = frozenset({IntPredicate.SLT, IntPredicate.SLE, IntPredicate.SGT, IntPredicate.SGE})
_EQUAL = frozenset({IntPredicate.EQ, IntPredicate.NE})
_MIXING = (Opcode.XOR, Opcode.MUL, Opcode.ADD, Opcode.SUB, Opcode.OR)
_REMAINDERS = (Opcode.UREM, Opcode.SREM)


@dataclass(frozen=True, slots=True)
class Compared:
    """What integers of a buffer are compared with: constants by instruction and operand, or
    scalar arguments."""

    constants: frozenset[tuple[int, int, int]]
    scalars: frozenset[int]
    is_unsigned: bool

    def number(self, function: Function, instruction: int, place: int, value: int) -> int:
        """A constant as the comparison reads it."""
        type_ = function.instructions[instruction].operands[place].type
        assert isinstance(type_, IntTy)
        return value & ((1 << type_.bits) - 1) if self.is_unsigned else value


@dataclass(frozen=True, slots=True)
class Keys:
    """``mixed`` are constants of hashes by instruction and operand, ``mixing`` scalar arguments of
    hashes with the bits from which on they are; ``compared`` is by argument of a buffer;
    ``unwanted`` are instructions on data whose numbers can neither be kept nor redrawn: what they
    decide is drawn; so are addresses that ``veiled`` ones are part of."""

    mixed: frozenset[tuple[int, int]] = frozenset()
    mixing: Mapping[int, int] = field(default_factory=dict[int, int])
    compared: Mapping[int, Compared] = field(default_factory=dict[int, Compared])
    unwanted: frozenset[int] = frozenset()
    veiled: frozenset[int] = frozenset()


def is_telling(value: int, bits: int) -> bool:
    """Whether a number has so many bits, and is no power of two or one less."""
    size = abs(value)
    return size.bit_length() > bits and size & (size - 1) != 0 and size & (size + 1) != 0


def mixed_in(
    function: Function, roles: Roles, used_by: Users
) -> tuple[frozenset[tuple[int, int]], dict[int, int]]:
    """Constants and scalar arguments that go into hashes."""
    found, arguments = set[tuple[int, int]](), dict[int, int]()
    spoilt = set[int]()
    for made in function.instructions:
        if made.index not in roles.index:
            continue
        for place, value in enumerate(made.operands):
            bits = _bits(made, place)
            if isinstance(value, ConstantInt) and bits is not None:
                if is_telling(value.value, bits) and _folds(made, roles, used_by):
                    found.add((made.index, place))
            elif isinstance(value, ArgumentRef) and isinstance(value.type, IntTy):
                if bits is not None and _folds(made, roles, used_by):
                    arguments[value.index] = max(bits, arguments.get(value.index, 0))
                else:
                    spoilt.add(value.index)
    spoilt |= {o.index for made in function.instructions for o in made.operands
               if isinstance(o, ArgumentRef) and made.index not in roles.index}  # fmt: skip
    return frozenset(found), {a: b for a, b in arguments.items() if a not in spoilt}


def _bits(made: AnyInstruction, place: int) -> int | None:
    """From how many bits on an operand may be a hash's; None for those that never are."""
    match made:
        case Binary(opcode=Opcode.XOR):
            return SMALL_BITS
        case Binary(opcode=Opcode.MUL | Opcode.ADD | Opcode.SUB):
            return LARGE_BITS
        case Phi() | Cast():
            return LARGE_BITS
        case Select() if place > 0:
            return LARGE_BITS
        case _:
            return None


def _folds(made: AnyInstruction, roles: Roles, used_by: Users) -> bool:
    """Whether all that an address or a condition learns of a result comes through a mask or a
    remainder; behind a multiplication by a large number also by its leading bits."""
    pending = [(made, _scatters(made))]
    seen = {(made.index, pending[0][1])}
    while pending:
        one, scattered = pending.pop()
        own = [user for user in used_by[one.index] if user.index in roles.index]
        if any(isinstance(user, CondBranch | Switch) for user in used_by[one.index]):
            return False
        for user in own:
            if _cuts(user, one, scattered=scattered):
                continue
            if not (_mixes(user) or isinstance(user, Cast | Phi | Select)):
                return False
            after = user, scattered or _scatters(user)
            if (user.index, after[1]) not in seen:
                seen.add((user.index, after[1]))
                pending.append(after)
    return True


def _scatters(made: AnyInstruction) -> bool:
    return (
        isinstance(made, Binary)
        and made.opcode is Opcode.MUL
        and any(
            isinstance(o, ConstantInt) and is_telling(o.value, LARGE_BITS) for o in made.operands
        )
    )


def _mixes(user: AnyInstruction) -> bool:
    return isinstance(user, Binary) and (
        user.opcode in _MIXING or user.opcode in (Opcode.LSHR, Opcode.SHL, Opcode.ASHR, Opcode.AND)
    )


def _cuts(user: AnyInstruction, one: AnyInstruction, *, scattered: bool) -> bool:
    """Whether a result is cut to an index."""
    if not isinstance(user, Binary) or _is(user.right, one):
        return False
    if user.opcode in _REMAINDERS:
        return True
    if not isinstance(user.right, ConstantInt) or not isinstance(user.type, IntTy):
        return False
    if user.opcode is Opcode.AND:
        return user.right.value > 0 and user.right.value & (user.right.value + 1) == 0
    return scattered and user.opcode is Opcode.LSHR and 4 * user.right.value >= user.type.bits


def _is_xor(made: AnyInstruction) -> bool:
    return isinstance(made, Binary) and made.opcode is Opcode.XOR


def _is(value: Value, made: AnyInstruction) -> bool:
    return isinstance(value, InstructionRef) and value.index == made.index


def compared_with(
    function: Function, roles: Roles, used_by: Users, leaves: Mapping[int, int],
    others: Iterable[int],
) -> dict[int, Compared]:  # fmt: skip
    """For buffers, by argument, whose integers are compared and nothing else. ``leaves`` are the
    loads of integers, with the argument; ``others`` the arguments that cannot be recoded."""
    found = dict[int, Compared]()
    for argument in sorted(set(leaves.values()) - set(others)):
        loads = [leaf for leaf, own in leaves.items() if own == argument]
        own = _comparisons(function, roles, used_by, loads)
        if own is not None and (own.constants or own.scalars):
            found[argument] = own
    # A scalar argument is recoded for one buffer, and where it is used for nothing else.
    shared = [s for own in found.values() for s in own.scalars]
    for argument, own in list(found.items()):
        if any(shared.count(s) > 1 or not _only_compared(function, roles, s) for s in own.scalars):
            del found[argument]
    return found


def _comparisons(
    function: Function, roles: Roles, used_by: Users, loads: Sequence[int]
) -> Compared | None:
    constants, scalars, signs = set[tuple[int, int, int]](), set[int](), set[bool]()
    widest = 0
    for leaf in loads:
        made = function.instructions[leaf]
        if leaf not in roles.deciding or not isinstance(made.type, IntTy):
            return None
        for user, through in _index_users(made, roles, used_by):
            if not isinstance(user, IntCompare):
                return None
            place = 1 if _is(user.left, through) else 0
            other = user.operands[place]
            widest = max(widest, size_bytes(other.type))
            scalar = _scalar(function, other)
            if isinstance(other, ConstantInt):
                constants.add((user.index, place, other.value))
            elif scalar is not None:
                scalars.add(scalar)
            else:
                return None
            if user.predicate not in _EQUAL:
                signs.add(user.predicate not in _SIGNED)
            signs |= _extensions(made, through, function)
    if len(signs) > 1 or (constants and scalars) or (True in signs and widest > 4):
        return None
    return Compared(frozenset(constants), frozenset(scalars), signs == {True})


def _index_users(
    made: AnyInstruction, roles: Roles, used_by: Users
) -> Iterator[tuple[AnyInstruction, AnyInstruction]]:
    """What uses a loaded value, extended or not, among what decides; with what it uses."""
    for user in used_by[made.index]:
        if user.index not in roles.index:
            continue
        if isinstance(user, Cast) and user.opcode in (Opcode.ZEXT, Opcode.SEXT):
            yield from _index_users(user, roles, used_by)
        else:
            yield user, made


def _extensions(load: AnyInstruction, through: AnyInstruction, function: Function) -> set[bool]:
    """The sign that extensions between a load and what uses it give it."""
    found, made = set[bool](), through
    while made.index != load.index:
        assert isinstance(made, Cast)
        found.add(made.opcode is Opcode.ZEXT)
        before = function.definition(made.operand)
        assert before is not None
        made = before
    return found


def _scalar(function: Function, value: Value) -> int | None:
    """The scalar argument that a value is, extended or not."""
    while isinstance(value, InstructionRef):
        made = function.instructions[value.index]
        if not isinstance(made, Cast):
            return None
        value = made.operand
    if isinstance(value, ArgumentRef) and isinstance(value.type, IntTy):
        return value.index
    return None


def _only_compared(function: Function, roles: Roles, scalar: int) -> bool:
    """Whether all that uses a scalar argument is comparisons with loaded values."""
    for made in function.instructions:
        if any(isinstance(o, ArgumentRef) and o.index == scalar for o in made.operands):
            if not isinstance(made, IntCompare) or made.index not in roles.index:
                return False
            if made.index in roles.known:
                return False
    return True


def _unwanted(
    function: Function, roles: Roles, mixed: frozenset[tuple[int, int]], mixing: Mapping[int, int],
    compared: Mapping[int, Compared],
) -> frozenset[int]:  # fmt: skip
    """Instructions on data that would keep numbers which are neither strides nor sizes."""
    coded = {(i, place) for own in compared.values() for i, place, _ in own.constants}
    found = set[int]()
    for index in roles.decided - roles.known:
        made = function.instructions[index]
        for place, value in enumerate(made.operands):
            if (index, place) in coded or (index, place) in mixed:
                continue
            if isinstance(value, ConstantInt):
                bits = SMALL_BITS if isinstance(made, IntCompare) else _bits(made, place)
                if bits is not None and is_telling(value.value, bits):
                    found.add(index)
            elif isinstance(value, ArgumentRef) and value.index not in mixing and _is_xor(made):
                found.add(index)
    return frozenset(found)


def keys_of(
    function: Function, roles: Roles, used_by: Users, leaves: Mapping[int, int],
    others: Iterable[int],
) -> Keys:  # fmt: skip
    """The keys of a kernel; ``leaves`` and ``others`` as for :func:`compared_with`."""
    mixed, mixing = mixed_in(function, roles, used_by)
    compared = compared_with(function, roles, used_by, leaves, others)
    unwanted = _unwanted(function, roles, mixed, mixing, compared)
    veiled = frozenset(_veiled(function, roles, mixed, mixing))
    return Keys(mixed, mixing, compared, unwanted, veiled)


def _veiled(
    function: Function, roles: Roles, mixed: frozenset[tuple[int, int]], mixing: Mapping[int, int]
) -> Iterator[int]:
    """Exclusive ors of data with numbers, that are not cut to an index."""
    for index in roles.index - roles.known:
        made = function.instructions[index]
        if not _is_xor(made):
            continue
        for place, value in enumerate(made.operands):
            match value:
                case ConstantInt(value=number) if (index, place) not in mixed:
                    if is_telling(number, SMALL_BITS):
                        yield index
                case ArgumentRef(index=argument) if argument not in mixing:
                    yield index
                case _:
                    pass


class Redraw:
    """New numbers for old ones: the same for the same, of as many bits."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)
        self._found = dict[int, int]()

    def of(self, value: int, bits: int) -> int:
        """What stands for a number of so many bits, signed where it is."""
        whole = value & ((1 << bits) - 1)
        if whole not in self._found:
            self._found[whole] = self._drawn(whole)
        found = self._found[whole]
        return found - (1 << bits) if value < 0 else found

    def _drawn(self, whole: int) -> int:
        length = whole.bit_length()
        low = (1 << KEPT_BITS) - 1
        while True:
            found = self._rng.getrandbits(length) | 1 << (length - 1)
            found = found & ~low | whole & low
            size = (length + 7) // 8
            pairs = zip(found.to_bytes(size, "little"), whole.to_bytes(size, "little"), strict=True)
            apart = [a != b for a, b in pairs]
            if all(apart[: length // 8] or apart[:1]) and is_telling(found, 0):
                return found
