"""Which accesses hit where: what the accesses of a launch ask of L1, L2 and DRAM.

In: addresses of the thread blocks that run together, and a GPU's caches. Out: hit rates and traffic
of each access. Enter at `analysis`; `reuse` has the caches themselves.
"""
