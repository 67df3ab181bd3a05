"""From a compiled unit to SASS: LLVM's NVPTX back end, ptxas, nvdisasm."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from pathlib import Path

import llvmlite

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.frontend.apart import EndedError, be_ready, done_apart
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.machine_code.model import MachineCode
from kcc.frontend.machine_code.numbering import UNKNOWN_LINE, Numbers, numbered
from kcc.frontend.machine_code.own_ptx import located_ptx, origins, plain_ptx
from kcc.frontend.machine_code.sass import Listing, read_sass
from kcc.frontend.optimise import STAY_IN_BLOCKS
from kcc.frontend.ptx.emit import PtxOptions, emit_ptx
from kcc.frontend.ptx.ptxas import PtxasCount, assemble, parse_report, run_tool, version_of

_LLVM_OPTIONS = ("-disable-lsr", *STAY_IN_BLOCKS, "-disable-machine-sink")
"""Addresses stay as NVVM leaves them. LLVM's loop strength reduction makes pointers of indices,
whose alignment is not seen any more: accesses to private arrays are then not joined, and ptxas
leaves these arrays in memory. So does what computes: LLVM would sink a sum into the branch that
stores it and leave its loads where they are, all of whose values then live at once (228 registers
where NVRTC's PTX has 32, in a convolution whose image does not divide by its blocks)."""

_NO_LINE = re.compile(r"^(\s*\.loc\s+\d+) 0 0", re.MULTILINE)

_INDIRECT = re.compile(r"\b(?:BRX|JMX)\b")

OLDEST_WITHOUT_STACK = 70
"""Volta (CUDA Binary Utilities: SSY, PBK and SYNC are those of GPUs before it)."""


@dataclass(frozen=True, slots=True)
class NvidiaTools:
    """Where NVIDIA's tools are for one ``target`` such as sm_80. Without ``nvdisasm`` there are
    counts and no instructions. ``cache`` is a folder for what was made before, None for none."""

    target: str
    ptxas: Path
    nvdisasm: Path | None
    libdevice: Path | None
    cache: Path | None = None


@dataclass(frozen=True, slots=True)
class _Product:
    """What the tools say of one unit."""

    version: str
    report: str
    listing: str


def nvidia_code(unit: CompiledUnit, tools: NvidiaTools) -> Mapping[str, MachineCode]:
    """The machine code of all kernels of a unit at -O2, by symbol. Numbers of instructions are
    those of :class:`kcc.frontend.machine_code.numbering.Numbers`. PTX that came in is taken as it
    is where ptxas takes it for this target; else LLVM's back end makes PTX of the unit.

    :raises DiagnosticError: K810 when a tool cannot be run, K811 when a kernel has no PTX here.
    """
    if unit.ptx and (found := _of_own_ptx(unit, tools)):
        return found
    text = numbered(unit.ir, unit.module)
    return _codes(
        _kept(text, tools, unit.language.value, partial(_emitted, unit, tools, text)), tools
    )


def be_ready_for_threads() -> None:
    """Start what :func:`nvidia_code` needs, so that it may be called in another thread."""
    with suppress(EndedError):  # whoever needs it is told
        be_ready(_LLVM_OPTIONS)


def _of_own_ptx(unit: CompiledUnit, tools: NvidiaTools) -> Mapping[str, MachineCode] | None:
    """The code of the PTX that came in; None where that is for a newer target or ptxas."""
    plain = plain_ptx(unit.ptx)
    try:
        product = _kept(plain, tools, "ptx", partial(located_ptx, plain))
    except DiagnosticError:
        return None
    first, of_line = Numbers.of(unit.module).first, dict[str, dict[int, tuple[int, ...]]]()
    for symbol, origin in origins(unit).items():
        start = first[symbol]
        of_line[symbol] = {line: tuple(start + i for i in own) for line, own in origin.items()}
    numbers = {symbol: {n: own[0] for n, own in of.items()} for symbol, of in of_line.items()}
    return {
        symbol: replace(code, copies={x[0]: x for x in of_line[symbol].values() if len(x) > 1})
        for symbol, code in _codes(product, tools, numbers).items() if symbol in of_line
    }  # fmt: skip


def _codes(
    product: _Product, tools: NvidiaTools, numbers: Mapping[str, Mapping[int, int]] | None = None
) -> Mapping[str, MachineCode]:
    """``numbers`` of instructions by symbol and line, where lines are not such."""
    listings = read_sass(product.listing, numbers)
    compiler = f"ptxas {product.version} ({tools.target})"
    return {
        symbol: _code(symbol, compiler, count, listings.get(symbol))
        for symbol, count in parse_report(product.report).items()
    }


def _code(symbol: str, compiler: str, count: PtxasCount, listing: Listing | None) -> MachineCode:
    listing = listing or Listing(symbol)
    size = listing.instructions[-1].address + 16 if listing.instructions else 0
    return MachineCode(
        symbol=symbol,
        compiler=compiler,
        registers=count.registers,
        spill_store_bytes=count.spill_bytes,
        spill_load_bytes=count.spill_load_bytes,
        stack_bytes=count.stack_bytes,
        shared_bytes=count.shared_bytes,
        barriers=count.barriers,
        code_bytes=size,
        instructions=tuple(listing.instructions),
        labels=listing.labels,
        reason="" if listing.instructions else "no disassembler reads the code of this target",
    )


def _kept(text: str, tools: NvidiaTools, kind: str, ptx: Callable[[], str]) -> _Product:
    """What was made of this text before with the same tools, else it is made now of its PTX."""
    if tools.cache is None:
        return _made(ptx(), tools)
    parts = [text, kind, tools.target, llvmlite.__version__, _own_digest()]
    parts += [_stamp(path) for path in (tools.ptxas, tools.nvdisasm, tools.libdevice)]
    name = sha256("\0".join(parts).encode()).hexdigest()
    place = tools.cache / f"{name}.json"
    try:
        return _Product(**json.loads(place.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        product = _made(ptx(), tools)
    content = {n: getattr(product, n) for n in ("version", "report", "listing")}
    _write(place, json.dumps(content))
    return product


@cache
def _own_digest() -> str:
    """Of the modules that make PTX of the text."""
    found, here = sha256(), Path(__file__).parent
    for path in sorted([*here.glob("*.py"), *here.parent.joinpath("ptx").glob("*.py")]):
        found.update(path.read_bytes())
    return found.hexdigest()


def _stamp(path: Path | None) -> str:
    if path is None:
        return "none"
    found = path.stat()
    return f"{path} {found.st_size} {found.st_mtime_ns}"


def _write(place: Path, content: str) -> None:
    """Write beside and rename; a cache that cannot be written is none."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=place.parent, delete=False
        ) as file:
            file.write(content)
        Path(file.name).replace(place)
    except OSError:
        return


def _emitted(unit: CompiledUnit, tools: NvidiaTools, text: str) -> str:
    """The PTX that LLVM makes of a unit's text."""
    library = None if tools.libdevice is None else tools.libdevice.read_bytes()
    options = PtxOptions(tools.target, library, unit.language is Language.CUDA, lines=True)
    try:
        ptx = done_apart(partial(emit_ptx, text, options), _LLVM_OPTIONS)
    except EndedError as error:
        message = f"LLVM's back end for {tools.target} fails: its process {error}"
        raise DiagnosticError([Diagnostic("K811", message)]) from error
    return _NO_LINE.sub(rf"\1 {UNKNOWN_LINE} 0", ptx)


def _made(ptx: str, tools: NvidiaTools) -> _Product:
    with scratch_folder() as folder:
        cubin = folder / "kernel.cubin"
        report = assemble(ptx, tools.target, tools.ptxas, cubin, ["-lineinfo"])
        listing = "" if tools.nvdisasm is None else _listing(cubin, tools.target, tools.nvdisasm)
    return _Product(version_of(tools.ptxas), report, listing)


def _listing(cubin: Path, target: str, nvdisasm: Path) -> str:
    """What the disassembler prints. Its analysis of data flow, a fifth of its time, says where
    indirect jumps go; before Volta all that leave a region are such."""
    command = [str(nvdisasm), "-g", "-c", "-hex", str(cubin)]
    if int(target.removeprefix("sm_")) >= OLDEST_WITHOUT_STACK:
        listing = run_tool([*command, "-ndf"])
        if not _INDIRECT.search(listing):
            return listing
    return run_tool(command)
