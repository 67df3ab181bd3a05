"""The cycle-level model: warps, schedulers, pipelines, caches and DRAM, fed by traces.

:mod:`machine` reads what a GPU file says, :mod:`program` turns a kernel's tables into machine
operations, :mod:`blocks` turns trace batches into the streams of thread blocks, :mod:`core_native`
runs them, :mod:`launch` brings these together and gives results.
"""
