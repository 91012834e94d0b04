"""Bars inside the cells of a table: the number stands beside them, so they are hidden from screen readers."""

from __future__ import annotations

import math

__all__ = ["belief_bar", "share_bar", "signed_bar"]

_OPEN = '<svg class="cell-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true" focusable="false">'


def share_bar(share: float, series: int = 0) -> str:
    """A bar from the left, for a number between 0 and 1."""
    return f'{_OPEN}<rect x="0" y="0" width="{_percent(share)}" height="10" class="bar series-{series}"/></svg>'


def signed_bar(weight: float, largest: float) -> str:
    """A bar from the middle: to the right for the class, to the left against it; `largest` fills its half."""
    width = 50.0 if not math.isfinite(weight) else 50.0 * min(abs(weight) / (largest or 1.0), 1.0)
    left, kind = (50.0, "for") if weight >= 0 else (50.0 - width, "against")
    bar = f'<rect x="{left:.1f}" y="0" width="{width:.1f}" height="10" class="{kind}"/>'
    return f'{_OPEN}{bar}<line x1="50" y1="-2" x2="50" y2="12" class="axis"/></svg>'


def belief_bar(now: float, before: float | None = None, *, is_observed: bool = False) -> str:
    """The probability of a state as a bar; the outline is its probability before the evidence."""
    kind = "observed" if is_observed else "bar series-0"
    outline = "" if before is None else f'<rect x="0" y="0" width="{_percent(before)}" height="10" class="before"/>'
    return f'{_OPEN}<rect x="0" y="1.5" width="{_percent(now)}" height="7" class="{kind}"/>{outline}</svg>'


def _percent(share: float) -> str:
    return f"{100.0 * min(max(share, 0.0), 1.0):.1f}"
