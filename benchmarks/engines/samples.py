"""A table of numbers and labels, written as CSV and Parquet with a fixed seed; the files stay in a temporary folder.

8 columns of floats, 2 of whole numbers, 6 of labels (3 to 300 distinct) and 3 classes: about 143 bytes a row as CSV.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

__all__ = ["LABELS", "NUMBERS", "TARGET", "WHOLE", "file_of", "folder"]

NUMBERS = tuple(f"num{i}" for i in range(8))
WHOLE = ("int0", "int1")
LABELS = tuple(f"cat{i}" for i in range(6))
TARGET = "y"
_DISTINCT = (3, 7, 12, 40, 100, 300)
_AT_A_TIME = 500_000
_GROUP = 250_000


def folder() -> Path:
    """Where the files are kept."""
    made = Path(tempfile.gettempdir()) / "deciban-benchmarks"
    made.mkdir(exist_ok=True)
    return made


def file_of(rows: int, suffix: str) -> Path:
    """The file with so many rows, made where it does not exist: ".csv" or ".parquet"."""
    path = folder() / f"rows-{rows}{suffix}"
    if not path.exists():
        _write(rows, path)
    return path


def _write(rows: int, path: Path) -> None:
    beside = path.with_name(f"unfinished-{path.name}")
    writer = None
    for table in _tables(rows):
        if writer is None and path.suffix == ".csv":
            writer = pc.CSVWriter(beside, table.schema, write_options=pc.WriteOptions(quoting_style="needed"))
        elif writer is None:
            writer = pq.ParquetWriter(beside, table.schema)
        if path.suffix == ".csv":
            writer.write_table(table)
        else:
            writer.write_table(table, row_group_size=_GROUP)
    if writer is not None:
        writer.close()
    beside.rename(path)


def _tables(rows: int) -> Iterator[pa.Table]:
    rng = np.random.default_rng(0)
    for start in range(0, rows, _AT_A_TIME):
        n = min(_AT_A_TIME, rows - start)
        y = rng.integers(0, 3, n)
        columns: dict[str, Any] = {name: rng.normal(y * 0.5 + i, 1 + i, n).round(4) for i, name in enumerate(NUMBERS)}
        columns |= {name: rng.integers(0, 50 * (i + 1), n) for i, name in enumerate(WHOLE)}
        for i, name in enumerate(LABELS):
            codes = (rng.integers(0, _DISTINCT[i], n) + y) % _DISTINCT[i]
            labels = [f"label_{i}_{k}" for k in range(_DISTINCT[i])]
            columns[name] = pa.DictionaryArray.from_arrays(codes.astype(np.int32), labels).cast(pa.string())
        columns[TARGET] = pa.DictionaryArray.from_arrays(y.astype(np.int32), ["a", "b", "c"]).cast(pa.string())
        yield pa.table(columns)
