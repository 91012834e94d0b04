"""Cells of a table that are shaded by their value."""

from __future__ import annotations

from deciban.reports.markup import Html, text

__all__ = ["heat"]


def heat(shown: str, share: float, kind: str = "good") -> Html:
    """A cell with a text and a shade from 0, none, to 1, the strongest; `kind` is "good" or "bad"."""
    shade = min(max(share, 0.0), 1.0)
    return Html(f'<span class="heat {kind}" style="--heat:{shade:.3f}">{text(shown)}</span>', "number")
