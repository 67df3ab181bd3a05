"""The `pipeline` model: from what a launch asks of a GPU to its time."""
