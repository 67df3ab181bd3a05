"""Profiles of executed launches: what a kernel did, in numbers that are independent of any GPU."""
