"""Textures and surfaces (PTX ISA, "Texture instructions", "Surface instructions"): reads and writes
of images of the dialect.

A texture object is a kernel parameter, a ``.texref`` of the module becomes one of its name. What an
instruction says of a texture (geometry, type of texels and coordinates) gives the parameter's type.
The host sets filter, edge and units of a texture: here it is read at the nearest texel, clamped to
the edge, by texels, as of CUDA sources. In the independent mode a sampler is an argument, or what
a ``.samplerref`` says.
"""

from __future__ import annotations

from dataclasses import replace

from kcc.base.diagnostics import Diagnostic, DiagnosticError
from kcc.frontend.builtins.constants import PREDEFINED_MACROS
from kcc.frontend.ptx.reading.arithmetic import Handler
from kcc.frontend.ptx.reading.flatten import Flat
from kcc.frontend.ptx.reading.model import (
    SIZES,
    Address,
    Instruction,
    Integer,
    Operand,
    Register,
    Several,
    Statement,
    Symbol,
    Variable,
)
from kcc.frontend.ptx.reading.tokens import Places
from kcc.frontend.ptx.reading.writer import Writer

WORDS = frozenset({"tex", "tld4", "txq", "suld", "sust", "suq"})
"""First words of the instructions."""

REFERENCES = frozenset({"texref", "surfref", "samplerref"})
"""Types of variables that stand for what the host binds to them."""

_KINDS = {"1d": "image1d", "buffer": "image1d_buffer", "2d": "image2d", "3d": "image3d",
          "a1d": "image1d_array", "a2d": "image2d_array"}  # fmt: skip
"""Image types by geometry; ``buffer`` stands for linear memory, which is read by integers alone."""

_OUTSIDE = ("trap", "clamp", "zero")
"""What a surface does beyond its edge, which is not looked at."""

Base = Register | Symbol | Integer
"""What a handle is."""

_IMAGE, _SAMPLER = "ptr addrspace(1)", "ptr addrspace(2)"
_ADDRESSING = {"wrap": "REPEAT", "mirror": "MIRRORED_REPEAT", "clamp_ogl": "CLAMP_TO_EDGE",
               "clamp_to_edge": "CLAMP_TO_EDGE", "clamp_to_border": "CLAMP"}  # fmt: skip

Arguments = dict[str, tuple[str, str]]
"""Type and access qualifier of parameters that are images or samplers."""


def with_images(flat: Flat, variables: dict[str, Variable], places: Places) -> Arguments:
    """Make references of the module parameters of the kernel, and say of each parameter what it is.
    Raises :class:`DiagnosticError` (K430) for an instruction without a texture."""
    used = [i for i in flat.body if isinstance(i, Instruction) and i.words[0] in WORDS]
    if not used:
        return {}
    return _Images(flat, variables, places, used).run()


