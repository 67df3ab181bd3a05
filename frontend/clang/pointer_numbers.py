"""Pointers that go through integers: ``inttoptr`` of a sum that counts from one pointer becomes
that pointer moved by the rest of the sum, so that analyses see the array.

Inline PTX takes addresses in shared memory as 32-bit numbers (``__cvta_generic_to_shared``). Works
on LLVM's printed text, function by function, in SSA form.
"""

from __future__ import annotations

import re

_DEFINE = re.compile(r"^define .*?^\}\n", re.MULTILINE | re.DOTALL)
_RESULT = re.compile(r"^  (%[\w.$-]+) = (\w+) (.*?)((?:, !\w+(?:\.\w+)* !\d+)*)$")
_TO_POINTER = re.compile(r"(i\d+) (\S+|ptrtoint \(.*\)) to (ptr(?: addrspace\(\d\))?)$")
_TO_NUMBER = re.compile(r"(ptr(?: addrspace\(\d\))?) (%\S+) to (i\d+)$")
_CONSTANT = re.compile(r"ptrtoint \((ptr(?: addrspace\(\d\))?) (.*) to i\d+\)$")
_CAST = re.compile(r"(?:nneg |nuw |nsw )*(i\d+) (%[\w.$-]+) to (i\d+)$")
_SUM = re.compile(
    r"(?:nuw |nsw |disjoint )*(i\d+) (ptrtoint \(.*\)|[^,]+), (ptrtoint \(.*\)|[^,]+)$"
)
_PHI = re.compile(r"(i\d+) (\[ .*)$")
_INCOMING = re.compile(r"\[ (.+?), (%[\w.$-]+) \]")
_PART = re.compile(r"(\{.*\}) (%[\w.$-]+), (\d+)$")
_PUT = re.compile(r"(\{.*\}) (\S+), (?:<[^>]*>|[\w]+(?: addrspace\(\d\))?) (\S+), (\d+)$")
_DEEPEST = 64

Base = tuple[str, str]
"""The type of a pointer and its text."""


def with_pointers(text: str) -> str:
    """The module with numbers that are addresses taken back to the pointers they count from."""
    if " inttoptr " not in text and " insertvalue " not in text:
        return text
    return _DEFINE.sub(lambda m: _Function(m[0]).text(), text)


