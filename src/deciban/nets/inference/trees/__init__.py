"""Elimination orders, factors and clique trees."""
