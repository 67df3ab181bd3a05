"""Profiles of executed launches: what a kernel did, in numbers no GPU has a say in."""
