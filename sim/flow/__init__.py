"""How often, by which lanes, warps and thread blocks each part of a program runs."""
