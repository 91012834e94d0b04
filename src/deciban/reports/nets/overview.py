"""The first section: the size of a net in numbers."""

from __future__ import annotations

from collections.abc import Iterable

from deciban.reports.markup import text
from deciban.reports.page import Section

__all__ = ["Fact", "overview_section"]

Fact = tuple[str, str]
"""A number, and what it counts."""


def overview_section(facts: Iterable[Fact], rest_html: str, lead: str) -> Section:
    """Numbers at a glance, and what to know before reading on."""
    cards = "".join(
        f'<li><span class="value">{text(value)}</span><span class="of">{text(what)}</span></li>'
        for value, what in facts
    )
    return Section("Overview", f'<ul class="cards">{cards}</ul>{rest_html}', lead=lead, key="overview")
