"""The canonical LLVM IR dialect: its types, a text builder and a reader.

The dialect follows SPIR 1.2: triple ``spir64-unknown-unknown``, opaque pointers, address spaces
0 private, 1 global, 2 constant, 3 local, 4 generic, built-ins as calls of Itanium-mangled names.
"""
