"""The host code of a CUDA source, interpreted as far as it decides launches.

In come texts and the program's arguments; :mod:`tokens` splits and expands macros, :mod:`syntax`
parses functions, :mod:`values` has what expressions give, :mod:`run` executes `main` and keeps each
launch. Enter by :func:`kcc.frontend.cuda.host_launches.host_launches`.
"""
