"""What a Bayes net says of actions."""

from __future__ import annotations

from deciban.nets.network import HoldsNetwork

__all__ = ["Acted"]


class Acted(HoldsNetwork):
    """A net that can be acted on."""
