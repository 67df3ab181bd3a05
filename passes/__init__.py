"""Analyses and transforms: from a `Kernel` to facts about it.

Facts are control flow, dominators, loops, symbolic expressions, trip counts, divergence, memory
access patterns, instruction mix and pressure. An analysis never changes the IR.
"""
