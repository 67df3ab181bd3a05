"""A miniature, put together: its model and what fills it. Enter at `assemble`."""
