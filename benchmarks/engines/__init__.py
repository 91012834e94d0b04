"""Counting and scoring where the data are."""
