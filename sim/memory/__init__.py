"""The memory hierarchy as a distribution: what caches do over many orders of warps.

Baghsorkhi, Gelado, Delahaye and Hwu, "Efficient Performance Evaluation of Memory Hierarchy for
Highly Multithreaded Graphics Processors", PPoPP 2012. In come a launch's accesses (a
:class:`~kcc.base.trace.reader.LaunchTrace` or a kernel of Accel-Sim) and a GPU; out come hit rates
of each static load over random trials, and its latency
(:class:`~kcc.sim.memory.facts.MemoryResult`). Enter at :func:`kcc.sim.memory.runs.memory_of_trace`;
the way through is machine, dependences, stream (sequences_native), trials (trial_native,
batches_native), summary.
"""
