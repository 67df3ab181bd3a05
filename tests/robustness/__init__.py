"""What kcc is given by strangers: campaigns of random programs, mutated kernels, damaged files and
killed processes.

``python -P -m tests.robustness --help`` runs them; docs/validation/robustness.md has the counts.
"""
