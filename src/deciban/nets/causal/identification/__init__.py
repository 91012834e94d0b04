"""Identification: from a graph to a formula for an effect."""
