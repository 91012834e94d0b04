"""Exact inference."""

from deciban.nets.inference.cost import Cost
from deciban.nets.inference.tree import CliqueTree

__all__ = ["CliqueTree", "Cost"]
