"""Reports of `kcc explore`: text, JSON, CSV, page and pictures. Enter at `exploration`."""
