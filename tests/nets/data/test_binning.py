"""Numbers cut into bins: as many rows in each, or where the states of a category change; never more than is said."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import DecibanError, ParameterError
from deciban.nets import MixedSample
from deciban.nets.data.binning import binned
from deciban.nets.data.samples import read_variables
from deciban.nets.independence.independence_test import ADVICE


def sample_of(table, **options):
    return read_variables(table, "mixed", ADVICE, missing="skip", choices=("skip",), **options)


def table_of(rows=2000, seed=0):
    rng = np.random.default_rng(seed)
    group = rng.choice(["a", "b", "c"], rows)
    x = np.select([group == "a", group == "b"], [-5.0, 0.0], 5.0) + rng.normal(size=rows)
    return {"group": group, "x": x, "y": x + rng.normal(size=rows), "noise": rng.normal(size=rows)}


def test_quantiles_have_about_as_many_rows_each():
    cut = binned(sample_of(table_of()), 5)
    assert cut.names == ("group", "noise", "x", "y") and len(cut.states["x"]) == 5
    assert set(np.bincount(cut.codes[2]).tolist()) == {400}
    assert cut.states["x"].values[0].startswith("≤ ") and cut.states["x"].values[-1].startswith("> ")
    assert len(binned(sample_of(table_of()), "quantile").states["y"]) == 4


def test_weights_are_numbers_of_rows():
    table = {"x": np.arange(100) / 3, "g": ["a", "b"] * 50}
    weight = np.r_[np.full(50, 3), np.ones(50)].astype(int)
    repeated = {name: np.repeat(np.asarray(column), weight) for name, column in table.items()}
    one, other = binned(sample_of(table, sample_weight=weight), 4), binned(sample_of(repeated), 4)
    assert one.states["x"].values == other.states["x"].values


def test_description_length_cuts_where_the_states_change():
    cut = binned(sample_of(table_of()), "mdl")
    bounds = [float(label.split()[-1].rstrip("]")) for label in cut.states["x"].values[:-1]]
    assert {round(bound / 2.5) for bound in bounds} == {-1, 1} and max(abs(abs(bound) - 2.5) for bound in bounds) < 1
    assert len(cut.states["noise"]) == 4  # no cut tells the groups apart: quartiles


def test_repeated_missing_and_huge_numbers_have_bins():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"g": ["a", "b"] * 100, "zero": rng.normal(size=200), "huge": rng.normal(size=200) * 1e149})
    frame.loc[20:, "zero"] = 0.0
    frame.loc[:9, "huge"] = np.nan
    for rule in (2, 7, "quantile", "mdl"):
        cut = binned(sample_of(frame), rule)
        assert all(len(set(cut.states[name].values)) == len(cut.states[name]) for name in cut.names)
        assert (cut.codes[list(cut.names).index("huge")] < 0).sum() == 10
    same = pd.DataFrame({"g": ["a", "b"] * 50, "x": np.full(100, 1.5)})
    assert isinstance(sample_of(same), MixedSample) and binned(sample_of(same), 3).names == ("g", "x")


def test_discover_and_search_count_bins_and_say_so():
    table = table_of()
    for call in (db.discover, db.search):
        found = call(table, bins="mdl")
        assert found.graph.is_adjacent("x", "group") and not found.graph.is_adjacent("noise", "x")
        assert (
            found.notes[0].startswith("cut into bins: ")
            and "x (-" in found.notes[0]
            and "counted as categories: group" in found.notes
        )
        assert call(table, bins=3).graph == call(dict(reversed(table.items())), bins=3).graph
    numbers = {name: table[name] for name in "xy"}
    assert db.search(numbers, bins=4).criterion == "bic" and db.discover(numbers, bins=4).test.name == "G²"
    assert db.search(table, "bdeu", bins=3).criterion == "bdeu"


@pytest.mark.parametrize("bins", [1, 0, True, 2.5, "mld", "auto"])
def test_other_bins_are_refused(bins):
    for call in (db.discover, db.search):
        with pytest.raises(DecibanError, match="bins"):
            call(table_of(50), bins=bins)


def test_bins_are_for_tests_of_categories():
    with pytest.raises(ParameterError, match="bins are categories"):
        db.discover(table_of(50), test="cg", bins=3)
    with pytest.raises(ParameterError, match="bins are categories"):
        db.search(table_of(50), "gaussian_bic", bins=3)
    with pytest.raises(ParameterError, match="leave out bins"):
        db.search(db.Oracle(db.DAG([("a", "b")])), bins=3)
