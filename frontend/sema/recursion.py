"""The call graph: OpenCL C has no recursion (section 6.9.i), and every callee needs a body."""

from __future__ import annotations

from kcc.base.diagnostics import Note
from kcc.frontend.sema.context import CallSite, Context
from kcc.frontend.tree import Function


def check_calls(context: Context) -> None:
    """Report calls of functions without a body, and cycles, each once."""
    missing = set[Function]()
    edges: dict[Function, list[CallSite]] = {}
    for site in context.calls:
        if site.callee.body is not None:
            edges.setdefault(site.caller, []).append(site)
        elif site.callee not in missing:
            missing.add(site.callee)
            notes = [Note("it is declared here", site.callee.span)]
            message = f"the function '{site.callee.name}' is called but not defined"
            context.report("K341", message, site.node, notes=notes)
    for cycle in _cycles(edges):
        _report(context, cycle)


def _cycles(edges: dict[Function, list[CallSite]]) -> list[list[CallSite]]:
    """One cycle for each call that closes one, found by a depth-first search."""
    finished, found = set[Function](), list[list[CallSite]]()
    for root in edges:
        if root in finished:
            continue
        path = list[CallSite]()
        on_path = {root}
        pending = [iter(edges.get(root, ()))]
        while pending:
            site = next(pending[-1], None)
            if site is None:
                pending.pop()
                leaving = path.pop().callee if path else root
                on_path.discard(leaving)
                finished.add(leaving)
            elif site.callee in on_path:
                start = next((i for i, s in enumerate(path) if s.caller is site.callee), len(path))
                found.append([*path[start:], site])
            elif site.callee not in finished:
                path.append(site)
                on_path.add(site.callee)
                pending.append(iter(edges.get(site.callee, ())))
    return found


def _report(context: Context, cycle: list[CallSite]) -> None:
    names = " -> ".join([*(site.caller.name for site in cycle), cycle[-1].callee.name])
    notes = [
        Note(f"'{site.caller.name}' calls '{site.callee.name}'", context.span(site.node))
        for site in cycle[:-1]
    ]
    message = f"OpenCL C has no recursion: {names}"
    context.report("K340", message, cycle[-1].node, notes=notes)
