"""What a miniature is made from, as part of a profile's document (``kcc/profile/1``): so one can be
made where neither the source nor its data are.

Yu et al. (IEEE TC 2015, figure 9) make theirs from a profile file with the opcode chain in it. Here
that is the kernels' LLVM IR: every instruction of every block with its type and what it waits for.
"""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.profile.model import KernelInfo, LaunchProfile, Profile
from kcc.base.records import dataclass
from kcc.base.trace.launches import TraceLaunch, check_launch
from kcc.base.trace.rows import Json, RowError, from_json, to_json
from kcc.frontend import compile_source
from kcc.frontend.kernel import CompiledUnit, Kernel, Language
from kcc.frontend.options import BuildOptions, OptLevel, SourceText
from kcc.synth.assembly.model import Fill
from kcc.synth.original.observed import KernelFacts, LaunchFacts, kernel_facts

KEY = "synthesis"
"""Of the document."""


@dataclass(frozen=True, slots=True)
class StoredKernel:
    """A kernel of ``modules``: the instruction that each access is, and the block where lanes that
    part at a block reconverge."""

    module: int
    symbol: str
    accesses: tuple[int, ...]
    meets: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class StoredSpan:
    """Bytes after the start of its array that an access went to."""

    access: int
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class StoredFill:
    """The lines that stand for the contents of an argument."""

    argument: int
    fills: tuple[Fill, ...]


@dataclass(frozen=True, slots=True)
class StoredImage:
    """The pixels in x and y of an argument."""

    argument: int
    size: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StoredLaunch:
    """What a profile does not say of a launch."""

    launch: TraceLaunch
    spans: tuple[StoredSpan, ...]
    fills: tuple[StoredFill, ...]
    images: tuple[StoredImage, ...]


@dataclass(frozen=True, slots=True)
class Stored:
    """All of a run; kernels and launches are those of the profile."""

    modules: tuple[str, ...]
    kernels: tuple[StoredKernel, ...]
    launches: tuple[StoredLaunch, ...]


def stored(kernels: Sequence[KernelFacts], launches: Sequence[LaunchFacts]) -> Json:
    """The part of the document."""
    modules = list(dict.fromkeys(facts.ir for facts in kernels))
    return to_json(
        Stored(
            tuple(modules),
            tuple(_kernel(facts, modules.index(facts.ir)) for facts in kernels),
            tuple(_launch(facts) for facts in launches),
        )
    )


def _kernel(facts: KernelFacts, module: int) -> StoredKernel:
    accesses = sorted(facts.access_of, key=lambda i: facts.access_of[i])
    meets = tuple(facts.meets[n] for n in range(len(facts.function.blocks)))
    return StoredKernel(module, facts.kernel.symbol, tuple(accesses), meets)


def _launch(facts: LaunchFacts) -> StoredLaunch:
    return StoredLaunch(
        facts.launch,
        tuple(StoredSpan(access, *span) for access, span in sorted(facts.spans.items())),
        tuple(StoredFill(n, fills) for n, fills in sorted(facts.fills.items())),
        tuple(StoredImage(n, size) for n, size in sorted(facts.images.items())),
    )


def restored(part: Json, profile: Profile) -> tuple[list[KernelFacts], list[LaunchFacts]]:
    """Kernels and launches out of a document's part and its profile.

    :raises DiagnosticError: K952 where the part is damaged or the two do not belong together.
    """
    try:
        found = from_json(Stored, part, KEY)
    except RowError as error:
        raise _damaged(str(error)) from error
    if len(found.kernels) != len(profile.kernels) or len(found.launches) != len(profile.launches):
        raise _damaged("kernels or launches are missing")
    units = [_unit(text) for text in found.modules]
    pairs = zip(found.kernels, profile.kernels, strict=True)
    kernels = [_facts(one, units, info) for one, info in pairs]
    launches = list[LaunchFacts]()
    for one, own in zip(found.launches, profile.launches, strict=True):
        if not 0 <= own.kernel < len(kernels) or _sizes(one.launch) != _sizes(own):
            raise _damaged(f"launch {own.number} is not that of the profile")
        _check(one, kernels[own.kernel])
        launches.append(
            LaunchFacts(
                own.kernel,
                one.launch,
                own,
                {span.access: (span.low, span.high) for span in one.spans},
                {fill.argument: fill.fills for fill in one.fills},
                {image.argument: image.size for image in one.images},
            )
        )
    return kernels, launches


def _unit(text: str) -> CompiledUnit:
    """A module as it was: nothing is optimised again."""
    options = BuildOptions(opt_level=OptLevel.O0)
    return compile_source(SourceText(KEY, text, "."), options, language=Language.LLVM)


def _facts(one: StoredKernel, units: Sequence[CompiledUnit], info: KernelInfo) -> KernelFacts:
    if not 0 <= one.module < len(units):
        raise _damaged(f"there is no module {one.module}")
    unit = units[one.module]
    kernel = next((k for k in unit.kernels if k.symbol == one.symbol), None)
    if kernel is None:
        raise _damaged(f"no module has the kernel '{one.symbol}'")
    if not _fits(one, kernel, info):
        raise _damaged(f"the kernel '{one.symbol}' is not that of the profile")
    return kernel_facts(kernel, kernel.function, unit, info, one.accesses, one.meets)


def _fits(one: StoredKernel, kernel: Kernel, info: KernelInfo) -> bool:
    """Whether all numbers lead somewhere."""
    blocks, instructions = len(kernel.function.blocks), len(kernel.function.instructions)
    return (
        len(info.blocks) == len(one.meets) == blocks
        and len(info.accesses) == len(one.accesses)
        and all(0 <= i < instructions for i in one.accesses)
        and all(n is None or 0 <= n < blocks for n in one.meets)
    )


def _sizes(launch: TraceLaunch | LaunchProfile) -> tuple[tuple[int, ...], tuple[int, ...]]:
    return launch.global_size, launch.local_size


def _check(one: StoredLaunch, facts: KernelFacts) -> None:
    arguments = len(facts.kernel.arguments)
    try:
        check_launch(one.launch, arguments)
    except ValueError as error:
        raise _damaged(str(error)) from error
    numbers = [n.argument for n in (*one.fills, *one.images, *one.launch.buffers)]
    accesses = [span.access for span in one.spans]
    if any(not 0 <= n < arguments for n in numbers) or any(
        not 0 <= n < len(facts.info.accesses) for n in accesses
    ):
        raise _damaged(f"launch {one.launch.number} has arguments or accesses that are not there")


def _damaged(reason: str) -> DiagnosticError:
    message = f"the profile's '{KEY}' is damaged: {reason}"
    return DiagnosticError([Diagnostic("K952", message)])
