"""``columns=``: a user says how the columns of a table are read, and what is guessed is said."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import InputTypeError, ParameterError

RNG = np.random.default_rng(0)
AREA = RNG.integers(0, 3, 1_500)
# A code of 90 areas is a whole number of many values, and a mark from 0 to 4 one of few.
TABLE = {
    "zip": AREA * 30 + RNG.integers(0, 30, 1_500),
    "mark": np.clip(AREA + RNG.integers(0, 3, 1_500), 0, 4),
    "wage": AREA * 2.0 + RNG.normal(size=1_500),
}


def _kinds(result):
    sample = result.sample if hasattr(result, "sample") else result.test.sample
    return {name: "number" if sample.is_number(name) else "category" for name in sample.names}


@pytest.mark.parametrize("call", [db.discover, db.search])
@pytest.mark.parametrize("is_file", [False, True])
def test_kinds_are_as_given(call, is_file, tmp_path):
    data = TABLE
    if is_file:
        data = tmp_path / "rows.csv"
        pd.DataFrame(TABLE).to_csv(data, index=False)
    assert _kinds(call(data)) == {"zip": "number", "mark": "category", "wage": "number"}
    found = call(data, columns={"zip": "category", "mark": "number"})
    assert _kinds(found) == {"zip": "category", "mark": "number", "wage": "number"}
    assert "counted as categories: zip (as given)" in found.notes
    # All of one kind: then the test and the score are those for that kind.
    numbers = call(data, columns={"mark": "number"})
    assert (numbers.test.name if call is db.discover else numbers.criterion) in ("z²", "gaussian_bic")


def test_a_kind_that_a_test_does_not_read_is_refused():
    with pytest.raises(ParameterError, match="columns says that 'mark' is a number, and only categories are read"):
        db.discover(TABLE, test="g2", columns={"mark": "number", "wage": "category"})
    with pytest.raises(ParameterError, match="columns says that 'zip' is a category, and only numbers are read"):
        db.search(TABLE, "gaussian_bic", columns={"zip": "category"})
    with pytest.raises(InputTypeError, match="labels such as 'a'"):
        db.search({"x": ["a", "b"] * 50, "y": RNG.normal(size=100)}, columns={"x": "number"})
    with pytest.raises(ParameterError, match="leave out bins and columns"):
        db.discover(db.Oracle(db.DAG([("a", "b")])), columns={"a": "category"})


def test_a_score_of_a_graph_reads_columns_as_the_search_does():
    columns = {"zip": "category"}
    found = db.search(TABLE, method="hc", columns=columns)
    assert db.score_graph(found.dag, TABLE, columns=columns) == pytest.approx(found.score)


@pytest.mark.parametrize("is_file", [False, True])
def test_numbers_of_many_values_are_never_counted_in_silence(is_file, tmp_path):
    data = {"zip": TABLE["zip"], "mark": TABLE["mark"]}
    if is_file:
        pd.DataFrame(data).to_parquet(tmp_path / "rows.parquet")
        data = tmp_path / "rows.parquet"
    note = "whole numbers, zip (90 different), were counted as categories"
    assert note in db.discover(data, test="g2").notes
    assert note in db.search(data, "bic").notes
    # Where a user says so there is nothing to say.
    assert note not in db.discover(data, test="g2", columns={"zip": "category"}).notes
    assert "read as numbers: zip (90 different numbers)" in db.discover(data).notes


def test_an_order_beside_numbers_is_kept_for_bins():
    columns = {"mark": "ordered"}
    assert db.discover(TABLE, columns=columns).test.sample.categories.ordered == ("mark",)
    cut = db.discover(TABLE, columns=columns, bins=4)
    assert (cut.test.name, cut.test.sample.ordered) == ("M²", ("mark", "wage", "zip"))
    # Nobody has said that the order of bins is to be used.
    assert db.discover(TABLE, bins=4).test.name == "G²"
    assert db.discover(TABLE, test="cmh", bins=4).test.name == "M²"
