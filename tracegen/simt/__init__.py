"""The SIMT execution engine: canonical IR made into code for whole warps, run on the CPU.

``analysis`` decides which values are one per warp and where lanes part and meet, ``plan`` lays
out a warp's memory, ``wide`` and the modules beside it write the code, ``schedule`` the loop over
thread blocks, ``jit`` compiles and caches it.
"""
