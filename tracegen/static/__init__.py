"""Static traces: what every warp of a launch will do, from the source, without data or a run.

The search follows Wang et al., "A Hybrid Framework for Fast and Accurate GPU Performance Estimation
through Source-Level Analysis and Trace-Based Simulation", section III-B: one warp walks the control
flow graph with a node stack; branches that memory decides are taken. What is exact
here beyond that text, and what is assumed, is told in
``docs/explanation/static-traces.md``.

Modules: ``launch`` what is known before a run, ``regions`` sets of warps, ``geometry`` how ids
grow from warp to warp, ``radices`` the digits they are counted in, ``growths`` and ``shifts`` how
values grow, ``limits`` how far, ``windows`` values of one warp, ``decisions`` which way lanes go,
``warp_tracer`` one warp from start to end, ``classes`` all warps, ``encode_native`` the words,
``write`` the file.
"""

from __future__ import annotations
