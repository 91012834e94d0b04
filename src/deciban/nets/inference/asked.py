"""What a Bayes net can be asked."""

from __future__ import annotations

from deciban.nets.network import HoldsNetwork

__all__ = ["Asked"]


class Asked(HoldsNetwork):
    """A net that answers questions."""
