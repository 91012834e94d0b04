"""deciban's classifiers, all with their default parameters."""

from __future__ import annotations

from functools import partial

import deciban as db
from benchmarks.accuracy.tables import Table
from benchmarks.accuracy.trials import Contestant
from benchmarks.harness.builds import own_build

__all__ = ["OURS", "own_classifiers"]

OURS = ("NaiveBayes", "TAN", "AODE", "KDB", "BayesNetClassifier", "AutoBayes")


def own_classifiers(table: Table, names: tuple[str, ...] = OURS) -> tuple[Contestant, ...]:
    """The classifiers for a table, which read its marks of missing values themselves."""
    makers = {name: partial(getattr(db, name), na_values=table.markers) for name in names}
    return tuple(Contestant(name, make, f"{make()!r}; {own_build()}", is_peer=False) for name, make in makers.items())
