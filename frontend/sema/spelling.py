"""How a source spells the type of a parameter."""

from __future__ import annotations

from pycparser import c_ast

from kcc.frontend.sema.builtin_types import BUILTIN_TYPES
from kcc.frontend.sema.context import Context, Node
from kcc.frontend.sema.scope import TypedefName


def spelled_type(node: Node) -> str:
    """A parameter's type as kernel argument info has it: no qualifiers, names as written."""
    if isinstance(node, (c_ast.PtrDecl, c_ast.ArrayDecl)):
        return spelled_type(node.type) + "*"
    if isinstance(node, c_ast.TypeDecl):
        return spelled_type(node.type)
    if isinstance(node, (c_ast.Struct, c_ast.Union)):
        word = "struct" if isinstance(node, c_ast.Struct) else "union"
        return f"{word} {node.name or '(anonymous)'}"
    if isinstance(node, c_ast.Enum):
        return f"enum {node.name or '(anonymous)'}"
    if isinstance(node, c_ast.IdentifierType):
        if len(node.names) == 1:
            return node.names[0]
        type_ = BUILTIN_TYPES.get(" ".join(sorted(node.names)))
        return " ".join(node.names) if type_ is None else str(type_)
    return "?"


def base_spelling(context: Context, node: Node) -> str:
    """The name a declarator's type goes back to, through typedefs; empty after a pointer."""
    if isinstance(node, c_ast.ArrayDecl):
        return base_spelling(context, node.type)
    if not isinstance(node, c_ast.TypeDecl) or not isinstance(node.type, c_ast.IdentifierType):
        return ""
    name = " ".join(node.type.names)
    entity = context.scope.find(name)
    return entity.spelling if isinstance(entity, TypedefName) else name


def names_private(node: Node) -> bool:
    """Whether the object of a declarator is put into the private address space by name."""
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    if not isinstance(node, (c_ast.TypeDecl, c_ast.PtrDecl)):
        return False
    return any(word.strip("_") == "private" for word in node.quals or ())
