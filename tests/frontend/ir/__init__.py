"""Tests of the IR: model and reader."""
