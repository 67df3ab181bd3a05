"""Every code of a diagnostic has an example, and tests execute it."""
