"""Who hits in which cache."""
