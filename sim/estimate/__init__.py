"""Time from source alone: the `pipeline` model, and the `pipeline-hpca19` model of Wang et al.

In: a kernel's facts, its launch and a GPU. Out: an :class:`~kcc.sim.estimate.result.Estimate` with
its range and reasons. Enter at `model`; `hpca19` is the text's own model.
"""
