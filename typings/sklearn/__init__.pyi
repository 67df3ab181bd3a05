"""What kcc uses of scikit-learn."""
