"""Search spaces of auto-tuners, and what estimates are good for in them.

Comes in: a search space (a Kernel Tuner script, the tuning community's input schema T1, a list in
CSV or JSON). Goes out: estimates of its configurations, written as T4 and as Kernel Tuner's
cachefile, and what orders or filters a search on a GPU: :func:`prefilter` for the ``restrictions``
of ``tune_kernel``, :class:`EstimatesFirst` for its ``strategy``.
"""

from kcc.tuning.guided import Estimates, EstimatesFirst, prefilter

__all__ = ["Estimates", "EstimatesFirst", "prefilter"]
