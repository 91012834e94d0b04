"""Databases with a table of rows, and the comparison of what a query returns there with what the model computes."""

import math
import sqlite3
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

import deciban as db
from deciban.decide import check_loss, finish

KEY = "row id"
TOLERANCE, NEAR = 1e-9, 1e-6

_POSTGRES = {str: "text", bool: "boolean", int: "bigint", float: "double precision"}


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@dataclass
class Database:
    """An open connection, and the dialect that it takes."""

    dialect: str
    connection: Any

    def load(self, columns: dict[str, list], table: str = "rows") -> None:
        """Make a table with these columns and a key."""
        rows = len(next(iter(columns.values())))
        held = {KEY: list(range(rows)), **columns}
        if self.dialect == "duckdb":
            given = arrow(held)
            self.connection.register("given", given)
            self.connection.execute(f"CREATE OR REPLACE TABLE {quoted(table)} AS SELECT * FROM given")  # noqa: S608
            return
        cursor = self.connection.cursor()
        cursor.execute(f"DROP TABLE IF EXISTS {quoted(table)}")
        kinds = [_POSTGRES[kind_of(values)] if self.dialect == "postgres" else "" for values in held.values()]
        names = ", ".join(f"{quoted(name)} {kind}" for name, kind in zip(held, kinds, strict=True))
        cursor.execute(f"CREATE TABLE {quoted(table)} ({names})")
        mark = "%s" if self.dialect == "postgres" else "?"
        marks = ", ".join([mark] * len(held))
        cursor.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", list(zip(*held.values(), strict=True)))  # noqa: S608

    def run(self, query: str) -> tuple[list[str], list[tuple]]:
        """The names of the columns, and the rows, in the order of the key, which is the first column."""
        cursor = self.connection.cursor()
        cursor.execute(query)
        names, rows = [column[0] for column in cursor.description], cursor.fetchall()
        return names, sorted(rows, key=lambda row: row[0])


def duckdb_database() -> Database:
    import duckdb  # noqa: PLC0415

    return Database("duckdb", duckdb.connect())


def sqlite_database() -> Database:
    return Database("sqlite", sqlite3.connect(":memory:"))


def kind_of(values: list) -> type:
    """The type of the values that are not missing; float where numbers are mixed."""
    kinds = {type(value) for value in values if value is not None}
    return kinds.pop() if len(kinds) == 1 else float if kinds else str


def arrow(columns: dict[str, list]) -> pa.Table:
    """The columns as a table with types."""
    kinds = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}
    return pa.table({name: pa.array(held, kinds[kind_of(held)]) for name, held in columns.items()})


def numbers(rows: list[tuple], first: int, last: int) -> np.ndarray:
    return np.array([[math.nan if v is None else float(v) for v in row[first:last]] for row in rows])


def assert_scores(model: Any, columns: dict[str, list], database: Database) -> None:
    """A query returns the labels, the posteriors and the log-odds of the model."""
    database.load(columns)
    names, rows = database.run(model.to_sql(database.dialect, "rows", key=KEY))
    table, classes = arrow(columns), len(model.classes_)
    posterior, labels = model.predict_proba(table), model.predict(table).tolist()
    assert names[:4] == [KEY, "label", "posterior", "log_odds"]
    assert len(rows) == len(labels)
    found = numbers(rows, 4, 4 + classes)
    np.testing.assert_allclose(found, posterior, rtol=0, atol=TOLERANCE)
    assert_labels(model, rows, labels, merits_of(model, table))
    best = np.array([row[2] for row in rows], dtype=float)
    chosen = [row[1] for row in rows]
    for r, label in enumerate(labels):
        if label is not None and plain_equal(chosen[r], label):
            j = model.classes_.tolist().index(label)
            assert abs(best[r] - posterior[r, j]) < TOLERANCE
            assert_log_odds(rows[r][3], posterior[r, j], posterior[r].sum() - posterior[r, j])


def assert_labels(model: Any, rows: list[tuple], labels: list, merits: np.ndarray) -> None:
    """The labels are equal, but where the two best classes, or the best and the limit of a rejection, are as good."""
    for row, label, merit in zip(rows, labels, merits, strict=True):
        if not plain_equal(row[1], label):
            top = np.sort(merit)[::-1]
            reject = getattr(model, "reject", None)
            limit = reject.posterior if isinstance(reject, db.Reject) else reject
            is_at_limit = limit is not None and abs(top[0] - limit) < NEAR
            assert top[0] - top[1] < NEAR or is_at_limit, (row, label, merit)


def merits_of(model: Any, table: pa.Table) -> np.ndarray:
    """What the model decides by, larger is better: posteriors, likelihoods that sum to 1, or expected losses."""
    posterior = model.predict_proba(table)
    if getattr(model, "loss", None) is not None:
        return -posterior @ check_loss(model.loss, model.classes_.tolist())
    if getattr(model, "rule", "map") == "map":
        return posterior
    logs = model.predict_joint_log_proba(table) - model._start()
    return finish(logs, np.zeros(logs.shape[1]), "posterior")


def plain_equal(found: Any, label: Any) -> bool:
    return found == label if found is not None and label is not None else found is label


def assert_log_odds(found: float, own: float, rest: float) -> None:
    if 1e-6 < own < 1 - 1e-6:
        assert abs(found - math.log(own / rest)) < 1e-6
    elif own >= 0.5:
        assert found > 10


def assert_explains(model: Any, columns: dict[str, list], database: Database, most: int = 10) -> None:
    """A query returns the weights of evidence that `explain` returns."""
    database.load(columns)
    names, rows = database.run(model.to_sql(database.dialect, "rows", key=KEY, explain=True))
    at = names.index("against")
    for r, row in enumerate(rows[:most]):
        one = {name: held[r] for name, held in columns.items()}
        explained = model.explain(one)
        if not plain_equal(row[1], explained.label):
            continue  # rejected, or as good as equal
        if not plain_equal(row[at], explained.against):
            continue
        weights = dict(explained.weights())
        reasons = {reason.name: reason.weight_db for reason in explained.reasons}
        for name, value in zip(names[at + 1 :], row[at + 1 :], strict=True):
            part = name.removeprefix("db_")
            want = weights[part] if part in ("prior", "total") else reasons[part]
            if value is None and isinstance(model, db.TAN) and None in one.values():
                continue  # a missing value that is summed out
            assert_same_weight(value, want, (r, name))


def assert_same_weight(found: float | None, want: float, where: Any) -> None:
    assert found is not None, where
    if math.isinf(want):
        assert found == want, where
    else:
        assert abs(found - want) <= 1e-7 * max(1.0, abs(want)), (where, found, want)
