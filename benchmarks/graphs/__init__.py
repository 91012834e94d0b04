"""Graphs from data: `db.discover` and `db.search`, their speed, memory and accuracy on samples of known networks."""
