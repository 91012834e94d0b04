"""Tables that are not in memory: files, databases, clusters."""
