"""Choosing a column's distribution by the class log-loss of its evidence on rows that it was not estimated from."""
