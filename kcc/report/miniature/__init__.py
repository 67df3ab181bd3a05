"""Reports of `kcc synth`: what a miniature reveals, and how near it comes."""
