"""Random kernels of OpenCL C whose every result is defined, so that two implementations must agree.

Signed arithmetic goes through unsigned types, divisors are odd, loops count down from small bounds,
indices are masked, floats use only operations that are rounded correctly, atomics of one place are
of one kind, and barriers stand where all work-items come.
"""

from __future__ import annotations

from dataclasses import dataclass

from tests.tracegen.program_statements import StatementWriter
from tests.tracegen.program_types import (
    FLOAT,
    INPUTS,
    INT,
    PARAMETERS,
    PRIVATE,
    SLOTS,
    TABLE,
    UINT,
    ULONG,
    ArrayVariable,
    Function,
    Type,
)

PREAMBLE = """#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#pragma OPENCL FP_CONTRACT OFF
typedef struct { int a; float b; short4 c; uchar d[4]; ulong e; } record;
typedef struct { int pair[2]; short2 v; } item;
typedef union { ulong e; uint w[2]; ushort s[4]; uchar b[8]; } pun;
"""
HALVES = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
"""Goes before all for kernels that calculate in half precision, which PoCL does not."""

IDS = """
  const uint lid = get_local_id(0) + get_local_size(0) *
    (get_local_id(1) + get_local_size(1) * get_local_id(2));
  const uint group = get_group_id(0) + get_num_groups(0) *
    (get_group_id(1) + get_num_groups(1) * get_group_id(2));
""".strip("\n").splitlines()


@dataclass(slots=True)
class KernelWriter(StatementWriter):
    """Draws one kernel, with helpers; equal seeds draw equal ones."""

    def helper(self) -> None:
        """A function; one in three works on an array of its caller."""
        parameters = tuple(self.any_type() for _ in range(self.rng.randint(1, 3)))
        self.result = self.any_type()
        takes_array = self.chance(0.3)
        name = f"{self.name}_f{len(self.functions)}"
        names = [self.new_name("v") for _ in parameters]
        shown = [f"{t} {n}" for t, n in zip(parameters, names, strict=True)]
        if takes_array:
            shown.insert(0, "int *p")
        self.lines.append(f"{self.result} {name}({', '.join(shown)}) {{")
        self.scopes = [list(zip(names, parameters, strict=True))]
        self.arrays = [[ArrayVariable("p", INT, PRIVATE)] if takes_array else []]
        self.statements(self.rng.randint(1, 5))
        self.emit(f"return {self.expression(self.result, 2)};")
        self.lines.append("}")
        self.functions.append(Function(name, self.result, parameters, takes_array))

    def write(self) -> str:
        """The source of the helpers and the kernel."""
        numbers = ", ".join(str(self.rng.randint(-99, 999)) for _ in range(TABLE))
        self.lines.append(f"__constant int {self.name}_table[{TABLE}] = {{{numbers}}};")
        for _ in range(self.rng.randint(0, 2)):
            self.cost = 4
            self.helper()
        self.cost = 1
        self.in_kernel, self.result = True, None
        self.shared = Type(self.rng.choice(self.scalars), self.rng.choice((1, 1, 2, 4)))
        self.lines.append(f"__kernel void {self.name}({PARAMETERS}) {{")
        self.emit(f"__local {self.shared} shared[{self.local_size}];")
        self.emit("__local int counts[4];")
        self.lines += IDS
        self.emit(f"const uint gid = group * {self.local_size} + lid;")
        self.scopes = [[("gid", UINT), ("lid", UINT), ("k0", INT), ("k1", UINT)]]
        self.arrays = [[]]
        self.emit(f"int v0 = ia[gid & {INPUTS - 1}]; float v00 = fa[(gid * 7) & {INPUTS - 1}];")
        self.scopes[0] += [("v0", INT), ("v00", FLOAT)]
        self.statements(self.rng.randint(3, 8))
        for slot in range(2):
            self.emit(f"out[gid * {SLOTS} + {slot}] ^= {self.expression(ULONG)};")
        self.emit(f"fout[gid * {SLOTS}] += {self.expression(FLOAT)};")
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"


def write_kernel(seed: int, local_size: int, name: str = "k", *, halves: bool = False) -> str:
    """One random kernel with its helpers; :data:`PREAMBLE` goes before all."""
    return KernelWriter(seed, local_size, name, halves).write()
