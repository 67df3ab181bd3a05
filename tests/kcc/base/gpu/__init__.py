"""Tests of the GPU descriptions."""
