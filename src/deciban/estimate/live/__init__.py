"""Counts that are updated row by row."""
