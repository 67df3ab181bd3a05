"""Tests of compilers' code as machine programs."""
