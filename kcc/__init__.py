"""kcc: static performance analysis of GPU kernels without a GPU.

The package holds the command line, the pipeline and the vocabulary that every layer shares; the
layers themselves are `kcc.frontend`, `kcc.passes`, `kcc.tracegen`, `kcc.sim` and `kcc.synth`, which
live in the top-level folders of the same names.
"""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.2.0"
