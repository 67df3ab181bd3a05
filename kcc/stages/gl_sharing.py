"""Scripts that share memory with OpenGL are refused before they run: without a display their
windows end the process, and with one they would stop later at what kcc's host does not have."""

from __future__ import annotations

import ast

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span

SHARING = frozenset({
    "get_gl_sharing_context_properties", "GLBuffer", "GLRenderBuffer", "GLTexture",
    "enqueue_acquire_gl_objects", "enqueue_release_gl_objects", "get_apple_cgl_share_group",
    "get_gl_context_info_khr",
})  # fmt: skip
"""What PyOpenCL has for it (its manual, OpenGL interoperability)."""


def refuse_gl_sharing(tree: ast.Module, path: str) -> None:
    """K733 where a script imports OpenGL in its first lines and uses what PyOpenCL shares with it;
    one that imports OpenGL within a function or under a condition may do without."""
    if not any(_imports_opengl(node) for node in tree.body):
        return
    for node in ast.walk(tree):
        name = _name_of(node)
        if name in SHARING:
            assert isinstance(node, (ast.expr, ast.alias))
            message = f"kcc.opencl shares nothing with OpenGL: the script uses '{name}'"
            span = Span(path, node.lineno, node.col_offset + 1)
            hint = "take the data from the host, and leave the window out"
            raise DiagnosticError([Diagnostic("K733", message, span, hint=hint)])


def _imports_opengl(node: ast.stmt) -> bool:
    if isinstance(node, ast.Import):
        names = [each.name for each in node.names]
    else:
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
    return any(name.partition(".")[0] == "OpenGL" for name in names)


def _name_of(node: ast.AST) -> str:
    if isinstance(node, ast.alias):
        return node.name
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
