"""The nodes of pycparser's tree that an OpenCL C source can give, with their types as kcc uses
them. `coord` is what the parser put there: kcc.frontend.parser says how to resolve it."""

from collections.abc import Iterator
from typing import Any

class Node:
    coord: Any
    def children(self) -> tuple[tuple[str, Node], ...]: ...
    def show(self, *, showcoord: bool = ...) -> None: ...
    def __iter__(self) -> Iterator[Node]: ...

class ArrayDecl(Node):
    type: Node
    dim: Node | None
    dim_quals: list[str]
    def __init__(
        self, type: Node | None, dim: Node | None, dim_quals: list[str], coord: Any = None
    ) -> None: ...

class ArrayDesignator(Node):
    expr: Node
    def __init__(self, expr: Node, coord: Any = None) -> None: ...

class ArrayRef(Node):
    name: Node
    subscript: Node
    def __init__(self, name: Node, subscript: Node, coord: Any = None) -> None: ...

class Assignment(Node):
    op: str
    lvalue: Node
    rvalue: Node
    def __init__(self, op: str, lvalue: Node, rvalue: Node, coord: Any = None) -> None: ...

class BinaryOp(Node):
    op: str
    left: Node
    right: Node
    def __init__(self, op: str, left: Node, right: Node, coord: Any = None) -> None: ...

class Break(Node):
    def __init__(self, coord: Any = None) -> None: ...

class Case(Node):
    expr: Node
    stmts: list[Node]
    def __init__(self, expr: Node, stmts: list[Node], coord: Any = None) -> None: ...

class Cast(Node):
    to_type: Typename
    expr: Node
    def __init__(self, to_type: Typename, expr: Node, coord: Any = None) -> None: ...

class Compound(Node):
    block_items: list[Node] | None
    def __init__(self, block_items: list[Node] | None, coord: Any = None) -> None: ...

class CompoundLiteral(Node):
    type: Typename
    init: Node
    def __init__(
        self, type: Typename, init: Node, storage: list[str] | None, coord: Any = None
    ) -> None: ...

class Constant(Node):
    type: str
    value: str
    def __init__(self, type: str, value: str, coord: Any = None) -> None: ...

class Continue(Node):
    def __init__(self, coord: Any = None) -> None: ...

class Decl(Node):
    name: str | None
    quals: list[str]
    storage: list[str]
    funcspec: list[str]
    type: Node
    init: Node | None
    bitsize: Node | None
    def __init__(
        self,
        name: str | None,
        quals: list[str],
        align: list[Node],
        storage: list[str],
        funcspec: list[str],
        type: Node,
        init: Node | None,
        bitsize: Node | None,
        coord: Any = None,
    ) -> None: ...

class DeclList(Node):
    decls: list[Node]
    def __init__(self, decls: list[Node], coord: Any = None) -> None: ...

class Default(Node):
    stmts: list[Node]
    def __init__(self, stmts: list[Node], coord: Any = None) -> None: ...

class DoWhile(Node):
    cond: Node
    stmt: Node
    def __init__(self, cond: Node, stmt: Node, coord: Any = None) -> None: ...

class EllipsisParam(Node):
    def __init__(self, coord: Any = None) -> None: ...

class EmptyStatement(Node):
    def __init__(self, coord: Any = None) -> None: ...

class Enum(Node):
    name: str | None
    values: EnumeratorList | None
    def __init__(
        self,
        name: str | None,
        values: EnumeratorList | None,
        underlying_type: Node | None = None,
        coord: Any = None,
    ) -> None: ...

class Enumerator(Node):
    name: str
    value: Node | None
    def __init__(self, name: str, value: Node | None, coord: Any = None) -> None: ...

class EnumeratorList(Node):
    enumerators: list[Enumerator]
    def __init__(self, enumerators: list[Enumerator], coord: Any = None) -> None: ...

class ExprList(Node):
    exprs: list[Node]
    def __init__(self, exprs: list[Node], coord: Any = None) -> None: ...

class FileAST(Node):
    ext: list[Node]
    def __init__(self, ext: list[Node], coord: Any = None) -> None: ...

