"""Memory accesses: which instruction touches which array, and what one execution costs a warp.

In: a kernel. Out: accesses, arrays, local and private memory. Enter at `memory_accesses`.
"""
