"""Warnings that point at the line of the user who caused them, however deep in the package they arise."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn_user"]


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the nearest caller outside of deciban."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "deciban":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
