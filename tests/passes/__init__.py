"""Tests of the passes."""
