"""How many registers a work-item needs, where its code is not a compiler's.

In: a kernel. Out: live values, pressure, counts. Enter at `counts`.
"""
