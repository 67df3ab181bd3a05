"""Reports of `kcc analyze`: model, findings, text, page, JSON, graphs. Enter at `build`."""
