"""Models written down in other languages."""
