"""Tests of the reports, on an analysis made by hand."""
