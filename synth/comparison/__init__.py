"""Whether a miniature behaves as its original."""
