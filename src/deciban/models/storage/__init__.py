"""Model files: save and load."""
