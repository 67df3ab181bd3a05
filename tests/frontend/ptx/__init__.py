"""Tests of PTX: emission, and reading what ptxas says."""
