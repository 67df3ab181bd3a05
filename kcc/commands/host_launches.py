"""What a CUDA source's own host code says of launches that nothing else does."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kcc.base.diagnostics import Span
from kcc.frontend import CUDA_ENDINGS
from kcc.stages.analyze import LaunchInputs

if TYPE_CHECKING:
    from kcc.base.arguments import Argument
    from kcc.base.expressions import Expression
    from kcc.base.gpu.description import GpuDescription
    from kcc.frontend.cuda.host_launches import HostLaunch
    from kcc.frontend.source_file import SourceText

_INCLUDED = re.compile(r"^[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"", re.MULTILINE)
_MAIN = re.compile(r"\bint\s+main\s*\(")
HOST_ENDINGS = (".cu", ".cpp", ".cc", ".cxx", ".c")
MOST_HEADERS = 30
MOST_BYTES = 400_000
"""Of all headers, and of all sources beside, that are read: a megabyte takes four seconds."""


def launches_of_host(
    source: SourceText, given: LaunchInputs, argv: Sequence[str] = (),
    gpu: GpuDescription | None = None,
) -> Mapping[str, LaunchInputs]:  # fmt: skip
    """By kernel the first launch in the source whose sizes its host code decides, run with the
    arguments ``argv``, else one that needs values of names. ``given`` is what the command line has:
    its names count, and with sizes of its own nothing is taken from the host. What the host asks
    of its device is that of ``gpu``."""
    request = given.request
    if not source.name.endswith(CUDA_ENDINGS) or request.global_size or request.grid:
        return {}
    from kcc.frontend.cuda.host_launches import HostLaunch, host_launches

    names = {name: v for name, v in given.names.items() if isinstance(v, int | float)}
    every = dict[str, list[HostLaunch]]()
    device = None if gpu is None else _device(gpu)
    texts = (*_files_with_main(source), *_headers(source))
    for launch in host_launches(source.text, names, texts, argv, device):
        for name in dict.fromkeys((launch.name, launch.kernel)):
            every.setdefault(name, []).append(launch)
    found = {
        name: _inputs(source, min(own, key=lambda each: bool(each.unknown)), own, given)
        for name, own in every.items()
    }
    return {name: inputs for name, inputs in found.items() if inputs is not None}


def remarks_on(launches: Mapping[str, LaunchInputs]) -> tuple[str, ...]:
    """Which launches are those of the host."""
    origins = (each.origin for each in launches.values() if each.of_host and each.origin)
    return tuple(f"the launch is {origin}" for origin in dict.fromkeys(origins))


def _device(gpu: GpuDescription) -> Mapping[str, int]:
    """Properties of a GPU by the names of CUDA's ``cudaDeviceProp``."""
    facts = {
        "multiProcessorCount": gpu.sm_count, "warpSize": gpu.warp_size,
        "maxThreadsPerBlock": gpu.max_threads_per_block,
        "maxThreadsPerMultiProcessor": gpu.max_threads_per_sm,
    }  # fmt: skip
    return {name: int(fact.value) for name, fact in facts.items() if fact is not None}


def _files_with_main(source: SourceText) -> Sequence[str]:
    """The texts of the sources beside one without `main`, if one of them has it."""
    if _MAIN.search(source.text):
        return ()
    found, mains, left = list[str](), 0, MOST_BYTES
    try:
        beside = sorted(p for p in Path(source.folder).iterdir() if p.suffix in HOST_ENDINGS)
        for path in beside[:MOST_HEADERS]:
            size = path.stat().st_size
            if path.name == Path(source.name).name or size > left:
                continue
            left -= size
            found.append(path.read_text(encoding="utf-8", errors="replace"))
            mains += _MAIN.search(found[-1]) is not None
    except OSError:
        return ()
    return found if mains == 1 else ()


def _headers(source: SourceText) -> Iterator[str]:
    """The texts of headers beside the source that it includes, each before what includes it."""
    texts, seen, left = [(Path(source.folder), source.text)], set[Path](), MOST_BYTES
    found = list[str]()
    while texts and len(seen) < MOST_HEADERS:
        folder, text = texts.pop(0)
        for name in _INCLUDED.findall(text):
            path = folder / name
            try:
                if path in seen or not path.is_file() or path.stat().st_size > left:
                    continue
                seen.add(path)
                left -= path.stat().st_size
                found.append(path.read_text(encoding="utf-8", errors="replace"))
                texts.append((path.parent, found[-1]))
            except OSError:
                continue
    yield from reversed(found)


def _inputs(
    source: SourceText, launch: HostLaunch, every: Sequence[HostLaunch], given: LaunchInputs
) -> LaunchInputs | None:
    from kcc.base.expressions import Name, Number
    from kcc.base.launch import LaunchRequest

    at = Span(source.name, max(launch.line, 1))
    if launch.unknown:
        missing: tuple[Expression, ...] = tuple(Name(name, at) for name in sorted(launch.unknown))
        if len(missing) > 3:
            return None
        request = LaunchRequest(grid=missing, block=tuple(Number(1, at) for _ in missing))
        return LaunchInputs(request, given.names, of_host=True)
    if launch.grid is None or launch.block is None:
        return None
    dimensions = max(n for n in (1, 2, 3) if n == 1 or launch.grid[n - 1] * launch.block[n - 1] > 1)
    grid, block = launch.grid[:dimensions], launch.block[:dimensions]
    sizes = (tuple(Number(extent, at) for extent in extents) for extents in (grid, block))
    shown = ", ".join(_shown(extents) for extents in (grid, block))
    where = f"in line {launch.line}" if launch.line else "in a header"
    origin = f"{launch.name}<<<{shown}>>> {where}, by constants of the host code"
    open_ones = [each for each in every if each.unknown]
    if open_ones:
        names = " and ".join(sorted(open_ones[0].unknown))
        where = f"of line {open_ones[0].line}" if open_ones[0].line else "of a header"
        origin += f"; that {where} needs a value of {names}"
    own = given.request
    request = LaunchRequest(None, own.local_size, *sizes)
    if own.local_size or own.block:
        request = LaunchRequest(None, own.local_size, request.grid, own.block)
    return LaunchInputs(request, given.names, tuple(_arguments(launch, at)), origin, of_host=True)


def _shown(extents: tuple[int, ...]) -> str:
    text = ", ".join(map(str, extents))
    return f"dim3({text})" if len(extents) > 1 else text


def _arguments(launch: HostLaunch, at: Span) -> Iterator[Argument]:
    from kcc.base.arguments import Argument, Buffer, Scalar
    from kcc.base.expressions import Negation, Number

    for place, value in enumerate(launch.arguments):
        if value is not None:
            number = Number(abs(value), at)
            yield Argument(str(place), Scalar(Negation(number, at) if value < 0 else number), at)
    if launch.shared_bytes is not None:
        yield Argument("extern __shared__", Buffer("char", Number(launch.shared_bytes, at)), at)
