"""Exact inference."""

from deciban.nets.inference.tree import CliqueTree, Cost

__all__ = ["CliqueTree", "Cost"]
