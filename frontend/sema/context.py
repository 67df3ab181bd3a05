"""The state of one semantic pass: where names are looked up and errors go.

Every analysis function takes the :class:`Context` first. One that meets an error reports it and
gives None; None as an operand is passed on silently, so that each mistake is reported once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from pycparser import c_ast

from kcc.base.diagnostics import Diagnostic, DiagnosticSink, Note, Span
from kcc.base.records import dataclass
from kcc.frontend.options import BuildOptions
from kcc.frontend.parser import ParsedUnit
from kcc.frontend.preprocessor.lexer import Token
from kcc.frontend.sema.constants import Known
from kcc.frontend.sema.scope import Entity, Poisoned, Scope, Tag
from kcc.frontend.tree import Function, Program, Variable
from kcc.frontend.types import RecordType, ScalarKind, ScalarType, Type, VectorType

Node = c_ast.Node


@dataclass(slots=True, eq=False)
class SwitchState:
    """A switch being read: the type of its value, where each case value was seen."""

    type: ScalarType
    cases: dict[int, Span] = field(default_factory=dict[int, Span])
    default: Span | None = None


@dataclass(slots=True, eq=False)
class FunctionState:
    """The function whose body is being read."""

    function: Function
    result: Type | None
    """What it returns; None when its declaration is wrong."""
    depth: int = 0
    """Nesting of blocks; 1 is the outermost block of the body."""
    loops: int = 0
    breakable: int = 0
    switches: list[SwitchState | None] = field(default_factory=list[SwitchState | None])
    """None for a switch whose value is wrong."""
    labels: dict[str, Span] = field(default_factory=dict[str, Span])
    gotos: list[tuple[str, Node]] = field(default_factory=list[tuple[str, Node]])


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call that is evaluated; ``node`` is where."""

    caller: Function
    callee: Function
    node: Node


@dataclass(slots=True, eq=False)
class Context:
    """One per translation unit."""

    unit: ParsedUnit
    options: BuildOptions
    sink: DiagnosticSink
    half_arithmetic: bool
    """Whether cl_khr_fp16 is enabled: half values may be loaded, computed with and declared."""
    program: Program = field(default_factory=Program)
    scope: Scope = field(default_factory=Scope)
    function: FunctionState | None = None
    tags: dict[int, Tag | None] = field(default_factory=dict[int, "Tag | None"])
    """Structs, unions and enums already seen, by the id of their node: declarators share it."""
    known: Known = field(default_factory=Known)
    externs: dict[Variable, Node | None] = field(default_factory=dict["Variable", "Node | None"])
    """Constants declared ``extern`` and not defined so far, with their first use."""
    host_sized: set[RecordType] = field(default_factory=set["RecordType"])
    """Records with a member of a type whose size depends on the host, such as size_t."""
    calls: list[CallSite] = field(default_factory=list[CallSite])
    unevaluated: int = 0
    """Depth of sizeof operands: calls there do not count."""
    anonymous: int = 0

    # diagnostics

    def span(self, node: Node) -> Span:
        """Where the user wrote a node."""
        token = node.coord
        return token.span if isinstance(token, Token) else self.unit.span(node)

    def report(
        self,
        code: str,
        message: str,
        node: Node,
        *,
        at: Span | None = None,
        notes: Sequence[Note] = (),
        hint: str | None = None,
    ) -> None:
        """Report at a node (or at ``at``, when the node says little), with its macro notes."""
        all_notes = (*notes, *self.unit.notes(node))
        self.sink.add(Diagnostic(code, message, at or self.unit.span(node), all_notes, hint))

    # scopes

    def push_scope(self) -> None:
        self.scope = Scope(self.scope)

    def pop_scope(self) -> None:
        parent = self.scope.parent
        assert parent is not None
        self.scope = parent

    @property
    def at_file_scope(self) -> bool:
        return self.scope.parent is None

    def declare(self, name: str, entity: Entity, node: Node) -> bool:
        """Enter a name; reports K303 and gives False where the scope has it already."""
        previous = self.scope.names.get(name)
        if previous is not None and not isinstance(previous, Poisoned):
            notes = [Note(f"'{name}' was declared here", previous_span(previous))]
            self.report("K303", f"'{name}' is declared twice in this scope", node, notes=notes)
            return False
        self.scope.names[name] = entity
        return True

    def poison(self, name: str | None, node: Node) -> None:
        """Enter a name whose declaration is wrong, so that its uses stay silent."""
        if name is not None:
            self.scope.names.setdefault(name, Poisoned(self.span(node)))

    # facts

    def is_half_storage(self, type_: Type) -> bool:
        """Whether a type is half, or a vector of it, without the extension that computes."""
        if self.half_arithmetic:
            return False
        element = type_.element if isinstance(type_, VectorType) else type_
        return isinstance(element, ScalarType) and element.kind is ScalarKind.HALF

    def new_tag(self) -> str:
        self.anonymous += 1
        return f"anonymous.{self.anonymous}"


def previous_span(entity: Entity) -> Span:
    """Where an entity was declared."""
    return entity.span
