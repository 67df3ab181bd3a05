"""Tests of the command line, the pipeline and the vocabulary."""
