"""The readable pure-Python twin of every kernel, for tests and lessons; never imported at run time."""
