"""Profiles: what the launches of an application did, in numbers that hold for any GPU."""
