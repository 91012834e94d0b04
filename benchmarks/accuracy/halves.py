"""What both sections say of the two halves, and how they count wins."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from benchmarks.accuracy.tables import HALVES

__all__ = ["ABSENT", "BOUNDS", "describe_halves", "missing_tables", "record"]

BOUNDS = "What is promised for the reporting half:\n"
ABSENT = "Not measured, because `../shared/data/tables` is absent: {names}.\n"


def describe_halves() -> str:
    """Which half is which, and what it is for."""
    choosing, reporting = (", ".join(names) for names in HALVES.values())
    return (
        f"The **choosing half** is {choosing}. Defaults, priors and lists of candidates were chosen on it and on "
        f"tables outside the project, so its figures favour deciban. The **reporting half** is {reporting}. It was "
        "set apart before any choice was made. Nothing was chosen by its scores, with one exception: a first scoring "
        "showed `TAN`, `AODE` and `BayesNetClassifier` at the share of the largest class on supermarket, and they then "
        "took missing values as a state in columns of one label. Known defects on some of "
        "its tables led to features: missing values as evidence, other bins where minimum description length finds one."
    )


def missing_tables(found: Collection[str]) -> list[str]:
    """The tables that were not there, or that the quick form leaves out."""
    return [name for names in HALVES.values() for name in names if name not in found]


def record(leads: Sequence[float]) -> str:
    """Wins, losses and ties.

    >>> record([0.1, 0.2, -0.1, 0.0])
    '2 wins, 1 loss, 1 tie'
    """
    counts = (
        (sum(lead > 0 for lead in leads), "win", "wins"),
        (sum(lead < 0 for lead in leads), "loss", "losses"),
        (sum(lead == 0 for lead in leads), "tie", "ties"),
    )
    return ", ".join(f"{count} {one if count == 1 else many}" for count, one, many in counts)