class _Images:
    def __init__(
        self, flat: Flat, variables: dict[str, Variable], places: Places, used: list[Instruction]
    ) -> None:
        self.flat, self.variables, self.places, self.used = flat, variables, places, used
        self.made = dict[str, Instruction]()
        for each in flat.body:
            if isinstance(each, Instruction) and len(each.operands) > 1:
                target = each.operands[0]
                if isinstance(target, Register):
                    self.made.setdefault(target.name, each)
        self.count = 0

    def run(self) -> Arguments:
        geometry, access = dict[str, str](), dict[str, set[str]]()
        for each in self.used:
            root = self.root(self.place(each).base)
            word = next((w for w in each.words if w in _KINDS), None)
            if word is not None:
                before = geometry.get(root)
                linear = each.words[0] == "tex" and word == "1d" and each.type == "s32"
                word = "buffer" if linear and before in (None, "buffer") else word
                geometry[root] = "1d" if before == "1d" and word == "buffer" else word
            access.setdefault(root, set()).add("write" if each.words[0] == "sust" else "read")
        found: Arguments = {}
        for name, sides in access.items():
            kind = geometry.setdefault(name, "2d")
            qualifier = "read_write" if len(sides) > 1 else f"{sides.pop()}_only"
            if name:
                found[name] = f"{_KINDS[kind]}_t", qualifier
        self.rewrite(geometry, found)
        self.declare(found)
        return found

    def place(self, item: Instruction) -> Address:
        place = next((o for o in item.operands if isinstance(o, Address)), None)
        if place is None:
            message = f"'{item.opcode}' has no texture"
            raise DiagnosticError([Diagnostic("K430", message, self.places.span(item.at))])
        return place

    def root(self, operand: Operand) -> str:
        """The parameter or the variable that a handle is; empty where it is neither."""
        for _ in range(16):
            match operand:
                case Symbol(name):
                    return name
                case Register(name) if name in self.made:
                    made = self.made[name]
                    source = made.operands[1]
                    if made.words[0] in ("mov", "cvta"):
                        operand = source
                    elif made.words[0] == "ld" and "param" in made.words:
                        whole = isinstance(source, Address) and not source.offset
                        operand = source.base if whole and isinstance(source, Address) else source
                    else:
                        return ""
                case _:
                    return ""
        return ""

    def rewrite(self, geometry: dict[str, str], found: Arguments) -> None:
        """Handles in registers, geometries decided, variables read as parameters."""
        body = list[Statement]()
        for item in self.flat.body:
            if not isinstance(item, Instruction):
                body.append(item)
                continue
            if item.words[0] == "mov" and self.is_reference(item.operands[-1]):
                source = item.operands[-1]
                assert isinstance(source, Symbol)
                words = ("ld", "param", "u64")
                ends = item.operands[0], Address(source)
                body.append(replace(item, words=words, operands=ends))
                continue
            if item.words[0] not in WORDS:
                body.append(item)
                continue
            kind = geometry[self.root(self.place(item).base)]
            words = tuple(w for w in item.words if w not in _KINDS and w not in _OUTSIDE)
            words = (*words[:-1], kind, words[-1])
            operands = list[Operand]()
            for each in item.operands:
                if isinstance(each, Address):
                    rest = each.rest
                    if len(rest) > 1:
                        rest = self.sampler(item, rest, body, found)
                    each = Address(self.handle(item, each.base, body), each.offset, rest)
                operands.append(each)
            body.append(replace(item, words=words, operands=tuple(operands)))
        self.flat.body[:] = body

    def sampler(
        self, item: Instruction, rest: tuple[Operand, ...], body: list[Statement], found: Arguments
    ) -> tuple[Operand, ...]:
        """The sampler of the independent mode: an argument, unless the module defines it."""
        root = self.root(rest[0])
        own = self.variables.get(root)
        if own is not None and own.values:
            return Symbol(root), *rest[1:]
        if root:
            found[root] = "sampler_t", "none"
        own_handle = rest[0]
        if isinstance(own_handle, Register | Symbol | Integer):
            own_handle = self.handle(item, own_handle, body)
        return own_handle, *rest[1:]

    def is_reference(self, operand: Operand) -> bool:
        own = self.variables.get(operand.name) if isinstance(operand, Symbol) else None
        return own is not None and own.type in REFERENCES

    def handle(self, item: Instruction, base: Base, body: list[Statement]) -> Base:
        if not isinstance(base, Symbol):
            return base
        self.count += 1
        register = Register(f"%image.{self.count}")
        self.flat.registers[register.name] = "b64"
        load = ("ld", "param", "u64")
        body.append(Instruction(load, item.guard, (register, Address(base)), item.at, item.line))
        return register

    def declare(self, found: Arguments) -> None:
        """Each reference of the module as a parameter, after the kernel's own."""
        kernel = self.flat.kernel
        plain = [replace(p, type="u64") if p.name in found else p for p in kernel.parameters]
        known = {p.name for p in plain}
        more = [
            Variable(n, "param", "u64", 8, 1, is_array=False, at=kernel.at)
            for n in found
            if n not in known
        ]
        self.flat.kernel = replace(kernel, parameters=(*plain, *more))


