"""Files of tallies and models: the bytes of a file, the values in it, and the checks of what was read."""
