"""Estimates beside measured times: rows of tables in, errors out."""
