"""Sampling: simulate some launches and thread blocks, and know the whole.

Huang, Nai, Kim and Lee, "TBPoint: Reducing Simulation Time for Large-Scale GPGPU Kernels", IPDPS
2014 (with Huang's dissertation, Georgia Tech 2015, chapter 3), and a sampling of our own whose
interval rests on variance. docs/explanation/sampling.md has the whole of it.
"""
