"""Traces: what every warp of a launch executed, and the file format they are kept in.

Documented byte by byte in docs/reference/trace.md.
"""

from __future__ import annotations
