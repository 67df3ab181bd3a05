"""Which overload of a built-in function a call means.

The choice is clang's in OpenCL C 1.2: a candidate wins when each of its arguments fits at least as
well as in every other candidate and one fits better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from kcc.base.records import dataclass
from kcc.frontend.builtins.conversions import Fit, Order, Rank, compare, fit
from kcc.frontend.builtins.mangle import mangle
from kcc.frontend.builtins.overloads import overloads_of, reinterpreted_type, rows_of
from kcc.frontend.builtins.signatures import Effect, ResolvedBuiltin
from kcc.frontend.types import BOOL, QualType, ScalarType, Type, VectorType, size_of

MAX_CANDIDATES = 8
"""How many candidates a message lists at most."""


@dataclass(frozen=True, slots=True)
class NoMatch:
    """No overload takes these arguments; ``candidates`` are spelled signatures."""

    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several overloads fit equally well; ``candidates`` are the spelled signatures of those."""

    candidates: tuple[str, ...]


Resolution = ResolvedBuiltin | NoMatch | Ambiguous


def is_builtin(name: str) -> bool:
    """Whether a name is that of a built-in function (``vec_step`` is an operator, hence not)."""
    return bool(rows_of(name)) or reinterpreted_type(name) is not None


def resolve(
    name: str, arguments: Sequence[Type], constants: Mapping[int, int] | None = None
) -> Resolution:
    """The overload of ``name`` that a call with values of these types means.

    ``arguments`` are unqualified types after decay of arrays. ``constants`` gives the values of
    those arguments, by position, that are integer constant expressions (or a null pointer
    constant such as ``NULL``, value 0). Raises KeyError for a name that is not a built-in.
    """
    known = tuple(sorted(constants.items())) if constants else ()
    return _resolve(name, tuple(arguments), known)


def spell(builtin: ResolvedBuiltin) -> str:
    """The prototype of an overload in OpenCL C."""
    shown = [str(p.type) for p in builtin.parameters] + (["..."] if builtin.variadic else [])
    return f"{builtin.result} {builtin.name}({', '.join(shown) or 'void'})"


@lru_cache(maxsize=4096)
def _resolve(
    name: str, arguments: tuple[Type, ...], known: tuple[tuple[int, int], ...]
) -> Resolution:
    target = reinterpreted_type(name)
    if target is not None:
        return _reinterpret(name, target, arguments)
    overloads = overloads_of(name)
    if not overloads:
        raise KeyError(name)
    constants = dict(known)
    viable = list[tuple[ResolvedBuiltin, list[Fit]]]()
    for overload in overloads:
        fits = _fits(overload, arguments, constants)
        if fits is not None:
            viable.append((overload, fits))
    if not viable:
        return NoMatch(_candidates(overloads))
    best = viable[0]
    for candidate in viable[1:]:
        if _is_better(candidate[1], best[1]):
            best = candidate
    rivals = [o for o, fits in viable if o is not best[0] and not _is_better(best[1], fits)]
    return Ambiguous(_candidates([best[0], *rivals])) if rivals else best[0]


def _fits(
    overload: ResolvedBuiltin, arguments: tuple[Type, ...], constants: dict[int, int]
) -> list[Fit] | None:
    """How each argument fits; None when one does not or their number is wrong."""
    parameters = overload.parameters
    if len(arguments) < len(parameters) or (
        len(arguments) > len(parameters) and not overload.variadic
    ):
        return None
    fits = list[Fit]()
    for position, parameter in enumerate(parameters):
        found = fit(arguments[position], parameter.type, constants.get(position))
        if found is None:
            return None
        fits.append(found)
    return fits


def _is_better(first: list[Fit], second: list[Fit]) -> bool:
    """A candidate without an incompatible pointer beats one with it, whatever the rest."""
    pairs = list(zip(first, second, strict=True))
    wrong = [(a.rank is Rank.INCOMPATIBLE, b.rank is Rank.INCOMPATIBLE) for a, b in pairs]
    if any(a != b for a, b in wrong):
        return not any(a > b for a, b in wrong)
    orders = [compare(a, b) for a, b in pairs]
    return Order.WORSE not in orders and Order.BETTER in orders


def _reinterpret(
    name: str, target: ScalarType | VectorType, arguments: tuple[Type, ...]
) -> Resolution:
    """as_type takes any scalar or vector of the same size, which a vector of 3 shares with 4."""
    if len(arguments) == 1:
        (source,) = arguments
        arithmetic = isinstance(source, (ScalarType, VectorType)) and source != BOOL
        if arithmetic and size_of(source) == size_of(target):
            symbol = mangle(name, (source,))
            return ResolvedBuiltin(name, symbol, target, (QualType(source),), Effect.PURE)
    return NoMatch((f"{target} {name}(a scalar or vector of {size_of(target)} bytes)",))


def _candidates(overloads: Sequence[ResolvedBuiltin]) -> tuple[str, ...]:
    return tuple(spell(o) for o in overloads[:MAX_CANDIDATES])
