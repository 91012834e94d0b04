"""Rows drawn from a Bayes net."""

from __future__ import annotations

from deciban.nets.network import HoldsNetwork

__all__ = ["Sampled"]


class Sampled(HoldsNetwork):
    """A net that rows can be drawn from."""
