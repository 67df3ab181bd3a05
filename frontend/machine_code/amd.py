"""From a compiled unit to the assembly of AMD's GPUs, by LLVM's AMDGPU back end in llvmlite."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import llvmlite.binding as llvm

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.amdgpu import DEFAULT_BLOCK, HIP_BLOCK, amd_assembly
from kcc.frontend.apart import EndedError, done_apart
from kcc.frontend.kernel import CompiledUnit, Language
from kcc.frontend.machine_code.model import MachineCode, MachineInstruction, Pipe, Space
from kcc.frontend.machine_code.numbering import numbered

_NO_CLAUSES = "-amdgpu-hard-clause-length-limit=1"
"""An option of LLVM: instructions stand by themselves. In a clause (RDNA: loads that one wave
issues after one another) LLVM prints the place of the first alone, and where the other loads come
from is lost. ``s_clause`` is put where LLVM would have it."""
_CLAUSE_LENGTH = 32
"""Of LLVM's."""
_IN_CLAUSES = re.compile(r"^(?:(?P<scalar>s_(?:buffer_)?load)|(?:global|buffer|scratch)_load)_")
_RDNA = re.compile(r"\(gfx1\d{3}\b")
_WAVE64 = "+wavefrontsize64,-wavefrontsize32"

_LARGEST = {Language.CUDA: HIP_BLOCK}

_KERNEL = re.compile(r"^([\w.$]+):\s+; @")
_END = re.compile(r"^\.Lfunc_end\d+:")
_LABEL = re.compile(r"^(\.LBB[\w]+):")
_PLACE = re.compile(r"^\s+\.loc\s+\d+ (\d+)")
_INSTRUCTION = re.compile(r"^\t([a-z][a-z0-9_]+)(?:\s+([^;]*?))?\s*(?:;.*)?$")
_REMARK = re.compile(r"^; (codeLenInByte =|ScratchSize:|LDSByteSize:) (\d+)")
_METADATA = re.compile(r"^ {4}\.(\w+): +(\S+)")
_REGISTER = re.compile(
    r"(?<![\w.])([vsa])(?:(\d+)|\[(\d+):(\d+)\])|\b(vcc|exec|scc|m0)(?:_lo|_hi)?\b"
)
_WORDS = re.compile(r"_(?:b|dword)?(?:x(?P<times>[234])|(?P<bits>8|16|32|64|96|128))(?!\d)")
_OF_CACHES = re.compile(r"^(?:buffer|global)_(?:gl\d_)?(?:inv|wb)")
"""Invalidates and writes back caches, and moves no data of the kernel's."""
_SPECIAL = re.compile(r"^v_(?:rcp|rsq|sqrt|exp|log|sin|cos)_")
_PREFIXES: tuple[tuple[str, Pipe, Space | None], ...] = (
    ("ds_", Pipe.MEMORY, Space.SHARED),
    ("global_", Pipe.MEMORY, Space.GLOBAL),
    ("flat_", Pipe.MEMORY, Space.GLOBAL),
    ("buffer_", Pipe.MEMORY, Space.LOCAL),
    ("scratch_", Pipe.MEMORY, Space.LOCAL),
    ("image_", Pipe.MEMORY, Space.TEXTURE),
    ("s_load", Pipe.MEMORY, Space.CONSTANT),
    ("s_buffer_load", Pipe.MEMORY, Space.CONSTANT),
    ("v_mfma", Pipe.TENSOR, None),
    ("v_wmma", Pipe.TENSOR, None),
)
"""Instructions by how they begin ("AMD Instinct MI200 Instruction Set Architecture" and "RDNA 2
Instruction Set Architecture", chapters on memory instructions); buffers are scratch here, since
LLVM reads kernels' arrays by global and flat instructions."""

_CONTROL = frozenset({
    "s_waitcnt", "s_waitcnt_vscnt", "s_barrier", "s_endpgm", "s_branch", "s_nop", "s_clause",
    "s_sendmsg", "s_inst_prefetch", "s_setprio", "s_sleep", "s_code_end", "s_waitcnt_depctr",
    "s_delay_alu", "s_setpc_b64", "s_swappc_b64", "s_getpc_b64",
})  # fmt: skip


