"""Why a value is not known before a run, in words that follow a colon."""

from __future__ import annotations

from collections.abc import Iterable

from kcc.frontend.ir.types import FloatTy
from kcc.passes.symbolic.build import SymbolicValues
from kcc.passes.symbolic.expr import Loaded, Node, Opaque, Operation, Recurrence, operands_of
from kcc.passes.symbolic.nodes import reachable
from kcc.passes.symbolic.text import text

MAX_NAMED = 3
"""Loads that are named; of more, their number is said."""


TOO_LARGE = "the kernel is too large: its values are not followed any further"


def everything(values: SymbolicValues, node: Node) -> list[Node]:
    """The nodes that a node depends on, through the variables of loops too."""
    seen, pending = dict[Node, None](), [node]
    while pending:
        for each in reachable([pending.pop()], stop=seen):
            if each in seen:
                continue
            seen[each] = None
            if isinstance(each, Recurrence):
                variable = values.variable(each)
                pending += [variable.start, variable.step]
    return list(seen)


class _Needs(dict[Node, bool]):
    """Whether a node needs a run, where that is known."""


def needs_a_run(values: SymbolicValues, node: Node) -> bool:
    """Whether a node has :meth:`SymbolicValues.causes`, each node looked at about once."""
    known = values.kept(_Needs)
    if node not in known:
        seen, pending = set[Node](), [node]
        while pending:
            each = pending.pop()
            if isinstance(each, Loaded | Opaque) or known.get(each):
                known[node] = True
                break
            if each not in seen and each not in known:
                seen.add(each)
                pending += operands_of(each)
                if isinstance(each, Recurrence):
                    variable = values.variable(each)
                    pending += [variable.start, variable.step]
        else:
            known.update(dict.fromkeys(seen, False))
    return known[node]


def followed(values: SymbolicValues, node: Node) -> list[Node] | None:
    """:func:`everything`; None where a pass has followed as many values as it may."""
    if values.visits_left < 0:
        return None
    found = everything(values, node)
    values.visits_left -= len(found)
    return found


class _Reasons(dict[Node, str]):
    """Those in a kernel, which several passes ask for."""


class _LoadWords(dict[Loaded, str]):
    """The words for a kernel's loads, of which most are among many reasons."""


def reason_for(values: SymbolicValues, node: Node) -> str:
    """What a node depends on that only a run shows; empty if there is nothing."""
    known = values.kept(_Reasons)
    if node not in known:
        nodes = followed(values, node)
        if nodes is None:
            return TOO_LARGE
        known[node] = _reason(values, nodes)
    return known[node]


def _reason(values: SymbolicValues, nodes: Iterable[Node]) -> str:
    words = dict[str, None]()
    for each in nodes:
        match each:
            case Loaded():
                words[_load(values, each)] = None
            case Opaque():
                words[_opaque(values, each)] = None
            case Operation(operator=str() as name) if name.endswith("()"):
                words[f"{name}, whose last digit is not the same on every device"] = None
            case _:
                pass
    found = list(words)
    if not found:
        return ""
    shown = found[:MAX_NAMED]
    if len(found) > MAX_NAMED:
        shown.append(f"{len(found) - MAX_NAMED} more")
    return f"depends on {' and '.join([', '.join(shown[:-1]), shown[-1]] if shown[1:] else shown)}"


def _line(values: SymbolicValues, index: int) -> str:
    instructions = values.function.instructions
    line = instructions[index].line if 0 <= index < len(instructions) else None
    return f" in line {line}" if line else ""


def _load(values: SymbolicValues, load: Loaded) -> str:
    named = values.kept(_LoadWords)
    if load not in named:
        named[load] = f"{text(values, load, 40)}, read{_line(values, load.instruction)}"
    return named[load]


def _opaque(values: SymbolicValues, node: Opaque) -> str:
    return f"{node.reason}{_line(values, node.instruction)}"


def computed_reason(values: SymbolicValues, node: Node) -> str:
    """What has to be computed, and cannot be without a launch."""
    nodes = followed(values, node)
    if nodes is None:
        return TOO_LARGE
    variables = [each for each in nodes if isinstance(each, Recurrence)]
    if any(isinstance(each.type, FloatTy) for each in nodes):
        return "depends on a floating-point computation, which needs the launch and its arguments"
    if variables:
        return "depends on an integer computation that has no closed form: it needs the launch"
    return "depends on the launch"
