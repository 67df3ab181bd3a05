"""Accel-Sim's traces, version 5: reading and writing lists of kernels as text of SASS."""
