"""What nvcc and ptxas leave of miniatures in CUDA: instructions of the inline PTX beside those of
the machine code (sm_75), for every kernel of every workload at size tiny, without reduction.

    python -m benchmarks.proxy_cuda [NAME ...]

Needs nvcc. Machine code is counted in the sections of the cubin, 16 bytes an instruction, by the
low 12 bits of each (the opcodes of sm_75 as they show in code that is known).
"""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kcc.stages.host import HostSettings, user_cache_dir
from kcc.stages.synth import Study, files_of, settle, study_script
from kcc.synth.reduction.reductions import largest_factors

KERNELS = Path(__file__).parent.parent / "kernels"

CLASSES = {
    "global loads": (r"ld(\.volatile)?\.global", {0x381, 0x981}),
    "global stores": (r"st\.global", {0x386, 0x986, 0x385, 0x985}),
    "shared loads": (r"ld(\.volatile)?\.shared", {0x984, 0x83B, 0x384}),
    "shared stores": (r"st\.shared", {0x388, 0x988, 0x387}),
    "barriers": (r"bar", {0xB1D}),
}
"""PTX by its first word, machine code by its opcodes: LDG, STG, LDS (with LDSM), STS, BAR."""

NOP = 0x918

_ASSEMBLY = re.compile(r"\.entry (\w+)\(.*?// begin inline asm\n(.*?)// end inline asm", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """A kernel: its instructions in all and by class, in PTX and in machine code."""

    kernel: str
    ptx: Counter[str]
    sass: Counter[str]


def main() -> int:
    """Print a line for each workload and the sums."""
    if shutil.which("nvcc") is None:
        sys.stderr.write("nvcc is not here\n")
        return 1
    names = sys.argv[1:] or sorted(p.parent.name for p in KERNELS.glob("*/workload.py"))
    words = ("all", *CLASSES)
    sys.stdout.write("| workload | kernels | " + " | ".join(words) + " |\n")
    sys.stdout.write("|---" * (len(words) + 2) + "|\n")
    everything = list[Row]()
    for name in names:
        rows = list(_rows(name))
        everything += rows
        _print(name, rows, words)
    _print("sum", everything, words)
    return 0


def _print(name: str, rows: list[Row], words: tuple[str, ...]) -> None:
    ptx, sass = (sum((getattr(r, k) for r in rows), Counter[str]()) for k in ("ptx", "sass"))
    cells = [f"{ptx[word]} / {sass[word]}" for word in words]
    sys.stdout.write(f"| {name} | {len(rows)} | {' | '.join(cells)} |\n")
    sys.stdout.flush()


def _rows(name: str) -> Iterator[Row]:
    settings = HostSettings(cache_dir=user_cache_dir())
    study = study_script(str(KERNELS / name / "workload.py"), Study(), settings, size="tiny")
    settled = settle(study, largest_factors(study.kernels, study.launches, 1), settings)
    with tempfile.TemporaryDirectory(prefix="kcc-") as folder:
        source = Path(folder) / "kernel.cu"
        source.write_text(files_of(settled, "kernel.cl", "workload.py", source.name).cuda)
        for product in ("ptx", "cubin"):
            command = [
                "nvcc",
                "-arch=sm_75",
                f"-{product}",
                "-o",
                str(source.with_suffix(f".{product}")),
            ]
            subprocess.run([*command, str(source)], check=True)
        code = source.with_suffix(".cubin").read_bytes()
        for match in _ASSEMBLY.finditer(source.with_suffix(".ptx").read_text()):
            yield Row(match[1], _of_ptx(match[2]), _of_machine_code(code, match[1]))


def _of_ptx(text: str) -> Counter[str]:
    lines = [line.strip() for line in text.split("\n")]
    lines = [line for line in lines if line.endswith(";") and not line.startswith(".")]
    found = Counter({"all": len(lines)})
    for word, (pattern, _) in CLASSES.items():
        found[word] = sum(bool(re.match(rf"(@!?%\w+ )?({pattern})\b", line)) for line in lines)
    return found


def _of_machine_code(cubin: bytes, kernel: str) -> Counter[str]:
    text = _section(cubin, f".text.{kernel}")
    opcodes = [struct.unpack_from("<H", text, n)[0] & 0xFFF for n in range(0, len(text), 16)]
    found = Counter({"all": sum(opcode != NOP for opcode in opcodes)})
    for word, (_, codes) in CLASSES.items():
        found[word] = sum(opcode in codes for opcode in opcodes)
    return found


def _section(elf: bytes, name: str) -> bytes:
    """A section of a file in the format ELF64."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + n * size) for n in range(count)]
    strings = headers[names][4]
    for header in headers:
        start = strings + header[0]
        if elf[start : elf.index(b"\0", start)].decode() == name:
            return elf[header[4] : header[4] + header[5]]
    raise LookupError(name)


if __name__ == "__main__":
    sys.exit(main())
