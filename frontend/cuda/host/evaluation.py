"""Expressions of host code: values, places and what assigning changes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from kcc.base.records import dataclass
from kcc.frontend.cuda.host.built_ins import built_in, method
from kcc.frontend.cuda.host.expressions import TYPES, ExpressionParser, TooDeepError, spaced
from kcc.frontend.cuda.host.nodes import (
    Binary,
    Braces,
    Call,
    Cast,
    Choice,
    Declared,
    Expression,
    Index,
    Launch,
    Literal,
    Member,
    Name,
    SizeOf,
    Unary,
)
from kcc.frontend.cuda.host.program import Function, Program
from kcc.frontend.cuda.host.tokens import Token
from kcc.frontend.cuda.host.values import (
    Array,
    Place,
    Record,
    Unknown,
    Value,
    as_extents,
    bytes_of,
    computed,
    converted,
    extents_of,
    names_of,
    truth,
    with_axis,
)

MOST_STEPS = 40_000
"""Statements and expressions of a run."""

MOST_ELEMENTS = 4096
"""Of an array that is kept."""

NULLS = ("nullptr", "NULL")
"""Pointers, no numbers."""
OWN_NAMES = frozenset({"half", "half2", "nv_bfloat16", "nv_bfloat162"})
"""Types of CUDA whose own names begin with two underscores."""

MOST_NESTED = 4
"""Structs in each other whose members are made."""

AXES = "xyz"


class StepsSpentError(Exception):
    """The run was as long as is worth while."""


@dataclass(slots=True)
class Launched:
    """A launch that was come to, of the kernel's instance ``name``: ``tried`` where the run itself
    does not go there; ``call`` is the number of the call it stands in."""

    launch: Launch
    name: str
    grid: Value
    block: Value
    shared: Value
    arguments: tuple[Value, ...]
    tried: bool
    call: int


@dataclass(slots=True)
class Evaluation(ABC):
    """Values of expressions. ``given`` are names whose values are known from elsewhere, which no
    assignment changes."""

    program: Program
    given: Mapping[str, Value]
    note: Callable[[Launched], None]
    device: Mapping[str, int] = field(default_factory=dict[str, int])
    types: frozenset[str] = frozenset()
    scopes: list[dict[str, Value]] = field(default_factory=lambda: [{}])
    of_type: list[dict[str, str]] = field(default_factory=lambda: [{}])
    journal: list[tuple[Any, Any, Any]] = field(default_factory=list[tuple[Any, Any, Any]])
    touched: list[tuple[Any, Any, Value]] = field(default_factory=list[tuple[Any, Any, Value]])
    tried: int = 0
    steps: int = 0
    call_number: int = 0
    options: int = 1
    """The argument that getopt looks at next."""

    @abstractmethod
    def call(
        self, function: Function, arguments: Sequence[Value], template: Mapping[str, Any],
        this: Record | None = None,
    ) -> Value:  # fmt: skip
        """What a function of the program gives; of a method, ``this`` is what it is called of."""

    # steps and changes

    def step(self) -> None:
        """Count what is done.

        :raises StepsSpentError: at the last one.
        """
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise StepsSpentError

    def mark(self) -> int:
        """Where the changes from now on begin."""
        return len(self.journal)

    def put(self, holder: Any, key: Any, value: Value) -> None:
        """Change a variable, member or element."""
        self.journal.append((holder, key, _held(holder, key)))
        holder[key] = value

    def held(self, holder: Any, key: Any) -> Value:
        """What a place has now."""
        found = _held(holder, key)
        return Unknown(frozenset({str(key)})) if found is _NOTHING else found

    def changes(self, mark: int) -> dict[tuple[int, Any], tuple[Any, Any, Value]]:
        """What was changed since a mark, with the values of now."""
        return {
            (id(holder), key): (holder, key, self.held(holder, key))
            for holder, key, _ in self.journal[mark:]
        }

    def undo(self, mark: int) -> list[tuple[Any, Any, Value]]:
        """Take back all changes since a mark; they are given."""
        found = list(self.changes(mark).values())
        for holder, key, old in reversed(self.journal[mark:]):
            if old is not _NOTHING:
                holder[key] = old
            elif key in holder:
                del holder[key]
        del self.journal[mark:]
        return found

    def forgotten(self, key: Any) -> Unknown:
        """What is left of a value that nobody knows any more."""
        return Unknown(frozenset({key}) if isinstance(key, str) else frozenset())

    def forget(self, changed: Sequence[tuple[Any, Any, Value]]) -> None:
        """Leave no value to what was changed, where it still is."""
        for holder, key, _ in changed:
            if _held(holder, key) is not _NOTHING:
                self.put(holder, key, self.forgotten(key))

    # names

    @contextmanager
    def scope(self) -> Generator[None]:
        """A block's own names."""
        self.scopes.append({})
        self.of_type.append({})
        try:
            yield
        finally:
            self.scopes.pop()
            self.of_type.pop()

    def enter(
        self, function: Function, arguments: Sequence[Value], template: Mapping[str, Any],
        this: Record | None,
    ) -> tuple[list[dict[str, Value]], list[dict[str, str]]]:  # fmt: skip
        """Begin a call: what was in scope is given, for :meth:`leave`."""
        before = self.scopes, self.of_type
        own: dict[str, Value] = dict(template)
        types = dict[str, str]()
        self.scopes, self.of_type = [before[0][0], own], [before[1][0], types]
        if this is not None:
            own["this"] = this
            self.scopes.insert(1, this.members)
            self.of_type.insert(1, {})
        for place, each in enumerate(function.parameters):
            if not each.name:
                continue
            value: Value = Unknown(frozenset({each.name}))
            if place < len(arguments):
                value = arguments[place]
            elif each.default:
                value = self.of_tokens(each.default)
            if each.kind == "" and not (isinstance(value, Place) and value.is_reference):
                value = converted(value, each.type)
                types[each.name] = each.type
            if isinstance(value, Unknown) and not value.names:
                value = Unknown(frozenset({each.name}))
            own[each.name] = self.given.get(each.name, value)
        self.call_number += 1
        for name, tokens in function.first if this is not None else ():
            self.put(self.scopes[1], name, self.of_tokens(tokens))
        return before

    def leave(self, frame: tuple[list[dict[str, Value]], list[dict[str, str]]]) -> None:
        """End a call."""
        self.scopes, self.of_type = frame

    def of_tokens(self, tokens: Sequence[Token]) -> Value:
        """The value of an expression's tokens."""
        try:
            return self.value(ExpressionParser(tokens, self.types).expression())
        except TooDeepError:
            return Unknown()

    def _find(self, name: str) -> dict[str, Value] | None:
        return next((s for s in reversed(self.scopes) if name in s), None)

    def declare(self, each: Declared) -> None:
        """Make a variable of its initialiser."""
        value: Value
        type_ = self.program.aliases.get(each.type, each.type)
        if each.value is not None:
            value = self._initial(each, type_, self.value(each.value))
        elif each.made_of is not None:
            value = self._constructed(each, type_)
        elif each.kind == "" and type_ == "dim3":
            value = (1, 1, 1)
        elif each.kind == "[]":
            value = self._elements(each, type_)
        elif each.kind == "" and not set(each.type.split()) & TYPES:
            value = self.construct(each.type, ())
        else:
            value = Unknown(frozenset({each.name}))
        if isinstance(value, Unknown) and not value.names:
            value = Unknown(frozenset({each.name}))
        self.put(self.scopes[-1], each.name, self.given.get(each.name, value))
        self.of_type[-1][each.name] = type_ if each.kind == "" else ""

    def _elements(self, each: Declared, type_: str) -> Value:
        count = Unknown() if each.extent is None else self.value(each.extent)
        if not isinstance(count, int) or not 0 <= count <= MOST_ELEMENTS:
            return Unknown(frozenset({each.name}))
        return Array([Unknown(frozenset({each.name}))] * count, bytes_of(type_))

    def construct(self, type_: str, arguments: Sequence[Value]) -> Record:
        """A struct or class made of arguments."""
        own = self._fitting(self.program.methods.get(type_, {}).get(type_, ()), len(arguments))
        if own is None:
            return self._record(type_, arguments)
        found = self._record(type_, ())
        self.call(own, arguments, {}, found)
        return found

    def _record(self, type_: str, parts: Sequence[Value], depth: int = 0) -> Record:
        """A struct of its first members; others have their own initialisers."""
        found = Record(type=type_)
        for place, member in enumerate(self.program.members.get(type_, ())):
            if place < len(parts):
                found.members[member.name] = parts[place]
            elif member.value is not None:
                found.members[member.name] = self.value(member.value)
            elif member.kind == "" and member.type in self.program.members and depth < MOST_NESTED:
                found.members[member.name] = self._record(member.type, (), depth + 1)
            else:
                found.members[member.name] = self.forgotten(member.name)
        return found

    def _initial(self, each: Declared, type_: str, value: Value) -> Value:
        if isinstance(value, Array) and each.kind == "" and each.type in self.program.members:
            return self._record(each.type, value.elements)
        if isinstance(value, Array) and type_ == "dim3":
            return extents_of(value.elements)
        if isinstance(value, Array) and each.kind == "[]":
            return Array(value.elements, bytes_of(type_))
        return value if each.kind else converted(value, type_)

    def _constructed(self, each: Declared, type_: str) -> Value:
        made = [self.value(part) for part in each.made_of or ()]
        if each.kind == "[]":
            return Array(made, bytes_of(type_))
        if type_ == "dim3":
            return extents_of(made)
        if each.type in ("vector", "array") and made:
            size = made[0]
            if isinstance(size, int) and 0 <= size <= MOST_ELEMENTS:
                return Array([made[1] if len(made) > 1 else 0] * size)
            return Record({"size()": size})
        if each.type in self.program.members:
            return self.construct(each.type, made)
        if each.type in ("vector", "initializer_list"):
            return Array(made)
        if len(made) == 1:
            return converted(made[0], type_)
        return Unknown() if made else converted(0, type_)

    # values

    def value(self, node: Expression) -> Value:
        """What an expression gives; what it changes is done."""
        self.step()
        found: Value = Unknown()
        match node:
            case Literal(value):
                found = value
            case Name(text):
                found = self._named(text)
            case Unary():
                found = self._unary(node)
            case Binary():
                found = self._binary(node)
            case Choice(condition, yes, no):
                found = self._choice(truth(self.value(condition)), yes, no)
            case Cast(type_, operand):
                found = converted(self.value(operand), self.program.aliases.get(type_, type_))
            case Call():
                found = self._call(node)
            case Index() | Member():
                place = self.place(node)
                found = self._part(node) if place is None else self.held(place.holder, place.key)
            case Braces(parts):
                found = Array([self.value(part) for part in parts])
            case SizeOf(tokens):
                found = self._size(tokens)
            case Launch():
                self._launch(node)
            case _:
                pass
        return found

    def _named(self, text: str) -> Value:
        scope = self._find(text)
        if scope is None:
            return Unknown(frozenset({text}))
        found = scope[text]
        if isinstance(found, Place) and found.is_reference:
            return self.held(found.holder, found.key)
        return found

    def _choice(self, condition: bool | None, yes: Expression, no: Expression) -> Value:
        if condition is not None:
            return self.value(yes if condition else no)
        one, other = self.value(yes), self.value(no)
        if type(one) is type(other) and one == other:
            return one
        return Unknown(names_of(one, other))

    def _unary(self, node: Unary) -> Value:
        if node.sign in ("++", "--"):
            old = self.value(node.operand)
            new = computed("+" if node.sign == "++" else "-", old, 1)
            self.assign(node.operand, new)
            return old if node.after else new
        if node.sign == "&":
            place = self.place(node.operand)
            return Unknown() if place is None else place
        value = self.value(node.operand)
        if node.sign == "*":
            if isinstance(value, Place):
                return self.held(value.holder, value.key)
            return value.elements[0] if isinstance(value, Array) and value.elements else Unknown()
        if not isinstance(value, int | float):
            return Unknown(names_of(value))
        if node.sign == "!":
            return int(value == 0)
        if node.sign == "~":
            return ~int(value)
        return -value if node.sign == "-" else value

    def _binary(self, node: Binary) -> Value:
        if node.sign in ("&&", "||"):
            left = truth(self.value(node.left))
            if left is not None and left == (node.sign == "||"):
                return int(left)
            right = truth(self.value(node.right))
            if right is not None and (left is not None or right == (node.sign == "||")):
                return int(right)
            return Unknown()
        if node.sign == "=":
            value = self.value(node.right)
            self.assign(node.left, value)
            return value
        if node.sign.endswith("=") and node.sign not in ("==", "!=", "<=", ">="):
            value = computed(node.sign[:-1], self.value(node.left), self.value(node.right))
            self.assign(node.left, value)
            return value
        left_value = self.value(node.left)
        if node.sign == ">>" and isinstance(left_value, Unknown):
            self.assign(node.right, Unknown())  # read from a stream, or shifted
            return left_value
        return computed(node.sign, left_value, self.value(node.right))

    def assign(self, target: Expression, value: Value) -> None:
        """Give a variable, member, element or what is pointed to a value."""
        if isinstance(target, Name) and target.text in self.given:
            return
        if isinstance(target, Member) and target.name in AXES:
            old = self.value(target.record)
            if isinstance(old, tuple):
                self.assign(target.record, with_axis(old, AXES.index(target.name), value))
                return
        if isinstance(target, Member):
            self._make_record(target.record)
        place = self.place(target)
        if place is None:
            return
        if isinstance(target, Name):
            type_ = next((t[target.text] for t in reversed(self.of_type) if target.text in t), "")
            value = converted(value, type_)
            if type_ == "dim3" and isinstance(value, Array):
                value = extents_of(value.elements)
        if isinstance(value, Unknown) and not value.names:
            value = self.forgotten(place.key)
        self.put(place.holder, place.key, value)

    def _make_record(self, node: Expression) -> None:
        """Let what has no value be a struct, a member of which is set."""
        place = self.place(node)
        if place is not None and isinstance(self.held(place.holder, place.key), Unknown):
            self.put(place.holder, place.key, Record())

    def place(self, node: Expression) -> Place | None:
        """Where an expression's value is kept; None where it is nowhere that is known."""
        match node:
            case Name(text):
                scope = self._find(text)
                if scope is None:
                    return None
                found = scope[text]
                return (
                    found if isinstance(found, Place) and found.is_reference else Place(scope, text)
                )
            case Unary("*", operand):
                value = self.value(operand)
                return value if isinstance(value, Place) else None
            case Index(array, index):
                held, number = self.value(array), self.value(index)
                if (
                    isinstance(held, Array)
                    and isinstance(number, int)
                    and (0 <= number < len(held.elements))
                ):
                    return Place(held.elements, number)
            case Member(record, name):
                held = self.value(record)
                if isinstance(held, Place):
                    held = self.held(held.holder, held.key)
                if isinstance(held, Record):
                    return Place(held.members, name)
            case _:
                pass
        return None

    def _part(self, node: Index | Member) -> Value:
        """A part of what is no array or record that is known."""
        if isinstance(node, Index):
            self.value(node.index)
            return Unknown(names_of(self.value(node.array)))
        held = self.value(node.record)
        if node.name in AXES and isinstance(held, tuple):
            return held[AXES.index(node.name)]
        return Unknown()

    def _size(self, tokens: Sequence[Token]) -> Value:
        texts = [each.text for each in tokens]
        if len(texts) == 1 and self._find(texts[0]) is not None:
            held = self._named(texts[0])
            if isinstance(held, Array) and held.element_bytes:
                return held.element_bytes * len(held.elements)
            return bytes_of(self._type_of(texts[0])) or Unknown()
        if len(texts) > 1 and texts[1] == "[":
            held = self._named(texts[0])
            return held.element_bytes or Unknown() if isinstance(held, Array) else (
                bytes_of(self._type_of(texts[0])) or Unknown()
            )  # fmt: skip
        if "*" in texts:
            return 8
        words = [self._type_named(word) for word in texts]
        return bytes_of(" ".join(words)) or Unknown()

    def _type_of(self, name: str) -> str:
        return next((own[name] for own in reversed(self.of_type) if name in own), "")

    def _type_named(self, word: str) -> str:
        """What a template's parameter or an alias stands for."""
        scope = self._find(f"type {word}")
        if scope is not None and isinstance(found := scope[f"type {word}"], str):
            return found
        return self.program.aliases.get(word, word)

    # calls

    def _call(self, node: Call) -> Value:
        function, count = node.function, len(node.arguments)
        if isinstance(function, Member):
            held = self.value(function.record)
            if isinstance(held, Place):
                held = self.held(held.holder, held.key)
            own = self._method_of(held, function.name, count) if isinstance(held, Record) else None
            if own is not None and isinstance(held, Record):
                return self.call(own, self._arguments(own, node.arguments), {}, held)
            return method(self, function, node.arguments)
        if not isinstance(function, Name):
            for each in node.arguments:
                self.value(each)
            return self.value(function) if not node.arguments else Unknown()
        name = function.text
        this = self._named("this")
        if isinstance(this, Record) and (own := self._method_of(this, name, count)) is not None:
            return self.call(own, self._arguments(own, node.arguments), {}, this)
        own = self._fitting(self.program.functions.get(name, ()), count)
        if own is not None:
            template = self._template_of(own, function.template or ())
            return self.call(own, self._arguments(own, node.arguments), template)
        if name in self.program.members:
            return self.construct(name, [self.value(each) for each in node.arguments])
        return built_in(self, name, node.arguments)

    def _method_of(self, held: Record, name: str, count: int) -> Function | None:
        return self._fitting(self.program.methods.get(held.type, {}).get(name, ()), count)

    def _fitting(self, functions: Sequence[Function], count: int) -> Function | None:
        """Of functions of one name the first that takes so many arguments."""
        for each in functions:
            needed = sum(not p.default for p in each.parameters if p.name or p.type != "void")
            if needed <= count <= len(each.parameters):
                return each
        return None

    def _arguments(self, function: Function, given: Sequence[Expression]) -> list[Value]:
        kinds = [each.kind for each in function.parameters]
        return [self._passed(each, kind) for each, kind in zip(given, kinds, strict=False)]

    def _passed(self, argument: Expression, kind: str) -> Value:
        if kind == "&":
            place = self.place(argument)
            if place is not None:
                return Place(place.holder, place.key, is_reference=True)
        return self.value(argument)

    def _template_of(
        self, function: Function, explicit: Sequence[Sequence[Token]]
    ) -> dict[str, Value]:
        found = dict[str, Value]()
        for place, each in enumerate(function.template):
            tokens = explicit[place] if place < len(explicit) else each.default
            if not each.name:
                continue
            texts = [t.text for t in tokens]
            if each.type.split()[-1:] in (["typename"], ["class"]):
                if texts:
                    found[f"type {each.name}"] = " ".join(self._type_named(t) for t in texts)
            else:
                found[each.name] = (
                    self.of_tokens(tokens) if tokens else Unknown(frozenset({each.name}))
                )
        return found

    def _launch(self, node: Launch) -> None:
        sizes = [self.value(each) for each in node.sizes]
        arguments = tuple(
            Unknown() if isinstance(each, Name) and each.text in NULLS else self.value(each)
            for each in node.arguments
        )
        if len(sizes) < 2:
            return
        shared: Value = sizes[2] if len(sizes) > 2 else 0
        grid, block = (as_extents(each) for each in sizes[:2])
        inner = ", ".join(map(self._instance_word, node.template))
        name = f"{node.kernel}<{inner}>" if inner else node.kernel
        is_tried = self.tried > 0
        self.note(Launched(node, name, grid, block, shared, arguments, is_tried, self.call_number))

    def _own_name(self, word: str) -> str:
        """A type's name without the one that CUDA's headers give it beside."""
        name = self._type_named(word)
        return f"__{name}" if name in OWN_NAMES else name

    def _instance_word(self, tokens: Sequence[Token]) -> str:
        """A template argument as the name of an instance has it: a type, or a number."""
        types = [each._replace(text=self._own_name(each.text)) for each in tokens]
        if types != list(tokens) or len(tokens) != 1 or tokens[0].kind != "name":
            return spaced(types)
        value = self._named(tokens[0].text)
        return str(value) if isinstance(value, int) else tokens[0].text


_NOTHING: Any = object()
"""Of a name that is not there."""


def _held(holder: Any, key: Any) -> Any:
    try:
        return holder[key]
    except (KeyError, IndexError):
        return _NOTHING
