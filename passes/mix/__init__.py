"""The instruction mix: classes of instructions, counted by kernel, block and line.

In: a kernel. Out: counts by class. Enter at `instruction_mix`.
"""
