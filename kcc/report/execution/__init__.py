"""Reports of `kcc run` and `kcc trace`: launches, traces, one warp's path."""
