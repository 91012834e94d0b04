"""Answers are compared before times are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["ParityError", "check_posteriors"]


class ParityError(Exception):
    """The two libraries disagree, so their times cannot be compared."""


def check_posteriors(peer: str, ours: NDArray[np.float64], theirs: NDArray[np.float64], tolerance: float) -> None:
    """Raise a ParityError unless posteriors agree."""
    difference = float(np.abs(ours - theirs).max())
    if not difference <= tolerance:
        raise ParityError(f"posteriors differ from those of {peer} by {difference:.1e}, more than {tolerance:.0e}.")
