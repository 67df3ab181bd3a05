"""From the canonical dialect to PTX, and from PTX to what ptxas says of it."""
