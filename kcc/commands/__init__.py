"""The subcommands of kcc: one module each, with the options and outputs they share."""