class For(Node):
    init: Node | None
    cond: Node | None
    next: Node | None
    stmt: Node
    def __init__(
        self,
        init: Node | None,
        cond: Node | None,
        next: Node | None,
        stmt: Node,
        coord: Any = None,
    ) -> None: ...

class FuncCall(Node):
    name: Node
    args: ExprList | None
    def __init__(self, name: Node, args: ExprList | None, coord: Any = None) -> None: ...

class FuncDecl(Node):
    args: ParamList | None
    type: Node
    def __init__(self, args: ParamList | None, type: Node | None, coord: Any = None) -> None: ...

class FuncDef(Node):
    decl: Decl
    param_decls: list[Node] | None
    body: Compound
    def __init__(
        self, decl: Decl, param_decls: list[Node] | None, body: Compound, coord: Any = None
    ) -> None: ...

class Goto(Node):
    name: str
    def __init__(self, name: str, coord: Any = None) -> None: ...

class ID(Node):
    name: str
    def __init__(self, name: str, coord: Any = None) -> None: ...

class IdentifierType(Node):
    names: list[str]
    def __init__(self, names: list[str], coord: Any = None) -> None: ...

class If(Node):
    cond: Node
    iftrue: Node
    iffalse: Node | None
    def __init__(
        self, cond: Node, iftrue: Node, iffalse: Node | None, coord: Any = None
    ) -> None: ...

class InitList(Node):
    exprs: list[Node]
    def __init__(self, exprs: list[Node], coord: Any = None) -> None: ...

class Label(Node):
    name: str
    stmt: Node
    def __init__(self, name: str, stmt: Node, coord: Any = None) -> None: ...

class NamedInitializer(Node):
    name: list[Node]
    expr: Node
    def __init__(self, name: list[Node], expr: Node, coord: Any = None) -> None: ...

class ParamList(Node):
    params: list[Node]
    def __init__(self, params: list[Node], coord: Any = None) -> None: ...

class PtrDecl(Node):
    quals: list[str]
    type: Node
    def __init__(self, quals: list[str], type: Node | None, coord: Any = None) -> None: ...

class Return(Node):
    expr: Node | None
    def __init__(self, expr: Node | None, coord: Any = None) -> None: ...

class StaticAssert(Node):
    cond: Node
    message: Node | None
    def __init__(self, cond: Node, message: Node | None, coord: Any = None) -> None: ...

class Struct(Node):
    name: str | None
    decls: list[Node] | None
    def __init__(self, name: str | None, decls: list[Node] | None, coord: Any = None) -> None: ...

class StructRef(Node):
    name: Node
    type: str
    field: ID
    def __init__(self, name: Node, type: str, field: ID, coord: Any = None) -> None: ...

class Switch(Node):
    cond: Node
    stmt: Node
    def __init__(self, cond: Node, stmt: Node, coord: Any = None) -> None: ...

class TernaryOp(Node):
    cond: Node
    iftrue: Node
    iffalse: Node
    def __init__(self, cond: Node, iftrue: Node, iffalse: Node, coord: Any = None) -> None: ...

class TypeDecl(Node):
    declname: str | None
    quals: list[str]
    type: Node
    def __init__(
        self,
        declname: str | None,
        quals: list[str] | None,
        align: list[Node] | None,
        type: Node | None,
        coord: Any = None,
    ) -> None: ...

class Typedef(Node):
    name: str
    quals: list[str]
    storage: list[str]
    type: Node
    def __init__(
        self,
        name: str | None,
        quals: list[str],
        storage: list[str],
        type: Node,
        coord: Any = None,
    ) -> None: ...

class Typename(Node):
    name: str | None
    quals: list[str]
    type: Node
    def __init__(
        self,
        name: str | None,
        quals: list[str],
        align: list[Node] | None,
        type: Node,
        coord: Any = None,
    ) -> None: ...

class UnaryOp(Node):
    op: str
    expr: Node
    def __init__(self, op: str, expr: Node, coord: Any = None) -> None: ...

class Union(Node):
    name: str | None
    decls: list[Node] | None
    def __init__(self, name: str | None, decls: list[Node] | None, coord: Any = None) -> None: ...

class While(Node):
    cond: Node
    stmt: Node
    def __init__(self, cond: Node, stmt: Node, coord: Any = None) -> None: ...
