"""What a warp issues: from a kernel's IR to machine operations in basic blocks.

In: a kernel with its facts, and the costs of :mod:`kcc.sim.machine`. Out: the program of
:mod:`kcc.sim.program.operations`: units, latencies, dependences, registers, spills, code size.
Enter at `lowering`; for a trace at `of_trace` (its kernel's IR), then `issued` and `replay`: what
its warps did, in operations of that program.
"""