class _Function:
    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.defined = dict[str, tuple[int, str, str, str]]()
        """The line of a value, its opcode, what follows it and the metadata."""
        for number, line in enumerate(self.lines):
            if match := _RESULT.match(line):
                self.defined[match[1]] = number, match[2], match[3], match[4]
        self.added = dict[int, list[str]]()
        self.rests = dict[tuple[str, Base], str]()

    def text(self) -> str:
        renamed = dict[str, str]()
        for name, (number, opcode, rest, tail) in self.defined.items():
            if opcode == "inttoptr" and (match := _TO_POINTER.match(rest)):
                self.pointer(name, number, match[1], match[2], match[3], tail)
            elif opcode == "extractvalue" and (part := _PART.match(rest)):
                value = self.part(part[2], part[3])
                if value is not None:
                    renamed[name] = value
        lines = list[str]()
        for number, line in enumerate(self.lines):
            lines += [line, *self.added.get(number, [])]
        return _renamed("\n".join(lines), renamed)

    def part(self, name: str, index: str) -> str | None:
        """What was put into a struct at an index."""
        for _ in range(_DEEPEST):
            found = self.defined.get(name)
            put = _PUT.match(found[2]) if found and found[1] == "insertvalue" else None
            if put is None:
                return None
            if put[4] == index:
                return put[3]
            name = put[2]
        return None

    def pointer(self, name: str, number: int, kind: str, value: str, want: str, tail: str) -> None:
        base = self.base(value, frozenset())
        if base is None or (base[0] != want and "ptr addrspace(4)" not in (base[0], want)):
            return
        rest = self.rest(value, base)
        if rest is None:
            return
        lines = list[str]()
        if kind != "i64" and not rest.lstrip("-").isdigit():
            wide = beside(name, "wide")
            lines.append(f"  {wide} = sext {kind} {rest} to i64{tail}")
            rest = wide
        moved = name if base[0] == want else beside(name, "moved")
        lines.append(f"  {moved} = getelementptr i8, {base[0]} {base[1]}, i64 {rest}{tail}")
        if moved != name:
            lines.append(f"  {name} = addrspacecast {base[0]} {moved} to {want}{tail}")
        self.lines[number] = lines[0]
        self.added[number] = lines[1:] + self.added.get(number, [])

    def base(self, value: str, seen: frozenset[str]) -> Base | None:
        """The one pointer that a number counts from. Behind a phi it must be a constant, which
        stands before everything."""
        if constant := _CONSTANT.match(value):
            return constant[1], constant[2]
        found = self.defined.get(value)
        if found is None or value in seen or len(seen) > _DEEPEST:
            return None
        seen |= {value}
        _, opcode, rest, _ = found
        if opcode == "ptrtoint" and (match := _TO_NUMBER.match(rest)):
            return match[1], match[2]
        if opcode in ("trunc", "zext", "sext") and (match := _CAST.match(rest)):
            return self.base(match[2], seen)
        if opcode in ("add", "or") and (match := _SUM.match(rest)):
            if opcode == "or" and "disjoint" not in rest:
                return None
            left, right = self.base(match[2], seen), self.base(match[3], seen)
            return (left or right) if left is None or right is None else None
        if opcode == "sub" and (match := _SUM.match(rest)):
            return self.base(match[2], seen)
        if opcode == "phi" and (match := _PHI.match(rest)):
            bases = {self.base(v, seen) for v, _ in _INCOMING.findall(match[2]) if v not in seen}
            bases.discard(None)
            base = bases.pop() if len(bases) == 1 else None
            return base if base is not None and not base[1].startswith("%") else None
        return None

    def rest(self, value: str, base: Base) -> str | None:
        """A number less the address of its base."""
        if _CONSTANT.match(value):
            return "0"
        if (value, base) in self.rests:
            return self.rests[value, base]
        number, opcode, rest, tail = self.defined[value]
        result, name = "", f"{value}.rest"
        if opcode == "ptrtoint":
            return "0"
        if opcode == "phi":
            return self.rest_of_phi(value, base)
        if match := _CAST.match(rest):
            inner = self.rest(match[2], base)
            if inner is None or inner.lstrip("-").isdigit():
                return inner
            result = f"{opcode} {match[1]} {inner} to {match[3]}"
        elif match := _SUM.match(rest):
            first = self.base(match[2], frozenset()) is not None
            inner = self.rest(match[2] if first else match[3], base)
            other = match[3] if first else match[2]
            if inner is None:
                return None
            if inner == "0" and opcode != "sub":
                return other
            result = f"{opcode} {match[1]} {inner}, {other}"
        self.rests[value, base] = name
        self.added.setdefault(number, []).append(f"  {name} = {result}{tail}")
        return name

    def rest_of_phi(self, value: str, base: Base) -> str | None:
        number, _, rest, tail = self.defined[value]
        match = _PHI.match(rest)
        assert match is not None
        name = self.rests[value, base] = f"{value}.rest"
        parts = list[str]()
        for incoming, block in _INCOMING.findall(match[2]):
            inner = name if incoming == value else self.rest_if_any(incoming, base)
            if inner is None:
                del self.rests[value, base]
                return None
            parts.append(f"[ {inner}, {block} ]")
        line = f"  {name} = phi {match[1]} {', '.join(parts)}{tail}"
        self.added.setdefault(number, []).insert(0, line)
        return name

    def rest_if_any(self, value: str, base: Base) -> str | None:
        if (value, base) in self.rests:
            return self.rests[value, base]
        if self.base(value, frozenset()) is None and value in self.defined:
            _, opcode, rest, _ = self.defined[value]
            match = _SUM.match(rest) if opcode in ("add", "sub") else None
            if match is None or (match[2], base) not in self.rests:
                return None
        elif value not in self.defined and not _CONSTANT.match(value):
            return None
        return self.rest(value, base)


def _renamed(text: str, names: dict[str, str]) -> str:
    """Uses of values replaced by others, through several steps."""
    if not names:
        return text
    for name, value in names.items():
        while value in names:
            value = names[value]
        names[name] = value
    lines = list[str]()
    for line in text.split("\n"):
        match = _RESULT.match(line)
        if match is not None and match[1] in names:
            continue
        lines.append(re.sub(r"%[\w.$-]+", lambda m: names.get(m[0], m[0]), line))
    return "\n".join(lines)


def beside(name: str, word: str) -> str:
    """A name for what belongs to a value. LLVM counts values that have none, so that a number with
    something after it is no name."""
    return f'%"{word}.{name[2:]}' if name.startswith('%"') else f"%{word}.{name[1:]}"
