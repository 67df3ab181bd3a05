"""The cycle-level model: warps, schedulers, pipelines, caches and DRAM, fed by traces.

:mod:`machine` reads what a GPU file says, :mod:`compiled` turns a trace into what warps issue (the
machine program of :mod:`kcc.sim.program`), :mod:`program` gives its operations the machine's
latencies, :mod:`blocks` turns trace batches into the streams of thread blocks, :mod:`core_native`
runs them, :mod:`launch` brings these together and gives results.
"""
