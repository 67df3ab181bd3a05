"""Tests of machine code: numbering, reading SASS and AMD assembly, their control flow."""
