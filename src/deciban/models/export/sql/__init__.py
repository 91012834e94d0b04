"""Models as SQL: scoring where the data is."""
