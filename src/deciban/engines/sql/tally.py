"""A table in a database → the tally that the kernels would make of it in memory. No row leaves the database."""

from __future__ import annotations

from typing import Any

from deciban.engines.sql.columns import Description, describe
from deciban.engines.sql.database import Database, open_database
from deciban.engines.sql.dialects import column
from deciban.engines.sql.moments import class_sums
from deciban.engines.sql.sets import Weights, count_sets
from deciban.engines.sql.source import parse_source
from deciban.errors import ParameterError
from deciban.tallies import Tally

__all__ = ["open_source", "tally_database", "weights_of"]


def tally_database(
    data: Any, query: str | None, *, target: str, sample_weight: Any = None, dialect: str | None = None
) -> Tally:
    """Count a table or query by a few queries; `sample_weight` is the name of a column."""
    database, source, described = open_source(data, query, dialect)
    weights = weights_of(sample_weight)
    described.check(target, *weights.names)
    names = [name for name in described.kinds if name not in (target, *weights.names)]
    numbers, labels = ([n for n in names if described.kinds[n] == kind] for kind in ("number", "label"))
    classes, sums = class_sums(database, source, target, numbers, weights)
    keys = {name: column(name) for name in (target, *labels)}
    found = count_sets(database, source, keys, [(target, name) for name in labels], weights, described.types)
    parts: dict[str, Any] = {name: held.moments(name, classes.order) for name, held in sums.items()}
    parts |= {name: classes.count(name, held) for name, held in zip(labels, found, strict=True)}
    return classes.tally(*(parts[name] for name in names))


def open_source(data: Any, query: str | None, dialect: str | None) -> tuple[Database, Any, Description]:
    """The database, the table or query in it, and its columns."""
    database, text = open_database(data, query, dialect)
    source = parse_source(text, database.dialect)
    return database, source, describe(database, source)


def weights_of(sample_weight: Any) -> Weights:
    """The column of the weights."""
    if sample_weight is not None and not isinstance(sample_weight, str):
        raise ParameterError("sample_weight is the name of a column where the table is in a database.")
    return Weights(sample_weight)
