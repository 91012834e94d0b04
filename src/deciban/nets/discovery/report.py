"""The report on a discovery: all its tests, colliders and conflicts, as text and as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from deciban.nets.tests.results import TestResult, in_words, listed
from deciban.tallies.render import rows_as_html

if TYPE_CHECKING:
    from deciban.nets.discovery.result import Discovery

__all__ = ["DiscoveryReport"]

_PAIRS = ("pair", "given", "verdict", "statistic", "df", "p")
_ORACLE = ("pair", "given", "verdict")
_COLLIDERS = ("common effect", "sets without it", "sets with it", "largest p without", "largest p with")


@dataclass(frozen=True, eq=False)
class DiscoveryReport:
    """All tests, colliders and conflicts of a discovery: the result of `Discovery.report`.

    It prints as text, a line for each finding; a notebook shows the graph and tables.

    Attributes
    ----------
    found : Discovery
        The discovery.

    See Also
    --------
    Discovery : Has the same findings as values.

    Examples
    --------
    >>> import deciban as db
    >>> found = db.discover(db.Oracle(db.DAG([("rain", "wet"), ("sprinkler", "wet")])))
    >>> found.report()
    DiscoveryReport(pc: 3 variables, 2 arrows, 0 undirected edges, 5 tests, 0 conflicts)
    >>> found.report().to_text().splitlines()[1]
    'rain and sprinkler are d-separated'
    """

    found: Discovery

    def to_text(self) -> str:
        """Write a line for each note, separated pair, collider and conflict.

        Returns
        -------
        text : str
        """
        found = self.found
        lines = [repr(found), *(f"note: {note}" for note in found.notes)]
        lines += [in_words(test) for test in found.removed]
        lines += [str(one) for one in found.colliders] + [f"conflict: {one}" for one in found.conflicts]
        lines += [f"open: {self._open()}"] if found.ambiguous else []
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"DiscoveryReport({self.found.summary})"

    def _repr_html_(self) -> str:
        found = self.found
        parts = [f"<p><b>{escape(found.summary)}</b></p>", found.graph._repr_html_(), _html_list("Notes", found.notes)]
        if found.removed:
            is_oracle = all(test.measure == "d-separation" for test in found.removed)
            rows = [_cells(test)[: len(_ORACLE)] if is_oracle else _cells(test) for test in found.removed]
            parts.append(rows_as_html("Pairs without an edge", _ORACLE if is_oracle else _PAIRS, rows))
        if found.colliders:
            parts.append(rows_as_html("Common effects, which direct edges", _COLLIDERS, self._colliders()))
        parts.append(_html_list("Conflicts", map(str, found.conflicts)))
        if found.ambiguous:
            parts.append(f"<p>Not decided whether a common effect: {escape(self._open())}</p>")
        return "".join(parts)

    def _open(self) -> str:
        return listed(tuple(f"{x} — {z} — {y}" for x, z, y in self.found.ambiguous))

    def _colliders(self) -> list[tuple[str, ...]]:
        return [
            (
                f"{one.x} → {one.z} ← {one.y}",
                str(one.sets_without),
                str(one.sets_with),
                f"{one.p_without:.2g}",
                f"{one.p_with:.2g}",
            )
            for one in self.found.colliders
        ]


def _cells(test: TestResult) -> tuple[str, ...]:
    given = ", ".join(map(str, test.given))
    verdict = "no verdict" if test.verdict == "none" else test.verdict
    numbers = f"{test.measure} = {test.statistic:.3g}", f"{test.df:.12g}", f"{test.p:.2g}"
    return f"{test.x}, {test.y}", given, verdict, *numbers


def _html_list(title: str, lines: Iterable[str]) -> str:
    """A list under its title; nothing where it has no lines."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<p>{title}</p><ul>{items}</ul>" if items else ""
