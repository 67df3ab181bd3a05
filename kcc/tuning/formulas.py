"""Expressions of Python over tuning parameters, as T1 writes constraints, values and sizes.

Only arithmetic, comparisons, lists and a few functions of numbers: a search space is data, and
reading it runs nobody's code.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

from kcc.base.records import dataclass

MAX_EXPONENT = 64
"""``2 ** 62`` is a size, ``9 ** 9 ** 9`` an accident."""

MAX_RANGE = 1_000_000

_NODES = (
    ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div,
    ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor, ast.UnaryOp, ast.Not,
    ast.USub, ast.UAdd, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In,
    ast.NotIn, ast.IfExp, ast.Call, ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple,
    ast.Subscript, ast.ListComp, ast.comprehension, ast.Store,
)  # fmt: skip


def _range(*bounds: int) -> range:
    made = range(*bounds)
    if len(made) > MAX_RANGE:
        raise ValueError("a range of more than a million numbers")
    return made


def _power(base: Any, exponent: Any) -> Any:
    if abs(exponent) > MAX_EXPONENT:
        raise ValueError(f"an exponent beyond {MAX_EXPONENT}")
    return base**exponent


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "range": _range, "list": list, "tuple": tuple, "min": min, "max": max, "abs": abs, "int": int,
    "float": float, "bool": bool, "len": len, "sum": sum, "round": round, "ceil": math.ceil,
    "floor": math.floor, "log2": math.log2, "sqrt": math.sqrt, "pow": _power,
}  # fmt: skip
_POWER = "__power__"


class _Powers(ast.NodeTransformer):
    """Powers that have a bound."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Pow):
            return node
        call = ast.Call(ast.Name(_POWER, ast.Load()), [node.left, node.right], [])
        return ast.copy_location(call, node)


@dataclass(frozen=True, slots=True)
class Formula:
    """An expression that was read; ``names`` are those it needs."""

    text: str
    names: frozenset[str]
    code: Any

    def __call__(self, values: Mapping[str, Any]) -> Any:
        """Its value; raises ValueError for one that has none."""
        known: dict[str, Any] = {"__builtins__": {}, _POWER: _power, **_FUNCTIONS, **values}
        try:
            return eval(self.code, known)
        except (ArithmeticError, TypeError, NameError, LookupError, MemoryError) as error:
            raise ValueError(f"'{self.text}': {error}") from error


def formula(text: str) -> Formula:
    """Read an expression; raises ValueError for what is none, or does more than compute."""
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"'{text}' is no expression") from error
    own = set[str]()
    names = set[str]()
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            what = type(node).__name__
            raise ValueError(f"'{text}': {what} is not for expressions of a search space")  # noqa: TRY004
        if isinstance(node, ast.Call) and not (
            isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS and not node.keywords
        ):
            raise ValueError(f"'{text}': only {', '.join(sorted(_FUNCTIONS))} can be called")
        if isinstance(node, ast.Name):
            (own if isinstance(node.ctx, ast.Store) else names).add(node.id)
    code = compile(ast.fix_missing_locations(_Powers().visit(tree)), "<search space>", "eval")
    return Formula(text, frozenset(names - own - _FUNCTIONS.keys()), code)
