"""A checker for the part of Graphviz's DOT language that kcc writes."""

from __future__ import annotations

import lark

GRAMMAR = r"""
start: "digraph" id body
body: "{" (statement ";"? )* "}"
?statement: attributes_of | subgraph | edge | node | assignment
attributes_of: ("graph" | "node" | "edge") list
subgraph: "subgraph" id body
edge: id "->" id list?
node: id list?
assignment: id "=" id
list: "[" (id "=" id ("," id "=" id)*)? "]"
?id: NAME | STRING | NUMBER
NAME: /(?!(graph|node|edge|subgraph|digraph)\b)[A-Za-z_][A-Za-z_0-9]*/
NUMBER: /-?(\.[0-9]+|[0-9]+(\.[0-9]*)?)/
STRING: /"([^"\\\n]|\\.)*"/
%ignore /\s+/
"""


def check_dot(text: str) -> None:
    """Raises lark.LarkError where ``text`` is not DOT."""
    lark.Lark(GRAMMAR, parser="earley").parse(text)
