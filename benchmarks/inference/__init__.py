"""Bayes nets with known tables: exact inference, posteriors, drawn rows and network files."""
