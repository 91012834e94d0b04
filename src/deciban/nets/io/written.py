"""Bayes nets as files."""

from __future__ import annotations

from deciban.nets.network import HoldsNetwork

__all__ = ["Written"]


class Written(HoldsNetwork):
    """A net that can be written."""
