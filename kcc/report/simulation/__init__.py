"""Reports of `kcc simulate`: text, page, JSON, timeline, samples. Enter at `document`."""
