"""What decides control flow: conditions of branches, trip counts, divergence, how often blocks run.

In: a kernel with its graphs and symbolic values. Out: facts of loops and branches. Enter at
`divergence` for what differs between lanes, at `trip_counts` for loops, at `flow_counts` for both.
"""
