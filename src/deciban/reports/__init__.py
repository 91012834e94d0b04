"""Reports: one self-contained HTML page about a model and its data."""
