"""Measures of association against scikit-learn and scipy, and selection without counting again."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency
from sklearn.metrics import mutual_info_score

import deciban as db
from deciban.errors import ParameterError
from deciban.estimate import chi_squared, mutual_information, symmetrical_uncertainty

tables = st.lists(st.lists(st.integers(0, 20), min_size=3, max_size=3), min_size=2, max_size=4).map(np.array)


@given(tables)
def test_mutual_information_is_scikit_learns(table):
    if table.sum():
        assert mutual_information(table) == pytest.approx(mutual_info_score(None, None, contingency=table), abs=1e-12)
    assert -1e-12 <= symmetrical_uncertainty(table) <= 1 + 1e-12


extreme = st.sampled_from([0.0, 5e-324, 1e-310, 1e-300, 1.0, 3.0, 1e300, 1.7e308])


@given(st.lists(st.lists(extreme, min_size=3, max_size=3), min_size=2, max_size=3).map(np.array))
def test_no_measure_is_infinite(table):
    for measure in (mutual_information, chi_squared, symmetrical_uncertainty):
        assert 0 <= measure(table) < np.inf


@given(st.lists(extreme, min_size=4, max_size=6), st.sampled_from([db.Gaussian(), db.Kernel(), db.Categorical()]))
def test_no_association_of_numbers_is_infinite(numbers, kind):
    model = db.NaiveBayes(kind, weights=None).fit({"x": numbers}, [i % 2 for i in range(len(numbers))])
    assert 0 <= model.associations()["x"] <= np.log(2) + 1e-12


def test_chi_squared_is_scipys():
    table = np.array([[10, 3, 5], [2, 8, 6]])
    assert chi_squared(table) == pytest.approx(chi2_contingency(table, correction=False).statistic)


def test_a_copy_of_the_class_is_certain_and_noise_says_nothing():
    assert symmetrical_uncertainty(np.diag([3, 4])) == pytest.approx(1)
    assert mutual_information(np.array([[2, 4], [3, 6]])) == pytest.approx(0, abs=1e-15)
    assert mutual_information(np.zeros((2, 2))) == 0


def test_selecting_columns_counts_nothing_again():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    frame = pd.DataFrame(
        {
            "good": y + rng.normal(size=300) / 2,
            "noise": rng.normal(size=300),
            "flag": np.where(rng.uniform(size=300) < 0.9, y, 1 - y).astype(str),
            "dull": rng.choice(["a", "b"], 300),
        }
    )
    model = db.NaiveBayes(weights=None).fit(frame, y)
    assert set(list(model.associations())[:2]) == {"good", "flag"}
    small = model.select(2)
    wanted = {"noise": db.Ignore(), "dull": db.Ignore()}
    assert np.array_equal(
        small.predict_proba(frame), db.NaiveBayes(wanted, weights=None).fit(frame, y).predict_proba(frame)
    )
    assert small.schema_["noise"].reason == "not selected"
    small.partial_fit(frame, y)  # it goes on learning
    assert small.tally_.total == 600
    with pytest.raises(ParameterError, match="'chi2' is for counts"):
        model.associations("chi2")
    with pytest.raises(ParameterError, match="measure is one of"):
        model.select(1, "luck")
