"""What a warp issues: from a kernel's IR to machine operations in basic blocks.

In: a kernel with its facts, and the costs of :mod:`kcc.sim.machine`. Out: the program of
:mod:`kcc.sim.program.operations`: units, latencies, dependences, registers, spills, code size.
Enter at `lowering`.
"""
