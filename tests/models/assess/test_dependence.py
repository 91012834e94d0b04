"""What TAN would gain: dependence that is there is found, what is only chance is not."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.models import assess as dependence
from deciban.models.assess import compare_with_tan, predict_honestly


@pytest.fixture(scope="module")
def rows():
    """The copy says what the first column says; the third is noise."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=600)
    first = (y + (rng.random(600) < 0.3)) % 2
    copy = (first + (rng.random(600) < 0.05)) % 2
    return {"first": first, "copy": copy, "noise": rng.integers(3, size=600)}, y


def test_a_copy_is_found_and_noise_is_not(rows):
    X, y = rows
    found = compare_with_tan(db.NaiveBayes(weights=None).fit(X, y), X, y)
    (pair, most), *others = found.pairs.items()
    assert set(pair) == {"first", "copy"} and most > 0.3
    assert all(tie < 0.01 for _, tie in others)
    assert found.tan.probability.log_loss.value < found.naive.probability.log_loss.value
    assert (found.rows, found.is_sample) == (600, False)
    assert ("copy", "first") in found.tree.directed_edges or ("first", "copy") in found.tree.directed_edges


def test_known_predictions_are_not_computed_again(rows):
    X, y = rows
    model = db.NaiveBayes().fit(X, y)
    predictions = predict_honestly(model, X, y)
    assert compare_with_tan(model, X, y, predictions).naive is predictions.scores
    other = predict_honestly(db.TAN().fit(X, y), X, y)
    assert compare_with_tan(db.TAN().fit(X, y), X, y, other).naive is not other.scores


def test_many_rows_are_sampled_and_many_columns_refused(rows, monkeypatch):
    X, y = rows
    model = db.NaiveBayes().fit(X, y)
    monkeypatch.setattr(dependence, "_MOST_ROWS", 200)
    found = compare_with_tan(model, X, y)
    assert (found.rows, found.is_sample, found.naive.confusion.sum()) == (200, True, 200)
    monkeypatch.setattr(dependence, "_MOST_COLUMNS", 2)
    with pytest.raises(ParameterError, match="3 columns are too many"):
        compare_with_tan(model, X, y)


def test_numbers_and_missing_values(rows):
    _, y = rows
    rng = np.random.default_rng(1)
    X = np.column_stack([y + rng.normal(size=600), rng.normal(size=600)])
    X[::7, 1] = np.nan
    found = compare_with_tan(db.GaussianNB(missing="skip").fit(X, y), X, y)
    assert set(found.pairs) == {("x0", "x1")}
