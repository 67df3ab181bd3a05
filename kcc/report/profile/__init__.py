"""Reports of `kcc profile`: text and graphs."""
