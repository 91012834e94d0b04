"""One door for tables in memory and in files: names, patterns, folders, lists and open sources."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import deciban as db
from deciban.engines.source import open_source
from deciban.errors import MissingFileError, ParameterError
from deciban.nets import BIC, GSquared
from deciban.nets.data.samples import Advice, read_codes, read_numbers, read_variables
from tests.nets.data.test_mapped import chain, same

TABLE = chain()


@pytest.fixture
def folder(tmp_path):
    pq.write_table(TABLE.slice(0, 2_000), tmp_path / "part-1.parquet", row_group_size=300)
    pq.write_table(TABLE.slice(2_000), tmp_path / "part-2.parquet")
    return tmp_path


def test_every_way_to_name_files_gives_the_sample(folder):
    want = read_codes(TABLE, numbers="")
    files = [folder / "part-1.parquet", folder / "part-2.parquet"]
    for data in (folder, str(folder / "*.parquet"), files, [str(file) for file in files], open_source(folder)):
        assert same(read_codes(data, numbers=""), want)


def test_a_test_and_a_score_take_files_as_well(folder):
    assert GSquared(str(folder)).test("a", "c", ["b"]) == GSquared(TABLE).test("a", "c", ["b"])
    assert BIC().on(folder).local([(0, 0)]) == BIC().on(TABLE).local([(0, 0)])


def test_a_name_of_no_file_is_an_error_that_names_the_closest(folder):
    with pytest.raises(MissingFileError, match=r"Did you mean 'part-1\.parquet'"):
        db.discover(folder / "part1.parquet")
    with pytest.raises(MissingFileError, match="no file matches"):
        db.search(str(folder / "*.feather"))


def test_a_sample_is_read_once():
    sample = read_codes(TABLE, numbers="")
    assert read_variables(sample, "categories", Advice()) is sample


def test_missing_numbers_are_no_state():
    with pytest.raises(ParameterError, match="is for categories"):
        read_numbers(TABLE.select(["c"]), missing="state", choices=("state",), labels="")


def test_whole_numbers_of_many_values_are_numbers_among_numbers():
    """Counted as categories, 30 to 60 values leave no edge between columns that correlate at 0.93."""
    rng = np.random.default_rng(0)
    x = rng.poisson(40, 300)
    marks = {"x": x, "y": x + rng.poisson(3, 300), "z": rng.poisson(40, 300)}
    for result in (db.search(marks), db.discover(marks)):
        assert result.graph.is_adjacent("x", "y") and not result.graph.is_adjacent("x", "z")
        assert result.notes[0].startswith("whole numbers, x (") and "read as numbers; pass " in result.notes[0]
    mixed = db.search(marks | {"sky": rng.choice(["sun", "rain"], 300)})
    assert mixed.criterion == "bic" and "counted as categories" in mixed.notes[0]
    assert db.search(marks, "bic").notes == ()


def test_a_float_of_few_values_is_a_number_among_numbers():
    rng = np.random.default_rng(0)
    few = rng.choice([0.5, 1.5], 300)
    table = {"x": few + rng.normal(size=300), "few": few, "same": np.full(300, 0.5)}
    assert "same is constant" in db.discover(table).notes and db.discover(table).graph.is_adjacent("few", "x")
    del table["same"]
    assert db.search(table).criterion == "gaussian_bic"
