"""Small pieces of text that several renderers use."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from kcc.base.terms import CUDA_WORDS, WORDS
from kcc.frontend.kernel import Language
from kcc.frontend.options import BuildOptions
from kcc.frontend.types import AddressSpace
from kcc.passes.control.trip_counts import TripKind
from kcc.passes.memory.access_facts import AccessKind, AccessPattern
from kcc.passes.memory.memory_accesses import AccessOp
from kcc.passes.mix.instruction_classes import InstructionClass
from kcc.report.analysis.model import Access, KernelReport, Mix, Trip

SPACES = (
    AddressSpace.GLOBAL,
    AddressSpace.CONSTANT,
    AddressSpace.LOCAL,
    AddressSpace.PRIVATE,
    AddressSpace.GENERIC,
)
"""Address spaces in the order in which reports list them."""


T = TypeVar("T")

_C = InstructionClass

GROUPS: dict[InstructionClass, str] = {
    **dict.fromkeys((_C.INT, _C.INT_MUL, _C.INT_DIV, _C.INT64, _C.INT64_MUL, _C.LOGIC), "integer"),
    **dict.fromkeys((_C.FP16, _C.FP32, _C.FP64, _C.FP_DIV, _C.SPECIAL, _C.MATH), "floating point"),
    _C.TENSOR: "matrix products",
    **dict.fromkeys((_C.CONVERT, _C.SELECT, _C.MOVE, _C.SHUFFLE), "data movement"),
    **dict.fromkeys((_C.COMPARE, _C.PHI, _C.BRANCH, _C.CALL), "control"),
    _C.ADDRESS: "address",
    **dict.fromkeys((_C.LOAD_GLOBAL, _C.STORE_GLOBAL, _C.ATOMIC_GLOBAL), "global memory"),
    **dict.fromkeys((_C.LOAD_LOCAL, _C.STORE_LOCAL, _C.ATOMIC_LOCAL), "local memory"),
    **dict.fromkeys(
        (
            _C.LOAD_PRIVATE,
            _C.STORE_PRIVATE,
            _C.LOAD_CONSTANT,
            _C.LOAD_GENERIC,
            _C.STORE_GENERIC,
            _C.ATOMIC_GENERIC,
            _C.IMAGE,
        ),
        "other memory",
    ),
    **dict.fromkeys((_C.BARRIER, _C.FENCE), "synchronisation"),
    _C.WORK_ITEM: "work-item ids",
}
"""Which group of a summary a class belongs to."""


def plural(count: int, noun: str, form: str | None = None) -> str:
    """``1 loop``, ``2 loops``; ``form`` is an irregular plural."""
    return f"{count:,} {noun if count == 1 else form or noun + 's'}"


def join(parts: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def line_list(lines: Iterable[int], limit: int = 6) -> str:
    """``line 3``, ``lines 3, 5 and 7-9``; 0 stands for an unknown line and is left out."""
    known = sorted({line for line in lines if line})
    if not known:
        return "an unknown line"
    runs = list[list[int]]()
    for line in known:
        if runs and line == runs[-1][-1] + 1:
            runs[-1].append(line)
        else:
            runs.append([line])
    shown = [str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
    if len(shown) > limit:
        shown = [*shown[:limit], f"{len(shown) - limit} more"]
    return f"{'line' if len(known) == 1 else 'lines'} {join(shown)}"


def size(counts: Sequence[str]) -> str:
    """Sizes of a launch, per dimension: ``16 x 16``."""
    return " x ".join(counts)


def percent(part: int, whole: int) -> str:
    """In whole percents; below 1 % and above 99 with more digits, so that what is not nothing is
    never shown as 0 %, and what is not all never as 100."""
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 1:
        return "<0.01%" if share < 0.01 else f"{share:.2g}%"
    if 99 < share < 100:
        return f"{min(math.floor(10 * share) / 10, 99.9):.1f}%"
    return f"{round(share)}%"


def by_weight(mix: Mapping[T, int]) -> list[tuple[T, int]]:
    """What occurs, most frequent first; ties in the order of the mix."""
    present = [(each, count) for each, count in mix.items() if count]
    return sorted(present, key=lambda item: -item[1])


def by_group(mix: Mix) -> dict[str, int]:
    """The mix in a handful of groups, for a summary; see :data:`GROUPS`."""
    groups: dict[str, int] = {}
    for each, count in mix.items():
        groups[GROUPS[each]] = groups.get(GROUPS[each], 0) + count
    return groups


_CUDA_SPACES = {AddressSpace.LOCAL: "shared", AddressSpace.PRIVATE: "local"}


def space_name(space: AddressSpace, language: Language) -> str:
    """As the manual of the source's language has it."""
    name = space.name.lower()
    return _CUDA_SPACES.get(space, name) if WORDS[language.value] is CUDA_WORDS else name