# instructions


def _image(w: Writer, place: Address) -> str:
    return w.read(place.base, _IMAGE)


def _kind(w: Writer, item: Instruction) -> str:
    kind = next((x for x in item.words if x in _KINDS), None)
    known = kind is not None and not any("cube" in x or "2dms" in x for x in item.words)
    if kind is None or not known:
        raise w.refuse(f"'{item.opcode}' is not supported")
    return kind


def _place(w: Writer, item: Instruction) -> Address:
    place = next((o for o in item.operands if isinstance(o, Address)), None)
    if place is None or place.offset:
        raise w.refuse(f"'{item.opcode}' has no texture", "K430")
    return place


def _coordinates(w: Writer, place: Address, kind: str, type_: str) -> list[str]:
    """x, y, z or x, y, layer; of as many as the image has."""
    parts = tuple(p for o in place.rest[-1:] for p in (o.parts if isinstance(o, Several) else (o,)))
    layered = kind in ("a1d", "a2d")
    count = {"1d": 1, "buffer": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3}[kind]
    if len(parts) < count:
        raise w.refuse("coordinates are missing", "K430")
    own = parts[1:count] if layered else parts[:count]
    values = [w.read(p, type_) for p in own]
    if layered:
        layer = w.read(parts[0], "i32")
        values.append(layer if type_ == "i32" else w.cast("uitofp", "i32", layer, type_))
    return values


def _vector(w: Writer, values: list[str], type_: str) -> tuple[str, str, str]:
    """A value of as many parts as OpenCL's coordinates have: its type, name and mangled type."""
    code = {"i32": "i", "float": "f"}[type_]
    if len(values) == 1:
        return type_, values[0], code
    size = 2 if len(values) == 2 else 4
    whole, vector = "poison", f"<{size} x {type_}>"
    zero = "0" if type_ == "i32" else "0.0"
    for number, each in enumerate([*values, *[zero] * (size - len(values))]):
        whole = w.value(f"insertelement {vector} {whole}, {type_} {each}, i32 {number}")
    return vector, whole, f"Dv{size}_{code}"


_READS = {"f32": ("f", "float"), "s32": ("i", "i32"), "u32": ("ui", "i32")}
"""The suffix of read_image and the type of a texel's parts, by the type of a texture."""


def _read(
    w: Writer, image: str, sampler: str, kind: str, values: list[str], types: tuple[str, str]
) -> tuple[str, str]:
    """A texel and its type; ``types`` are those of texel (PTX's) and coordinates."""
    letters, part = _READS[types[0]]
    vector, where, code = _vector(w, values, types[1])
    name, result = f"read_image{letters}", f"<4 x {part}>"
    symbol = f"_Z{len(name)}{name}{_mangled(kind, 'ro')}"
    arguments, kinds = f"{_IMAGE} {image}", _IMAGE
    if sampler:
        symbol += "11ocl_sampler"
        arguments, kinds = f"{arguments}, {_SAMPLER} {sampler}", f"{kinds}, {_SAMPLER}"
    effect = "nounwind willreturn memory(read)"
    arguments, kinds = f"{arguments}, {vector} {where}", f"{kinds}, {vector}"
    return w.call(result, symbol + code, arguments, kinds, effect), part


def _mangled(kind: str, side: str) -> str:
    name = f"ocl_{_KINDS[kind]}_{side}"
    return f"{len(name)}{name}"


def _nearest(w: Writer, bits: int) -> str:
    symbol = "__translate_sampler_initializer"
    w.declared[symbol] = f"declare spir_func {_SAMPLER} @{symbol}(i32) nounwind memory(none)"
    return w.value(f"call spir_func {_SAMPLER} @{symbol}(i32 {bits})")


