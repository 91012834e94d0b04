"""The one door to counting."""

import pyarrow as pa
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError, ParameterError
from deciban.tallies import Counts, Moments


def test_the_type_of_a_column_decides_how_it_is_counted():
    whole = pa.array([1, 2, None, 2], pa.int64())
    table = pa.table({"whole": whole, "real": [1.0, 2.0, None, 2.0], "y": list("abab")})
    for rows in (table, table.slice(0, 2)):  # with and without missing values
        parts = db.tally(rows, target="y").parts
        assert [type(part) for part in parts] == [Counts, Moments]
    batches = db.tally(table.slice(0, 2), target="y") + db.tally(table.slice(2), target="y")
    assert batches == db.tally(table, target="y")
    assert batches.parts[0].variable.labels.tolist() == [1, 2]


def test_a_column_of_weights():
    table = {"x": ["a", "b"], "w": [2.0, 0.5], "y": ["p", "p"]}
    found = db.tally(table, target="y", sample_weight="w")
    assert found.names == ("x",) and found.total == 2.5
    assert found == db.tally({"x": ["a", "b"], "y": ["p", "p"]}, target="y", sample_weight=[2.0, 0.5])


def test_options_of_files_are_for_files():
    for options in ({"schema": {"x": "string"}}, {"checkpoint": "fit.ckpt"}, {"on_bad_row": "skip"}):
        with pytest.raises(ParameterError, match="is for files, and the data are not in files"):
            db.tally({"x": ["a"], "y": ["p"]}, target="y", **options)


def test_the_target_must_be_a_column():
    with pytest.raises(ColumnMismatchError, match="there is no column 'z'"):
        db.tally({"x": ["a"], "y": ["p"]}, target="z")
