"""Front end: from source text, defines and include folders to a `Kernel`.

A `Kernel` is one canonical LLVM IR dialect (SPIR conventions) with its arguments and source map.
This layer knows the source language; it does not analyse performance.
"""
