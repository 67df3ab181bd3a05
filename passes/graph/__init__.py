"""The shape of a kernel's control flow: blocks, dominators, loops, branches, barriers.

In: a kernel. Out: graphs and the facts read off them alone. Enter at `control_flow`.
"""
