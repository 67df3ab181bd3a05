"""By how much a miniature is smaller: trips of loops, thread blocks, drawn addresses."""
