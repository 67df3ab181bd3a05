"""Programs run under a profiler, and what it says as sampling units (`kcc phases record`).

Native programs run under valgrind's callgrind, programs for a JVM with the flight recorder; GPU
launches are cut in :mod:`kcc.sim.sampling.simprof`. The tables are kept as ``kcc/units/1``.
"""
