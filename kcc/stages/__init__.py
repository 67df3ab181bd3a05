"""The ways from an input to a result, one file for each command: stages of the layers, in order.

In: what a command was asked for. Out: typed results, which `kcc.report` renders. Nothing here
prints.
"""
