"""The grammar of OpenCL C 1.2 over pycparser: one module per layer, each a class on the one below.

reader (tokens, scopes, faults) < expressions < declarations < statements < unit.
"""
