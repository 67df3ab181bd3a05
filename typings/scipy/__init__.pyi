"""What kcc uses of SciPy, which scikit-learn brings."""
