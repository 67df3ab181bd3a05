"""Interval analysis of kernels on GPUs, with CPI stacks.

J.-C. Huang, "Efficient simulation techniques for large-scale applications", dissertation, Georgia
Institute of Technology, chapter 4 (GPUMech), and what was found missing since. A functional pass
over a trace collects how often each memory instruction hits where (:mod:`collect`); the interval
algorithm walks single warps (:mod:`intervals`); one warp stands for all (:mod:`representative`);
equations predict what many warps do together (:mod:`multithreading`, :mod:`contention`,
:mod:`model`). None of this simulates cycles, nor imports what does.
"""
