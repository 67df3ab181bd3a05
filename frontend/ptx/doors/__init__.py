"""Sources that others compile to PTX: Triton and Numba kernels in Python, CUDA through NVRTC.

Each compiler runs in a process of its own, without a GPU; what it writes comes in through
:func:`kcc.frontend.ptx.reading.compile_ptx`.
"""
