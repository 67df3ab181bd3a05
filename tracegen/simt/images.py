"""Image reads, writes and queries: lane by lane, by functions compiled for the host.

The functions are written in OpenCL C (``tracegen/images/images.cl``), compiled by kcc's own front
end and taken over as they are, with address spaces and kernel conventions removed. The handle of
an image is the host address of its descriptor.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from kcc.frontend import compile_source
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.builtins.primitives import Primitive, PrimitiveClass
from kcc.frontend.ir.builder import ModuleBuilder, Value, const_float, const_int, zero
from kcc.frontend.ir.instructions import Call
from kcc.frontend.ir.types import FLOAT, I32, I64, VOID, FloatTy, IntTy, VecTy
from kcc.frontend.options import BuildOptions, OptLevel
from kcc.frontend.source_file import read_source
from kcc.frontend.types import SamplerType, element_kind
from kcc.tracegen.simt.arithmetic import convert
from kcc.tracegen.simt.frame import WarpFrame
from kcc.tracegen.simt.layout import FaultKind
from kcc.tracegen.simt.memory import HOST_POINTER
from kcc.tracegen.simt.wide import Wide, parts_of

SOURCE = Path(__file__).parents[1] / "images" / "images.cl"

QUERIES = {
    "get_image_width": 0,
    "get_image_height": 1,
    "get_image_depth": 2,
    "get_image_array_size": 3,
    "get_image_channel_data_type": 4,
    "get_image_channel_order": 5,
}
"""The numbers ``query_image`` knows them by."""

NO_SAMPLER = 0
"""Reading without a sampler: not normalised, CLK_ADDRESS_NONE, nearest (section 6.12.14.3)."""


def write_image_call(frame: WarpFrame, call: Call, primitive: Primitive) -> Wide | None:
    """An image function on all lanes."""
    define_images(frame.module)
    match primitive.primitive_class:
        case PrimitiveClass.IMAGE_READ:
            return _read(frame, call, primitive.name)
        case PrimitiveClass.IMAGE_WRITE:
            _write(frame, call, primitive.name)
            return None
        case _:
            return _query(frame, call, primitive.name)


def define_images(module: ModuleBuilder) -> None:
    """Add the functions to a module, once."""
    if "kcc.images" in module.declarations:
        return
    module.declarations["kcc.images"] = ""
    definitions, declarations = _host_text()
    for line in declarations:
        name = line.split("@")[1].split("(")[0]
        module.declarations.setdefault(name, line)
    module.functions.append(definitions)


@cache
def _host_text() -> tuple[str, list[str]]:
    """Definitions and declarations of the compiled functions, for the host."""
    unit = compile_source(read_source(str(SOURCE)), BuildOptions(opt_level=OptLevel.O2))
    text = re.sub(r" addrspace\(\d\)", "", unit.ir)
    text = re.sub(r",? ![\w.]+ !\d+", "", text)
    text = re.sub(r" #\d+", "", text)
    text = text.replace("spir_kernel ", "").replace("@llvm.fmuladd.", "@llvm.fma.")
    for kernel in unit.kernels:
        text = text.replace(f"@{kernel.symbol}(", f"@kcc.image.{kernel.name}(")
    text = re.sub(r"^define (?:dso_local )?void", "define internal void", text, flags=re.MULTILINE)
    found = re.findall(r"^(?:@[^\n]*|define [^}]*?^\})$", text, re.MULTILINE | re.DOTALL)
    declared = [d.split(" nounwind")[0] for d in re.findall(r"^declare .*$", text, re.MULTILINE)]
    return "\n".join(found), declared


def _read(frame: WarpFrame, call: Call, name: str) -> Wide:
    builtin = overload_of_symbol(call.callee)
    assert builtin is not None
    sampled = any(isinstance(p.type, SamplerType) for p in builtin.parameters)
    coordinate = builtin.parameters[-1].type
    kind = element_kind(coordinate)
    assert kind is not None
    is_float = name == "read_imagef"
    function = f"{'sample' if kind.floating else 'load'}_{'float' if is_float else 'int'}"
    result: FloatTy | IntTy = FLOAT if is_float else I32
    operands = [frame.operand(o) for o in call.operands]
    sampler = operands[1].parts[0] if sampled else const_int(I32, NO_SAMPLER)
    if sampler.type == I64:
        sampler = frame.code.cast("trunc", sampler, I32)
    places = _coordinates(operands[-1], FLOAT if kind.floating else I32)
    lanes = _LaneLoop(frame, [result] * 4)
    out = frame.code.alloca(VecTy(4, result), 16)
    number = lanes.open()
    image = lanes.pick(operands[0].parts[0], number)
    pointer = frame.code.cast("inttoptr", image, HOST_POINTER)
    picked = [lanes.pick(p, number) for p in places]
    frame.code.call(
        f"kcc.image.{function}",
        VOID,
        [pointer, lanes.pick(sampler, number), *picked, out],
        convention="",
    )
    texel = frame.code.load(VecTy(4, result), out, 16)
    for place in range(4):
        lanes.put(place, frame.code.extract_element(texel, place), number)
    return lanes.close()


def _write(frame: WarpFrame, call: Call, name: str) -> None:
    is_float = name == "write_imagef"
    part: FloatTy | IntTy = FLOAT if is_float else I32
    operands = [frame.operand(o) for o in call.operands]
    places = _coordinates(operands[1], I32)
    lanes = _LaneLoop(frame, [I32])
    out = frame.code.alloca(I32, 4)
    number = lanes.open()
    image = lanes.pick(operands[0].parts[0], number)
    pointer = frame.code.cast("inttoptr", image, HOST_POINTER)
    picked = [lanes.pick(p, number) for p in places]
    colour: Value = zero(VecTy(4, part))
    for place, component in enumerate(operands[2].parts):
        colour = frame.code.insert_element(colour, lanes.pick(component, number), place)
    function = f"kcc.image.store_{'float' if is_float else 'int'}"
    frame.code.call(function, VOID, [pointer, *picked, colour, out], convention="")
    lanes.put(0, frame.code.load(I32, out, 4), number)
    inside = lanes.close().parts[0]
    outside = frame.code.compare("icmp", "eq", inside, zero(inside.type))
    bad = frame.code.binary("and", frame.bits(outside), frame.mask)
    frame.fail_lanes(FaultKind.IMAGE_BOUNDS, call, bad, None)


def _query(frame: WarpFrame, call: Call, name: str) -> Wide:
    """Queries differ between lanes only if the image does."""
    (operand,) = (frame.operand(o) for o in call.operands)
    lanes = _LaneLoop(frame, [I32])
    out = frame.code.alloca(I32, 4)
    number = lanes.open()
    pointer = frame.code.cast("inttoptr", lanes.pick(operand.parts[0], number), HOST_POINTER)
    arguments = [pointer, const_int(I32, QUERIES[name]), out]
    frame.code.call("kcc.image.query_image", VOID, arguments, convention="")
    lanes.put(0, frame.code.load(I32, out, 4), number)
    result = lanes.close()
    if operand.is_uniform:
        first = frame.widen(frame.first_lane(frame.mask))
        result = Wide(tuple(frame.code.extract_element(p, first) for p in result.parts))
    (part,) = parts_of(call.type)
    word = "zext" if part == I64 else "bitcast"
    return Wide(tuple(convert(frame, word, p, part) for p in result.parts))


def _coordinates(operand: Wide, part: FloatTy | IntTy) -> list[Value]:
    """x, y and z; what the image type lacks is 0."""
    nothing = const_float(part, 0.0) if isinstance(part, FloatTy) else const_int(part, 0)
    return [*operand.parts[:3], *[nothing] * (3 - len(operand.parts))][:3]


class _LaneLoop:
    """Code for one active lane after another, with results collected into vectors."""

    def __init__(self, frame: WarpFrame, results: list[FloatTy | IntTy]) -> None:
        self.frame = frame
        code = frame.code
        self.slots = [(r, code.alloca(frame.vector_type(r), 64)) for r in results]
        for part, slot in self.slots:
            code.store(zero(frame.vector_type(part)), slot, 64)
        self.left = code.alloca(frame.mask_type, 8)
        code.store(frame.mask, self.left, 8)
        self.head = code.new_label("lane")
        self.end = code.new_label("lanes.end")

    def open(self) -> Value:
        """Begin the loop; gives the lane's number (64 bits)."""
        code = self.frame.code
        code.branch(self.head)
        code.position_at(self.head)
        left = code.load(self.frame.mask_type, self.left, 8)
        return self.frame.widen(self.frame.first_lane(left))

    def pick(self, part: Value, number: Value) -> Value:
        """The lane's element of a vector; a scalar is the same for all."""
        is_vector = isinstance(part.type, VecTy)
        return self.frame.code.extract_element(part, number) if is_vector else part

    def put(self, place: int, element: Value, number: Value) -> None:
        """Set the lane's element of a result."""
        part, slot = self.slots[place]
        vector = self.frame.code.load(self.frame.vector_type(part), slot, 64)
        self.frame.code.store(self.frame.code.insert_element(vector, element, number), slot, 64)

    def close(self) -> Wide:
        """End the loop; gives the results."""
        frame, code = self.frame, self.frame.code
        left = code.load(frame.mask_type, self.left, 8)
        less = code.binary("sub", left, const_int(left.type, 1))
        rest = code.binary("and", left, less)
        code.store(rest, self.left, 8)
        code.branch_if(frame.any_lane(rest), self.head, self.end)
        code.position_at(self.end)
        return Wide(tuple(code.load(frame.vector_type(p), slot, 64) for p, slot in self.slots))
