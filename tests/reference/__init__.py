"""Readable pure-Python twins of the compiled kernels, for tests and teaching; never imported at run time."""
