"""The built-in library: one table of names, types and lowerings, shared by all front ends."""
