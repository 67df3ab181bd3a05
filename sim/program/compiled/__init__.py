"""The compiler's machine code as a machine program: what a warp issues, by blocks of the IR.

In: :class:`kcc.frontend.machine_code.model.MachineCode` with the numbers of IR instructions, and
how often warps execute each block of the IR. Out: a program of
:mod:`kcc.sim.program.operations` over the blocks of the IR, which every model walks as it walks
kcc's own. Enter at `lowering`; `counts` finds how often each machine block runs.
"""
