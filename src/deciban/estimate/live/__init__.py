"""Counters that are updated row by row."""
