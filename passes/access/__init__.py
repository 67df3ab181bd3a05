"""Access patterns: how the addresses of a warp's lanes lie to each other, over a whole launch.

In: accesses with symbolic addresses, and a launch. Out: sectors, bank conflicts, footprints, what
another layout would change. Enter at `patterns`.
"""
