"""Damaged files of every format that kcc reads: each must end in a message or be taken."""
