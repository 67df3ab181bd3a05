"""The ground that every layer stands on: diagnostics and spans, expressions, launches, GPU
descriptions, the trace format, profiles, native code. Nothing here imports anything above it.
"""
