"""Synthesis: from a `Profile` to a miniature kernel with its host code that behaves alike."""
