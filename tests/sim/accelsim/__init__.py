"""Accel-Sim's traces."""