def _macro(*names: str) -> int:
    return sum(int(PREDEFINED_MACROS[f"CLK_{n}"], 0) for n in names)


def _sampler(w: Writer, place: Address) -> str:
    if len(place.rest) < 2:
        return _nearest(w, _macro("ADDRESS_CLAMP_TO_EDGE", "FILTER_NEAREST"))
    if isinstance(place.rest[0], Symbol):
        return _nearest(w, _bits_of(w, place.rest[0].name))
    return w.read(place.rest[0], _SAMPLER)


def _bits_of(w: Writer, name: str) -> int:
    """Of a ``.samplerref`` (PTX ISA, "Texture sampler and surface types")."""
    said = dict[str, str]()
    for each in w.variables[name].values:
        if isinstance(each, Symbol):
            key, _, value = each.name.partition("=")
            said[key] = value
    addressing = _ADDRESSING.get(said.get("addr_mode_0", "clamp_to_edge"), "CLAMP_TO_EDGE")
    filtering = "LINEAR" if said.get("filter_mode") == "linear" else "NEAREST"
    by_texels = said.get("force_unnormalized_coords") == "1"
    return _macro(f"ADDRESS_{addressing}", f"FILTER_{filtering}") + (not by_texels)


def texture(w: Writer, item: Instruction) -> None:
    """``tex``: a texel at integers or floats; ``.level`` and ``.grad`` choose among mipmaps, of
    which images have one."""
    kind, place, texel = _kind(w, item), _place(w, item), item.words[-3]
    if texel not in _READS or item.type not in ("s32", "f32"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    type_ = "float" if item.type == "f32" else "i32"
    values = _coordinates(w, place, kind, type_)
    sampler = "" if kind == "buffer" else _sampler(w, place)
    value, part = _read(w, _image(w, place), sampler, kind, values, (texel, type_))
    _give(w, item, value, part)


def gather(w: Writer, item: Instruction) -> None:
    """``tld4``: one component of the four texels that a linear filter would weigh: lower left,
    lower right, upper right, upper left."""
    kind, place, texel = _kind(w, item), _place(w, item), item.words[-3]
    component = next(("rgba".index(x) for x in item.words if x in ("r", "g", "b", "a")), None)
    if kind != "2d" or texel not in _READS or component is None or item.type != "f32":
        raise w.refuse(f"'{item.opcode}' is not supported")
    image, sampler, low = _image(w, place), _sampler(w, place), list[str]()
    for each in _coordinates(w, place, kind, "float"):
        floor = w.intrinsic("floor", "float", w.binary("fsub", "float", each, "0.5"))
        low.append(w.cast("fptosi", "float", floor, "i32"))
    high = [w.binary("add", "i32", each, 1) for each in low]
    part, whole = _READS[texel][1], "poison"
    corners = ([low[0], high[1]], high, [high[0], low[1]], low)
    for number, corner in enumerate(corners):
        value, _ = _read(w, image, sampler, kind, corner, (texel, "i32"))
        one = w.value(f"extractelement <4 x {part}> {value}, i32 {component}")
        whole = w.value(f"insertelement <4 x {part}> {whole}, {part} {one}, i32 {number}")
    _give(w, item, whole, part)


def _give(w: Writer, item: Instruction, value: str, part: str) -> None:
    """A texel into registers; a predicate beside them says that the texel is there."""
    target = item.operands[0]
    if isinstance(target, Several) and target.paired:
        w.write(target.parts[1], "i1", "true")
        target = target.parts[0]
    parts = target.parts if isinstance(target, Several) else (target,)
    if len(parts) > 4:
        raise w.refuse("a texel has four parts", "K430")
    for number, each in enumerate(parts):
        one = w.value(f"extractelement <4 x {part}> {value}, i32 {number}")
        w.write(each, part, one)


def query(w: Writer, item: Instruction) -> None:
    """``txq`` and ``suq``: width, height and depth."""
    kind, place = _kind(w, item), _place(w, item)
    word = next((x for x in item.words if x in ("width", "height", "depth")), None)
    axes = {"1d": 1, "buffer": 1, "a1d": 1, "2d": 2, "a2d": 2, "3d": 3}[kind]
    if word is None or ("width", "height", "depth").index(word) >= axes:
        raise w.refuse(f"'{item.opcode}' is not supported")
    name = f"get_image_{word}"
    symbol = f"_Z{len(name)}{name}{_mangled(kind, 'ro')}"
    w.write(item.operands[0], "i32", w.call("i32", symbol, f"{_IMAGE} {_image(w, place)}", _IMAGE))


def _surface(w: Writer, item: Instruction, value: Operand) -> tuple[tuple[Operand, ...], str]:
    """The registers of an access to a surface, and the type that a texel's parts have: a float
    where the registers are."""
    parts = value.parts if isinstance(value, Several) else (value,)
    vector = next((int(x[1]) for x in item.words if x in ("v2", "v4")), 1)
    if vector != len(parts):
        raise w.refuse("the operand has another number of registers than the access", "K430")
    if item.type not in ("b8", "b16", "b32", "u32", "s32", "f32"):
        raise w.refuse(f"'{item.opcode}' is not supported")
    known = {w.types.get(p.name) for p in parts if isinstance(p, Register)}
    return parts, "f32" if "float" in known and SIZES[item.type] == 4 else "u32"


def _texel_place(w: Writer, item: Instruction, place: Address, bytes_: int) -> list[str]:
    """Coordinates by texels; ``.b`` counts x in bytes."""
    kind = _kind(w, item)
    x, *more = _coordinates(w, place, kind, "i32")
    if "b" in item.words and bytes_ > 1:
        x = w.value(f"sdiv exact i32 {x}, {bytes_}")
    return [x, *more]


def surface_load(w: Writer, item: Instruction) -> None:
    """``suld.b``."""
    parts, texel = _surface(w, item, item.operands[0])
    place, bits = _place(w, item), f"i{8 * SIZES[item.type]}"
    where = _texel_place(w, item, place, len(parts) * SIZES[item.type])
    value, part = _read(w, _image(w, place), "", _kind(w, item), where, (texel, "i32"))
    for number, each in enumerate(parts):
        one = w.value(f"extractelement <4 x {part}> {value}, i32 {number}")
        w.write(each, part if texel == "f32" else bits, w.convert(one, part, bits)
                if texel == "u32" else one)  # fmt: skip


def surface_store(w: Writer, item: Instruction) -> None:
    """``sust.b`` and ``sust.p``."""
    parts, texel = _surface(w, item, item.operands[-1])
    place, kind = _place(w, item), _kind(w, item)
    letters, part = _READS[texel]
    where = _texel_place(w, item, place, len(parts) * SIZES[item.type])
    vector, at, code = _vector(w, where, "i32")
    whole, bits = f"<4 x {part}> zeroinitializer", f"i{8 * SIZES[item.type]}"
    for number, each in enumerate(parts):
        have = part if texel == "f32" else bits
        one = w.convert(w.read(each, have), have, part)
        whole = f"<4 x {part}> " + w.value(f"insertelement {whole}, {part} {one}, i32 {number}")
    name = f"write_image{letters}"
    end = {"f": "Dv4_f", "i": "Dv4_i", "ui": "Dv4_j"}[letters]
    symbol = f"_Z{len(name)}{name}{_mangled(kind, 'wo')}{code}{end}"
    arguments = f"{_IMAGE} {_image(w, place)}, {vector} {at}, {whole}"
    w.call("void", symbol, arguments, f"{_IMAGE}, {vector}, <4 x {part}>", "nounwind willreturn")


HANDLERS: dict[str, Handler] = {
    "tex": texture, "tld4": gather, "txq": query, "suq": query, "suld": surface_load,
    "sust": surface_store,
}  # fmt: skip
"""By the first word of the opcode."""
