"""Which accesses miss which cache: reuse distances in sets of ways, from symbolic addresses."""
