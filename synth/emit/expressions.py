"""The OpenCL C of a miniature's statements, one expression for each instruction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from kcc.frontend.ir.types import (
    I1,
    ArrayTy,
    FloatTy,
    IntTy,
    IrType,
    PtrTy,
    StructTy,
    VecTy,
    field_offsets,
    scalar_of,
    size_bytes,
)
from kcc.synth.assembly.model import (
    Input,
    Literal,
    Moved,
    Nothing,
    Operand,
    Place,
    Refill,
    Result,
    Role,
    Spread,
    Statement,
)
from kcc.synth.emit.opencl_types import SPACES, number, pointer, signed, spelled

MULTIPLIER = "1664525u"
"""Of the generator of draws: Knuth, The Art of Computer Programming, volume 2, section 3.3.4,
table 1, line 16 (there with the increment that the anchor stands for here)."""

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "udiv": "/", "urem": "%", "shl": "<<", "lshr": ">>",
    "and": "&", "or": "|", "xor": "^", "fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/",
}  # fmt: skip

_SIGNED = {"sdiv": "/", "srem": "%", "ashr": ">>"}

_NO_OVERFLOW = ("add", "sub", "mul")
"""Where an index is signed in the original it is so in the miniature, since addresses of which
nothing is known to overflow are linear in it: they share what computes them."""

_COMPARE = {
    "eq": "==", "ne": "!=", "gt": ">", "ge": ">=", "lt": "<", "le": "<=",
}  # fmt: skip

_INTRINSICS = {
    "sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "rint": "rint",
    "trunc": "trunc", "round": "round", "roundeven": "rint", "nearbyint": "rint", "exp": "exp",
    "exp2": "exp2", "exp10": "exp10", "log": "log", "log2": "log2", "log10": "log10",
    "sin": "sin", "cos": "cos", "tan": "tan", "pow": "pow", "fma": "fma", "fmuladd": "mad",
    "minnum": "fmin", "maxnum": "fmax", "minimum": "fmin", "maximum": "fmax",
    "minimumnum": "fmin", "maximumnum": "fmax", "copysign": "copysign", "ctpop": "popcount",
    "ctlz": "clz", "cttz": "clz", "umin": "min", "umax": "max", "uadd.sat": "add_sat",
    "usub.sat": "sub_sat", "bswap": "", "bitreverse": "",
}  # fmt: skip

_SIGNED_INTRINSICS = {
    "smin": "min", "smax": "max", "sadd.sat": "add_sat", "ssub.sat": "sub_sat",
}  # fmt: skip

_ATOMICS = {
    "add": "add", "sub": "sub", "xchg": "xchg", "min": "min", "max": "max", "umin": "min",
    "umax": "max", "and": "and", "or": "or", "xor": "xor",
}  # fmt: skip


class Expressions:
    """Spells operands and statements of one kernel. ``statements`` are all of them by number,
    ``moved`` the queries that thread blocks left out have a part in."""

    def __init__(self, statements: Mapping[int, Statement], moved: Sequence[Moved] = ()) -> None:
        self.statements = statements
        self._moved = {(m.query, m.dimension): m for m in moved}
        self._steps = Counter[str]()
        self._same = _repeated(statements)

    def operand(self, operand: Operand, type_: IrType) -> str:
        """An operand as an expression without side effects."""
        match operand:
            case Result():
                return f"v{operand.number}"
            case Input():
                return f"a{operand.number}"
            case Place():
                suffix = f" + {operand.offset_bytes}" if operand.offset_bytes else ""
                space = type_.space if isinstance(type_, PtrTy) else 3
                return f"(({pointer(space)})m{operand.array}{suffix})"
            case Literal():
                return self._literal(operand, type_)
            case Nothing() if isinstance(type_, PtrTy):
                return f"(({pointer(type_.space)})0)"
            case Nothing():
                return self._literal(Literal(0), type_)
            case Spread() | Refill():
                raise AssertionError("a drawn address is not an expression")

    def _literal(self, operand: Literal, type_: IrType) -> str:
        if isinstance(type_, PtrTy):
            return f"(({pointer(type_.space)}){int(operand.value)})"  # type: ignore[arg-type]
        if isinstance(type_, VecTy):
            values = operand.value if isinstance(operand.value, tuple) else (operand.value,)
            element = IntTy(32) if type_.element == I1 else type_.element
            return f"({spelled(type_)})({', '.join(number(v, element) for v in values)})"
        assert not isinstance(operand.value, tuple)
        return number(operand.value, type_)

    def of(self, s: Statement) -> str:
        """The expression of a statement that gives a value."""
        own = [self.operand(o, t) for o, t in zip(s.operands, s.operand_types, strict=True)
               if not isinstance(o, Spread)]  # fmt: skip
        match s.opcode:
            case "icmp" | "fcmp":
                return self._comparison(s, own)
            case "fneg":
                return f"-{own[0]}"
            case "frem":
                return f"fmod({own[0]}, {own[1]})"
            case "freeze":
                return own[0]
            case "select":
                return self._select(s, own)
            case "getelementptr":
                return self._address(s, own)
            case "extractelement" | "insertelement" | "shufflevector" | "extractvalue":
                return self._lanes(s, own)
            case "call":
                return self._call(s, own)
            case word if word in _SIGNS or word in _SIGNED:
                return self._arithmetic(s, own)
            case _:
                return self._cast(s, own[0])

    def _arithmetic(self, s: Statement, own: list[str]) -> str:
        left, right = own
        if s.opcode in ("sdiv", "udiv", "srem", "urem") and s.role is Role.CHAIN:
            right = f"({right} | {self.operand(Literal(1), s.type)})"
        sign = _SIGNED.get(s.opcode)
        if s.opcode in _NO_OVERFLOW and s.detail == "nsw" and s.role is Role.INDEX:
            sign = _SIGNS[s.opcode]
        if sign:
            name, back = signed(s.type), spelled(s.type)
            return self._as(f"{self._as(left, name)} {sign} {self._as(right, name)}", back, s.type)
        text = f"{left} {_SIGNS[s.opcode]} {right}"
        narrow = isinstance(s.type, IntTy) and s.type.bits < 32
        return f"({spelled(s.type)})({text})" if narrow else text

    def _as(self, text: str, name: str, type_: IrType | None = None) -> str:
        """A cast that keeps the bits; of vectors by as_."""
        if name[-1].isdigit() and name.lstrip("u").rstrip("0123456789") in (
            "char", "short", "int", "long", "float", "double",
        ):  # fmt: skip
            return f"as_{name}({text})"
        return f"({name})({text})" if type_ is not None else f"({name}){text}"

    def _comparison(self, s: Statement, own: list[str]) -> str:
        word = s.detail
        if s.opcode == "fcmp" and word in ("ord", "uno", "true", "false"):
            sign = "==" if word in ("ord", "true") else "!="
            return f"{own[0]} {sign} {own[0 if word in ('ord', 'uno') else 1]}"
        sign = _COMPARE[word if word in ("eq", "ne") else word[1:]]
        left, right = own
        if s.opcode == "icmp" and word.startswith("s"):
            name = signed(s.operand_types[0])
            left, right = self._as(left, name), self._as(right, name)
        return f"{left} {sign} {right}"

    def _select(self, s: Statement, own: list[str]) -> str:
        condition, then, otherwise = own
        if isinstance(s.operand_types[0], VecTy):
            return f"select({otherwise}, {then}, {condition})"
        return f"{condition} ? {then} : {otherwise}"

    def _address(self, s: Statement, own: list[str]) -> str:
        assert isinstance(s.type, PtrTy)
        assert s.shape is not None
        base, first, *others = own
        space, shape = SPACES[s.type.space], s.shape
        text = (
            base
            if first in ("0ul", "0u")
            else self._step(base, space, shape, self._signed_index(first, s, 1))
        )
        for place, index in enumerate(others):
            match shape:
                case StructTy():
                    field = int(index.rstrip("ul"))
                    text, shape = f"{text} + {field_offsets(shape)[field]}", shape.fields[field]
                case ArrayTy() | VecTy():
                    shape = shape.element
                    if index not in ("0ul", "0u"):
                        text = self._step(
                            f"({text})", space, shape, self._signed_index(index, s, place + 2)
                        )
                case _:
                    raise AssertionError("an index into a scalar")
        return text

    def _signed_index(self, index: str, s: Statement, place: int) -> str:
        """Indices are signed, whatever their width."""
        return f"({signed(s.operand_types[place])}){index}"

    def _step(self, base: str, space: str, shape: IrType, index: str) -> str:
        """So many objects of a shape further."""
        size = size_bytes(shape)
        if size == 1:
            return f"{base} + {index}"
        named = spelled(shape) if isinstance(shape, IntTy | FloatTy) else ""
        key = f"{self._first_of(base)} {self._first_of(index)} {size}"
        times = self._steps[key]
        self._steps[key] += 1
        if times or not named:
            # Written again, an address would be computed once but for another, equal, type.
            named = f"uchar (*){'[1]' * max(times - (not named), 0)}[{size}]"
        else:
            named += " *"
        return f"({space} uchar *)(({space} {named}){base} + {index})".replace("( ", "(")

    def _first_of(self, text: str) -> str:
        """An expression by the first of the values that are computed alike."""
        return re.sub(r"\bv(\d+)\b", lambda m: f"v{self._same.get(int(m[1]), int(m[1]))}", text)

    def _lanes(self, s: Statement, own: list[str]) -> str:
        match s.opcode:
            case "extractelement":
                return f"{own[0]}.s{self._lane(s.operands[1])}"
            case "extractvalue":
                return self._part(s, own[0])
            case "shufflevector":
                return self._shuffle(s, own)
            case _:
                raise AssertionError("insertelement is a statement of its own")

    def _part(self, s: Statement, whole: str) -> str:
        """Of a compare-and-exchange: what was there before, or whether it was what was expected."""
        made = s.operands[0]
        if s.type != I1 or not isinstance(made, Result):
            return whole
        exchange = self.statements[made.number]
        expected = self.operand(exchange.operands[1], exchange.operand_types[1])
        return f"{whole} == {expected}"

    def _lane(self, operand: Operand) -> str:
        """A lane's number; one that is not fixed counts as the first."""
        return f"{int(operand.value):x}" if isinstance(operand, Literal) else "0"  # type: ignore[arg-type]

    def _shuffle(self, s: Statement, own: list[str]) -> str:
        source = s.operand_types[0]
        assert isinstance(source, VecTy)
        assert isinstance(s.type, VecTy)
        lanes = [m if m is not None else 0 for m in s.lanes]
        if all(m < source.lanes for m in lanes) and s.type.lanes in (2, 3, 4, 8, 16):
            return f"{own[0]}.s{''.join(f'{m:x}' for m in lanes)}"
        pieces = [
            f"{own[0]}.s{m:x}" if m < source.lanes else f"{own[1]}.s{m - source.lanes:x}"
            for m in lanes
        ]
        return f"({spelled(s.type)})({', '.join(pieces)})"

    def _call(self, s: Statement, own: list[str]) -> str:
        if not s.detail.startswith("llvm."):
            return self._builtin(s, own)
        stem = _stem(s.detail)
        name = signed(s.type)
        if stem in _SIGNED_INTRINSICS:
            inner = ", ".join(self._as(o, name) for o in own)
            return self._as(f"{_SIGNED_INTRINSICS[stem]}({inner})", spelled(s.type))
        match stem:
            case "abs":
                return f"abs({self._as(own[0], name)})"
            case "fptosi.sat":
                return self._as(f"convert_{name}_sat({own[0]})", spelled(s.type))
            case "fptoui.sat":
                return f"convert_{spelled(s.type)}_sat({own[0]})"
            case "fshl":
                return f"rotate({own[0]}, {own[2]})"
            case "ldexp" | "powi":
                return f"{'ldexp' if stem == 'ldexp' else 'pown'}({own[0]}, (int){own[1]})"
            case "ctlz" | "cttz":
                return f"clz({own[0]})"
            case _:
                return f"{_INTRINSICS.get(stem, '')}({', '.join(own)})"

    def _builtin(self, s: Statement, own: list[str]) -> str:
        """A built-in function under its own name; what it takes as signed is cast."""
        if "image" in s.detail:
            own = [self._as(o, signed(t)) if isinstance(scalar_of(t), IntTy) else o
                   for o, t in zip(own, s.operand_types, strict=True)]  # fmt: skip
        first = s.operands[0].value if s.operands and isinstance(s.operands[0], Literal) else None
        moved = self._moved.get((s.detail, first)) if isinstance(first, int) else None
        text = f"{s.detail}({', '.join(own)})"
        return _moved(text, moved) if moved else text

    def _cast(self, s: Statement, own: str) -> str:  # noqa: PLR0911 - a row for each cast
        source, target = s.operand_types[0], s.type
        name = spelled(target)
        is_vector = isinstance(target, VecTy)
        match s.opcode:
            case "bitcast":
                return own if spelled(source) == name else f"as_{name}({own})"
            case "ptrtoint" | "ptrtoaddr":
                return f"({name})(ulong){own}"
            case "inttoptr" | "addrspacecast":
                return f"({name}){own}"
            case "trunc" if target == I1:
                return f"(bool)({own} & {number(1, source)})"
            case "sext" if source == I1:
                return f"{own} ? {number(-1, scalar_of(target))} : {number(0, scalar_of(target))}"
            case "sext" if is_vector:
                inner = own if scalar_of(source) == I1 else f"as_{signed(source)}({own})"
                return f"as_{name}(convert_{signed(target)}({inner}))"
            case "sext":
                return f"({name})({signed(target)})({signed(source)}){own}"
            case "zext" if s.detail == "nneg" and not is_vector and source != I1:
                return f"({name})({signed(target)})({signed(source)}){own}"
            case "sitofp" if is_vector:
                return f"convert_{name}(as_{signed(source)}({own}))"
            case "sitofp":
                return f"({name})({signed(source)}){own}"
            case "fptosi" if is_vector:
                return f"as_{name}(convert_{signed(target)}({own}))"
            case "fptosi":
                return f"({name})({signed(target)}){own}"
            case _ if is_vector:
                return f"convert_{name}({own})"
            case _:
                return f"({name}){own}"

    def atomic(self, s: Statement, where: str) -> str:
        """An atomic operation at an address."""
        value = s.operand_types[-1]
        space = _space_of(s)
        own = [
            self.operand(o, t) for o, t in list(zip(s.operands, s.operand_types, strict=True))[1:]
        ]
        wide = scalar_of(value) == IntTy(64)
        is_signed = s.detail in ("min", "max")
        name = signed(value) if is_signed else spelled(value)
        if isinstance(value, FloatTy):
            name, own = "uint", [f"as_uint({o})" for o in own]
        word = "cmpxchg" if s.opcode == "cmpxchg" else _ATOMICS.get(s.detail, "add")
        inner = ", ".join(f"({name}){o}" for o in own)
        text = (
            f"{'atom' if wide else 'atomic'}_{word}((volatile {space} {name} *)({where}), {inner})"
        )
        return f"as_float({text})" if isinstance(value, FloatTy) else f"({spelled(value)}){text}"


