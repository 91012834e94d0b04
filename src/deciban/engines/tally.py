"""One door to counting: a table in memory, or where it is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from deciban.engines.source import (
    FileOptions,
    OnBadRow,
    Progress,
    SourceCounting,
    check_no_file_options,
    is_source,
    open_source,
    tally_source,
)
from deciban.engines.sql.database import is_connection
from deciban.engines.sql.table import tally_database
from deciban.errors import ParameterError
from deciban.read import read_table
from deciban.tallies import Tally, tally_table

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TableCounting", "tally"]


@dataclass(frozen=True)
class TableCounting(SourceCounting[Tally]):
    """Counts the columns of a table by their types; `sample_weight` may be the name of a column."""

    target: str
    sample_weight: Any = None
    columns: tuple[str, ...] | None = None

    @property
    def required(self) -> tuple[str, ...]:
        return (self.target, self.sample_weight) if isinstance(self.sample_weight, str) else (self.target,)

    @property
    def described(self) -> str:
        return f"tally of the classes of {self.target!r}, weighted by {self.sample_weight!r}"

    def __call__(self, batch: pa.Table) -> Tally:
        table, labels = read_table(batch).without(self.target)
        weight = self.sample_weight
        if isinstance(weight, str):
            table, column = table.without(weight)
            weight = column.numbers
        return tally_table(table, labels, weight)


def tally(
    data: Any,
    query: str | None = None,
    *,
    target: str,
    sample_weight: Any = None,
    schema: Any = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress = None,
    on_bad_row: OnBadRow = "error",
    encoding: str | None = None,
    sheet: str | None = None,
    decimal: str | None = None,
    dialect: str | None = None,
) -> Tally:
    """Count a table: moments of its float columns, counts of all others, within each class of `target`.

    Whether a column holds floats is a matter of its type, not of its values. A missing value is skipped in its own
    column only.

    Parameters
    ----------
    data : table, str, path, list, connection, DuckDB relation, Ibis table or Spark frame
        Any table; or the name of a file, a glob, a folder, or a list of these, whose rows are counted in pieces that
        fit in memory, on all cores; or a connection to a database (DuckDB, DB-API 2.0, ADBC), a DuckDB relation or an
        Ibis table, which is counted by queries: no row leaves the database; or a Spark frame, whose rows are counted by
        its executors.
    query : str, optional
        Of a connection: the name of a table, quoted where it needs to be, or a SELECT statement.
    target : str
        The name of the column of classes.
    sample_weight : str or array, optional
        How many rows each row stands for: the name of a column, or an array where the table is in memory.
    schema : mapping, optional
        For files: the types of columns, as in ``NaiveBayes.fit_files``.
    checkpoint : str or path, optional
        For files: a file that keeps the counts of an interrupted call.
    progress : bool or function, optional
        For files: a progress bar, as in ``NaiveBayes.fit_files``.
    on_bad_row : {"error", "skip"}
        For files: what is done with rows that cannot be read.
    encoding, sheet, decimal : str, optional
        For files: the encoding of text, the sheet of Excel files, and the decimal mark, as in ``NaiveBayes.fit_files``.
    dialect : str, optional
        Of a connection, where its driver does not say it: a dialect of sqlglot, such as "postgres".

    Returns
    -------
    Tally
        It prints as a table; ``NaiveBayes.from_tally`` makes a model of it.

    Examples
    --------
    >>> t = tally({"sky": ["sun", "rain", "sun"], "play": ["yes", "no", "yes"]}, target="play")
    >>> print(t)
    Tally of 3 rows, 2 classes of 'play'
               no  yes
         rows   1    2
    sky  rain   1    0
         sun    0    2
    """
    options: FileOptions = {
        "schema": schema,
        "checkpoint": checkpoint,
        "progress": progress,
        "on_bad_row": on_bad_row,
        "encoding": encoding,
        "sheet": sheet,
        "decimal": decimal,
    }
    if not is_source(data):
        check_no_file_options(**options)
    if is_connection(data):
        return tally_database(data, query, target=target, sample_weight=sample_weight, dialect=dialect)
    if query is not None or dialect is not None:
        raise ParameterError("query and dialect belong to a connection to a database; data is none.")
    counting = TableCounting(target, sample_weight)
    return tally_source(open_source(data, **options), counting) if is_source(data) else counting(data)