def amd_code(
    unit: CompiledUnit, target: str, block_threads: int | None = None, *, wave64: bool = False
) -> Mapping[str, MachineCode]:
    """The machine code of all kernels of a unit at -O2, by symbol; ``target`` is such as gfx90a,
    ``block_threads`` the largest work-group, of the language's compiler by default. Registers are
    vector registers of a work-item. ``wave64``: for wavefronts of 64 where RDNA has the choice.

    :raises DiagnosticError: K811 when a kernel has no AMD code here.
    """
    text = numbered(unit.ir, unit.module)
    block_threads = block_threads or _LARGEST.get(unit.language, DEFAULT_BLOCK)
    try:
        assembly = done_apart(
            partial(
                amd_assembly, text, target, block_threads,
                features=_WAVE64 if wave64 else "", verbose=True,
            ),
            (_NO_CLAUSES,),
        )  # fmt: skip
    except EndedError as error:
        message = f"LLVM's back end for {target} fails: its process {error}"
        raise DiagnosticError([Diagnostic("K811", message)]) from error
    version = ".".join(map(str, llvm.llvm_version_info))
    wave = ", wave64" if wave64 else ""
    return read_assembly(assembly, f"llvm amdgpu {version} ({target}{wave})")


def read_assembly(text: str, compiler: str) -> Mapping[str, MachineCode]:
    """The kernels in assembly that LLVM prints with its remarks."""
    body, _, metadata = text.partition(".amdgpu_metadata")
    counts = {kernel["symbol"].removesuffix(".kd"): kernel for kernel in _kernels(metadata)}
    found = dict[str, MachineCode]()
    for symbol, lines in _functions(body):
        if symbol in counts:
            found[symbol] = _code(symbol, compiler, lines, counts[symbol])
    return found


def _kernels(metadata: str) -> Iterator[dict[str, str]]:
    current = dict[str, str]()
    for line in metadata.splitlines():
        match = _METADATA.match(line)
        if match is not None:
            current[match[1]] = match[2]
            if match[1] == "wavefront_size":
                yield current
                current = {}


def _functions(body: str) -> Iterator[tuple[str, list[str]]]:
    """Each function's lines, up to where the next one begins: remarks come after its end."""
    symbol, lines = "", list[str]()
    for line in body.splitlines():
        match = _KERNEL.match(line)
        if match is not None:
            if symbol:
                yield symbol, lines
            symbol, lines = match[1], []
        lines.append(line)
    if symbol:
        yield symbol, lines


def _code(symbol: str, compiler: str, lines: list[str], counts: dict[str, str]) -> MachineCode:
    remarks = {m[1].split()[0].rstrip(":"): int(m[2]) for m in map(_REMARK.match, lines) if m}
    instructions, labels = _instructions(lines, has_clauses=bool(_RDNA.search(compiler)))
    spilled = 4 * int(counts["vgpr_spill_count"])
    return MachineCode(
        symbol=symbol,
        compiler=compiler,
        registers=int(counts["vgpr_count"]),
        spill_store_bytes=spilled,
        spill_load_bytes=spilled,
        stack_bytes=int(counts["private_segment_fixed_size"]),
        shared_bytes=int(counts["group_segment_fixed_size"]),
        barriers=int(any(each.opcode == "s_barrier" for each in instructions)),
        code_bytes=remarks.get("codeLenInByte", 0),
        instructions=tuple(instructions),
        labels=labels,
        scalar_registers=int(counts["sgpr_count"]),
        wave_size=int(counts["wavefront_size"]),
    )


def _instructions(
    lines: list[str], *, has_clauses: bool
) -> tuple[list[MachineInstruction], dict[str, int]]:
    found, labels, number = list[MachineInstruction](), dict[str, int](), 0
    kind, length = "", 0
    for line in lines:
        if _END.match(line) or line.lstrip().startswith(".section"):
            break
        place = _PLACE.match(line)
        if place is not None:
            number = int(place[1])
        elif (label := _LABEL.match(line)) is not None:
            labels[label[1]] = len(found)
            length = 0
        elif (match := _INSTRUCTION.match(line)) is not None:
            before = kind
            kind = _clause_kind(match[1], match[2] or "") if has_clauses else ""
            goes_on = bool(kind) and kind == before and 0 < length < _CLAUSE_LENGTH
            length = length + 1 if goes_on else 1
            if length == 2:
                first = found.pop()
                found.append(_instruction(len(found), "s_clause", "", first.number))
                found.append(replace(first, address=len(found)))
            if length > 1:
                head = found[-length]
                found[-length] = replace(head, operands=f"0x{length - 1:x}")
            found.append(_instruction(len(found), match[1], match[2] or "", number))
    return found, labels


