"""What every kernel of kernels/ computes, in NumPy.

Functions take and give flat arrays laid out as the kernels' buffers, and never change their
arguments. Floating-point results are those of the same formula, not of the same order of additions.
"""
