"""The commands, one file each: the options, one call of the library, and what is shown."""
