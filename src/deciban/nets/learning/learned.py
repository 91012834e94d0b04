"""What a Bayes net learns from data."""

from __future__ import annotations

from deciban.nets.network import HoldsNetwork

__all__ = ["Learned"]


class Learned(HoldsNetwork):
    """A net whose tables are counted."""
