"""What kcc uses of matplotlib."""
