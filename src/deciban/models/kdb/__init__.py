"""KDB: its chains of columns, their search, tables and weights."""