def access_counts(kernel: KernelReport) -> list[tuple[AddressSpace, list[tuple[AccessOp, int]]]]:
    """How many loads, stores and atomics there are, for each address space that is accessed."""
    counted = list[tuple[AddressSpace, list[tuple[AccessOp, int]]]]()
    for space in SPACES:
        ops = [
            (op, sum(a.address_space is space and a.op is op for a in kernel.accesses))
            for op in AccessOp
        ]
        if any(count for _, count in ops):
            counted.append((space, [(op, count) for op, count in ops if count]))
    return counted


def place(line: int, column: int) -> str:
    """``line:column`` as far as known."""
    if not line:
        return "?"
    return f"{line}:{column}" if column else str(line)


def array_name(access: Access) -> str:
    """The array that is accessed; a question mark where that is not known."""
    return access.array if isinstance(access.array, str) else "?"


def option_words(options: BuildOptions) -> tuple[str, ...]:
    """Build options, without the optimisation level, as a command line has them."""
    words = list[str]()
    for macro in options.macros:
        undefined = macro.value is None
        words += ["-U", macro.name] if undefined else ["-D", f"{macro.name}={macro.value}"]
    for option, values in (("-I", options.include_dirs), ("-include", options.forced_includes)):
        for value in values:
            words += [option, value]
    if options.opencl_version >= 200:
        words.append(f"-cl-std=CL{options.opencl_version / 100:.1f}")
    flags = {
        "-cl-fast-relaxed-math": options.fast_relaxed_math,
        "-cl-mad-enable": options.mad_enable,
        "-cl-single-precision-constant": options.single_precision_constant,
    }
    return (*words, *(flag for flag, given in flags.items() if given))


def trip_text(trip: Trip) -> str:
    """A trip count in few words: ``16``, ``7-26``, ``at most 40``, ``n / 16``, ``unknown``."""
    match trip.kind:
        case TripKind.UNKNOWN:
            return "unknown"
        case TripKind.SYMBOLIC:
            return trip.text
        case TripKind.BOUND if trip.greatest is None:
            return f"at most {trip.text}"
        case TripKind.BOUND if not trip.least:
            return f"at most {trip.greatest:,}"
        case _:
            shown = f"{trip.least:,}" if trip.least is not None else trip.text
            if trip.greatest is not None and trip.greatest != trip.least:
                shown = f"{trip.least:,}-{trip.greatest:,}"
            return f"{shown} (assumed)" if trip.kind is TripKind.ASSUMED else shown


_KINDS = {
    AccessKind.UNIFORM: "uniform",
    AccessKind.CONTIGUOUS: "contiguous",
    AccessKind.INDIRECT: "indirect",
    AccessKind.UNKNOWN: "irregular",
}


def lanes_text(pattern: AccessPattern) -> str:
    """The access pattern of a warp, in a cell of a table."""
    match pattern.kind:
        case AccessKind.STRIDED if pattern.stride_bytes is None:
            return "strides differ"
        case AccessKind.STRIDED:
            return f"stride {pattern.stride_bytes} bytes"
        case AccessKind.ROW_CHUNK:
            return f"rows of {pattern.run_lanes} lanes"
        case kind:
            return _KINDS[kind]


def addresses_text(pattern: AccessPattern, element_bytes: int) -> str:
    """Why an access costs what it does: the pattern, in a sentence."""
    match pattern.kind:
        case AccessKind.STRIDED if pattern.stride_bytes is None:
            return "the stride of lanes differs between executions"
        case AccessKind.STRIDED:
            return f"lanes are {pattern.stride_bytes} bytes apart"
        case AccessKind.ROW_CHUNK:
            rows = f"rows of {pattern.run_lanes} lanes"
            if pattern.bank_passes is not None or pattern.run_lanes is None:
                return f"{rows} share banks"
            if pattern.stride_bytes not in (None, element_bytes):
                return f"{rows}, which are {pattern.stride_bytes} bytes apart"
            row_bytes = pattern.run_lanes * element_bytes
            if row_bytes % pattern.sector_bytes == 0:
                return f"{rows} do not start at a sector"
            return f"{rows} are {row_bytes} bytes, not whole sectors"
        case AccessKind.CONTIGUOUS:
            if pattern.bank_passes is not None:
                return "lanes are contiguous"
            return "lanes are contiguous, but do not start at a sector"
        case AccessKind.INDIRECT:
            return "addresses are loaded from memory"
        case AccessKind.UNIFORM | AccessKind.UNKNOWN:
            return f"the pattern is {_KINDS[pattern.kind]}"


def per_warp(pattern: AccessPattern) -> str:
    """What a request of a full warp costs: ``4 s``, ``(2-5) s``, ``16-way``; ``?``: not known."""
    for spread, unit in ((pattern.bank_passes, "-way"), (pattern.sectors, " s")):
        if spread is not None:
            if spread.least == spread.greatest:
                conflict = spread is pattern.bank_passes and pattern.bank_degree
                return f"{conflict or spread.least}{unit}"
            mean = "" if spread.mean is None else f"{spread.mean:.3g} "
            return f"{mean}({spread.least}-{spread.greatest}){unit}"
    return "?"
