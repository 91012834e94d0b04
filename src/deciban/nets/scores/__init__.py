"""Scores of a family: how well a node's parents explain it."""
