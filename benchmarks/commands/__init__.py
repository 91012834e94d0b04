"""Times and memory of the command `deciban`, and of a report."""
