"""Trace generation: from a `Kernel`, its facts and a launch to a stream of per-warp traces.

Static traces come from the facts alone, dynamic ones from executing the kernel on buffers. Both
have one format, and neither knows a GPU.
"""
