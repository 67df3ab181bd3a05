"""What a pass may do with the symbolic values of a kernel: what it wants beyond is unknown, with a
reason. A pass over the graph alone visits each block and edge a few times and needs none."""

from __future__ import annotations

MAX_WORK = 20_000_000
"""Operations on elements of one evaluation (about a second)."""

MOST_WORK = 20 * MAX_WORK
"""The same of all evaluations of a pass, and of what looks at a launch after the passes."""

MAX_VISITED = 1_500_000
"""Nodes that a pass looks at for reasons and for what conditions depend on; those of kernels/ take
1,200 at most."""
