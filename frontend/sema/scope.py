"""What names mean: entities of the four kinds of C declarations, and nested scopes of them."""

from __future__ import annotations

from dataclasses import field

from kcc.base.diagnostics import Span
from kcc.base.records import dataclass
from kcc.frontend.tree import Expr, Function, Variable
from kcc.frontend.types import EnumType, QualType, RecordType, ScalarType


@dataclass(slots=True, eq=False)
class TypedefName:
    """``type`` is None when the declaration was wrong."""

    type: QualType | None
    span: Span
    alignment_bytes: int = 0
    spelling: str = ""


@dataclass(slots=True, eq=False)
class EnumConstant:
    """An enumerator; its type may widen when its enumeration is complete."""

    value: int
    type: ScalarType
    span: Span


@dataclass(slots=True, eq=False)
class SamplerConstant:
    """A sampler variable whose value is known: its uses stand for the value."""

    value: Expr
    span: Span


@dataclass(slots=True, eq=False)
class FunctionGroup:
    """The functions of one name: one, or several with the ``overloadable`` attribute."""

    functions: list[FunctionEntry]
    span: Span


@dataclass(slots=True, eq=False)
class FunctionEntry:
    """A function of the source; ``defined_at`` is the definition's place once there is one."""

    function: Function
    span: Span
    overloadable: bool
    defined_at: Span | None = None


@dataclass(slots=True, eq=False)
class Poisoned:
    """A name whose declaration was wrong: its uses say nothing more."""

    span: Span


Entity = Variable | TypedefName | EnumConstant | SamplerConstant | FunctionGroup | Poisoned

Tag = RecordType | EnumType


@dataclass(slots=True, eq=False)
class TagEntry:
    """A tag with the place of its first declaration."""

    type: Tag
    span: Span


@dataclass(slots=True, eq=False)
class Scope:
    """Names and tags of one block, prototype or file."""

    parent: Scope | None = None
    names: dict[str, Entity] = field(default_factory=dict[str, Entity])
    tags: dict[str, TagEntry] = field(default_factory=dict[str, TagEntry])

    def find(self, name: str) -> Entity | None:
        """The innermost entity of that name."""
        scope: Scope | None = self
        while scope is not None:
            entity = scope.names.get(name)
            if entity is not None:
                return entity
            scope = scope.parent
        return None

    def find_tag(self, name: str) -> TagEntry | None:
        scope: Scope | None = self
        while scope is not None:
            entry = scope.tags.get(name)
            if entry is not None:
                return entry
            scope = scope.parent
        return None

    def visible_names(self) -> list[str]:
        """Every name in sight, innermost first (for suggestions)."""
        seen = dict[str, None]()
        scope: Scope | None = self
        while scope is not None:
            seen.update(dict.fromkeys(scope.names))
            scope = scope.parent
        return list(seen)
