"""Timing models: from a trace and a GPU description to time, CPI stack and cache statistics.

Warp pipeline, cycle level, interval model, sampling and memory model; all return one result type.
This layer does not know the source language.
"""
