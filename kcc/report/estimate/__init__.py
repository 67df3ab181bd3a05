"""Reports of `kcc estimate` and `kcc compare`: records, text, page, CSV. Enter at `record`."""
