"""Tables in files: read in pieces that fit in memory, counted on all cores."""
