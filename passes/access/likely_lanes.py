"""How lanes likely lie to each other where an address is not affine for sure: indices that do not
wrap around, and variables of loops that differ between lanes by what they began with."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kcc.frontend.ir.opcodes import Opcode
from kcc.frontend.ir.types import I64, IntTy
from kcc.passes.symbolic.affine import unwrapped
from kcc.passes.symbolic.expr import Expr, Node, Operation, Recurrence, Sum, constant_of
from kcc.passes.symbolic.reasons import needs_a_run

if TYPE_CHECKING:
    from kcc.passes.access.patterns import AccessStudy, Split
    from kcc.passes.access.warp_addresses import Warps


def likely_lanes(study: AccessStudy, warps: Warps, address: Expr) -> tuple[Expr, Split] | None:
    """The address as it is if no index wraps around, and its parts; None where lanes still differ
    in what is not known. Nothing of it is certain."""
    from kcc.passes.access.patterns import Split
    from kcc.passes.access.warp_addresses import as_terms

    plain = unwrapped(study.values, address)
    parts, shared = list[tuple[Node, int]](), list[tuple[Node, int]]()
    for term, coefficient in as_terms(plain):
        variable = _extended(term)
        lanes = _lanes_of_variable(study, variable) if isinstance(variable, Recurrence) else None
        if lanes is None:
            parts.append((term, coefficient))
        else:
            wide = unwrapped(study.values, study.algebra.convert(Opcode.SEXT, lanes, I64))
            parts.append((wide, coefficient))
            shared.append((term, coefficient))
    computed = study.algebra.sum(parts, I64, constant_of(plain))
    split = study.split(warps, computed, None)
    if not isinstance(split, Split):
        return None
    return computed, replace(split, loose=(*split.loose, *shared))


def _extended(node: Node) -> Node:
    """A node without the extensions around it."""
    while isinstance(node, Operation) and node.operator in (Opcode.SEXT, Opcode.ZEXT):
        node = node.operands[0]
    return node


def _lanes_of_variable(study: AccessStudy, variable: Recurrence) -> Expr | None:
    """What lanes differ by in a variable of a loop: what they began with, where each iteration
    keeps it and changes the rest for all lanes alike; None where that is not so."""
    if not isinstance(variable.type, IntTy) or not study.judge.uniformity(variable).is_divergent:
        return None
    of = study.values.variable(variable)
    begun = _lanes_of(study, of.start, None, None)
    kept = begun if begun is None else _lanes_of(study, of.step, variable, begun)
    return begun if begun is kept else None


def _lanes_of(
    study: AccessStudy, node: Node, variable: Recurrence | None, begun: Expr | None
) -> Expr | None:
    """The terms of a sum that differ between lanes, where each is known before a run."""
    assert isinstance(node.type, IntTy)
    terms = node.terms if isinstance(node, Sum) else ((node, 1),)
    found = list[tuple[Node, int]]()
    for term, coefficient in terms:
        if term is variable and begun is not None:
            found.append((begun, coefficient))
        elif study.judge.uniformity(term).is_divergent:
            if needs_a_run(study.values, term) or isinstance(term, Recurrence):
                return None
            found.append((term, coefficient))
    return study.algebra.sum(found, node.type)
