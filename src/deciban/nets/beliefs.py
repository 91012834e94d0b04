"""Bayes nets as pictures."""

from __future__ import annotations

from deciban.nets.network import HoldsNetwork

__all__ = ["Shown"]


class Shown(HoldsNetwork):
    """A net that shows its beliefs."""