def _moved(text: str, moved: Moved) -> str:
    """A query of the original's grid."""
    if moved.total >= 0:
        return f"(ulong)a{moved.total}"
    suffix = [f"a{moved.first}"] if moved.first >= 0 else []
    if moved.skip >= 0:
        runs = f"(uint)get_group_id({moved.dimension})"
        runs = f"({runs} >> a{moved.shift})" if moved.shift >= 0 else runs
        suffix.append(f"{runs} * a{moved.skip}")
    return f"{text} + (ulong)({' + '.join(suffix)})"


def _repeated(statements: Mapping[int, Statement]) -> Mapping[int, int]:
    """For each value the first one that is computed in the same way from the same values."""
    seen = dict[tuple[object, ...], int]()
    same = dict[int, int]()
    for place, s in statements.items():
        if s.opcode in ("phi", "load", "store", "atomicrmw", "cmpxchg", "call"):
            continue
        own = tuple(
            Result(same.get(o.number, o.number)) if isinstance(o, Result) else o for o in s.operands
        )
        same[place] = seen.setdefault((s.opcode, s.detail, s.type, own, s.shape, s.lanes), place)
    return same


def _space_of(s: Statement) -> str:
    place = 1 if s.opcode == "store" else 0
    type_ = s.operand_types[place]
    assert isinstance(type_, PtrTy)
    return SPACES[type_.space]


def _stem(callee: str) -> str:
    """An intrinsic without ``llvm.`` and its types."""
    words = callee.split(".")[1:]
    while len(words) > 1 and words[-1][0] in "vifp" and any(c.isdigit() for c in words[-1]):
        words.pop()
    return ".".join(words)