def _clause_kind(opcode: str, operands: str) -> str:
    """Loads of the same kind and base stand in one clause where they follow each other; "" for
    what stands in none. LLVM also parts loads of addresses in vector registers where it knows the
    arrays to be different ones: over kernels/ 214 clauses for its 173 (gfx1030), 216 for 193
    (gfx1100)."""
    match = _IN_CLAUSES.match(opcode)
    if match is None:
        return ""
    parts = [each.strip().partition(" ")[0] for each in operands.split(",")]
    return " ".join(["scalar", *parts[1:2]] if match["scalar"] else ["vector", *parts[2:3]])


def _instruction(place: int, opcode: str, operands: str, number: int) -> MachineInstruction:
    pipe, space = _pipe(opcode)
    is_store = space is not None and any(k in opcode for k in ("store", "write", "atomic", "add_"))
    is_atomic = "atomic" in opcode or opcode.startswith(("ds_add", "ds_max", "ds_min", "ds_cmpst"))
    returns = not is_store or (is_atomic and (" glc" in operands or "_rtn" in opcode))
    made, used = _registers(opcode, operands, results=int(returns))
    target = operands.strip() if "branch" in opcode else ""
    return MachineInstruction(
        address=place, opcode=opcode, operands=operands,
        predicate="scc" if opcode.startswith("s_cbranch") else "", number=number, pipe=pipe,
        made=made, used=used, space=space, is_load=space is not None and returns,
        is_store=is_store, bytes=_bytes(opcode) if space is not None else 0, target=target,
    )  # fmt: skip


def _pipe(opcode: str) -> tuple[Pipe, Space | None]:
    if _OF_CACHES.match(opcode):
        return Pipe.CONTROL, None
    for prefix, pipe, space in _PREFIXES:
        if opcode.startswith(prefix):
            return pipe, space
    if opcode.startswith("s_"):
        control = opcode in _CONTROL or opcode.startswith("s_cbranch")
        return (Pipe.CONTROL if control else Pipe.UNIFORM), None
    if _SPECIAL.match(opcode):
        return Pipe.SPECIAL, None
    if "_f64" in opcode:
        return Pipe.FP64, None
    is_float = re.search(r"_(?:f32|f16|dot\d|mad_u64)", opcode) and "cmp" not in opcode
    return (Pipe.FMA if is_float and "cvt" not in opcode else Pipe.ALU), None


def _bytes(opcode: str) -> int:
    times = 2 if opcode.startswith(("ds_read2", "ds_write2")) else 1
    if "byte" in opcode or re.search(r"_[ui]8\b", opcode):
        return 1
    if "short" in opcode or re.search(r"_[ui]16\b", opcode):
        return 2
    match = _WORDS.search(opcode)
    if match is None:
        return 4 * times
    return times * (4 * int(match["times"]) if match["times"] else int(match["bits"]) // 8)


def _registers(opcode: str, operands: str, results: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    parts = [part.strip() for part in operands.split(",")] if operands else []
    if opcode.startswith(("s_cmp", "s_cbranch", "s_barrier", "s_waitcnt", "s_branch", "s_endpgm")):
        results = 0
    if opcode.startswith(("v_cmp", "v_add_co", "v_addc_co", "v_sub_co", "v_subb_co")):
        results = 1 if opcode.startswith("v_cmp") else 2
    made = [r for part in parts[:results] for r in _names(part)]
    used = [r for part in parts[results:] for r in _names(part)]
    if opcode.startswith(("v_fmac", "v_mac", "v_pk_fmac")):
        used += made
    if opcode.startswith("s_cmp"):
        made.append("scc")
    if opcode.startswith("s_cbranch"):
        used.append(opcode.removeprefix("s_cbranch_").rstrip("nz01"))
    return tuple(dict.fromkeys(made)), tuple(dict.fromkeys(used))


def _names(part: str) -> Iterator[str]:
    for kind, one, first, last, named in _REGISTER.findall(part):
        if named:
            yield named
        elif one:
            yield f"{kind}{one}"
        else:
            yield from (f"{kind}{n}" for n in range(int(first), int(last) + 1))
