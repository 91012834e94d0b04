"""ROC and precision–recall curves: scikit-learn's areas, and a small example by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from deciban.decide.score import ranking_curves
from deciban.errors import ParameterError

rows = st.lists(st.tuples(st.integers(0, 8).map(lambda k: k / 8), st.booleans()), min_size=2, max_size=30)


@given(rows.filter(lambda rows: len({is_class for _, is_class in rows}) == 2))
def test_points_and_areas_are_scikit_learns(rows):
    posterior, is_class = (np.array(column) for column in zip(*rows, strict=True))
    found = ranking_curves(posterior, is_class)
    fpr, tpr, thresholds = roc_curve(is_class, posterior, drop_intermediate=False)
    assert found.false_positive_rate == pytest.approx(fpr) and found.recall == pytest.approx(tpr)
    assert found.thresholds.tolist() == thresholds.tolist()
    precision, _, _ = precision_recall_curve(is_class, posterior)
    assert found.precision == pytest.approx(precision[::-1])
    assert found.roc_area == pytest.approx(roc_auc_score(is_class, posterior))
    assert found.average_precision == pytest.approx(average_precision_score(is_class, posterior))
    assert found.share == is_class.mean()


def test_a_perfect_ranking_has_area_1_and_ties_count_half():
    perfect = ranking_curves(np.array([0.9, 0.8, 0.1]), np.array([True, True, False]))
    assert (perfect.roc_area, perfect.average_precision) == (1.0, 1.0)
    tied = ranking_curves(np.array([0.5, 0.5]), np.array([True, False]), "spam")
    assert (tied.roc_area, tied.average_precision) == (0.5, 0.5)
    assert repr(tied) == "RankingCurves('spam': ROC area 0.5000, average precision 0.5000)"


@pytest.mark.parametrize("is_class", [[True, True], [False, False]])
def test_one_kind_of_rows_has_no_ranking(is_class):
    with pytest.raises(ParameterError, match="rows of the class 'spam' and rows of others"):
        ranking_curves(np.array([0.5, 0.6]), np.array(is_class), "spam")
