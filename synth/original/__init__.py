"""What is known of an original before its miniature is made.

In: a kernel and its profile. Out: roles of instructions, footprints, order and contents of arrays.
"""
