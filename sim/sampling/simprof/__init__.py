"""SimProf: phases of a run from what its code does, sampled so that the mean has an interval.

In: a table of sampling units with what each executed and what it cost (:mod:`table`). Then features
(:mod:`features`), phases (:mod:`phases`), how many units of each (:mod:`allocation`), the estimate
with its interval (:mod:`estimate`), and which phases another input changes (:mod:`sensitivity`).
Huang, "Fast and accurate simulation of GPGPU and data analytic workloads", dissertation, chapter 5.
"""
