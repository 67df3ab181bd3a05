"""Where and when accesses of a launch take place."""
