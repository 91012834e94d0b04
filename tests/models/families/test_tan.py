"""TAN: the tree, its probabilities by hand, and what it sums out."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

import deciban as db
from deciban.errors import ColumnMismatchError
from tests.textbook.tables import TENNIS, rows_of

ROWS, LABELS = rows_of(TENNIS, "PlayTennis")
TABLE = {name: column for name, column in TENNIS.items() if name != "PlayTennis"}
NAMES = list(TABLE)


def information(a, b):
    """I(A; B | C) by the definition, in exact frequencies up to the logarithm."""
    total = 0.0
    cells = list(zip(TABLE[a], TABLE[b], LABELS, strict=True))
    for x, y, c in set(cells):
        n = Fraction(cells.count((x, y, c)))
        of_class = LABELS.count(c)
        n_x, n_y = (sum(u == v and k == c for u, k in zip(col, LABELS, strict=True)) for col, v in _sides(a, x, b, y))
        total += float(n / 14) * log(n * of_class / (n_x * n_y))
    return total


def _sides(a, x, b, y):
    return (TABLE[a], x), (TABLE[b], y)


def test_conditional_mutual_information_is_that_of_the_definition():
    found = db.TAN().fit(TABLE, LABELS).conditional_mutual_information()
    assert len(found) == 6 and list(found.values()) == sorted(found.values(), reverse=True)
    for (a, b), value in found.items():
        assert value == pytest.approx(information(a, b), rel=1e-12)


def test_the_tree_is_the_best_of_all_sixteen():
    model = db.TAN().fit(TABLE, LABELS)
    assert model.tree_ == db.DAG([("Outlook", "Temperature"), ("Outlook", "Wind"), ("Temperature", "Humidity")], NAMES)
    gains = model.conditional_mutual_information()
    edges = list(gains)
    trees = [[edges[i] for i in range(6) if mask >> i & 1] for mask in range(64) if mask.bit_count() == 3]
    spanning = [tree for tree in trees if {name for edge in tree for name in edge} == set(NAMES)]
    best = max(sum(gains[edge] for edge in tree) for tree in spanning)
    mine = [tuple(edge) for edge in model.tree_.directed_edges]
    assert sum(gains.get(edge, gains.get(edge[::-1], 0)) for edge in mine) == pytest.approx(best)


def test_probabilities_are_those_of_the_tree():
    model = db.TAN(strength=2, temperature=1.0).fit(TABLE, LABELS)
    row = ["sunny", "cool", "high", "strong"]
    expected = []
    for label in ("no", "yes"):
        rows = [r for r, own in zip(ROWS, LABELS, strict=True) if own == label]

        def alone(i, rows=rows):
            return Fraction(sum(r[i] == row[i] for r in rows) + 1, len(rows) + len(set(TABLE[NAMES[i]])))

        def given(i, parent, rows=rows, alone=alone):
            above = [r for r in rows if r[parent] == row[parent]]
            return (sum(r[i] == row[i] for r in above) + 2 * alone(i)) / Fraction(len(above) + 2)

        expected.append(Fraction(len(rows), 14) * alone(0) * given(1, 0) * given(3, 0) * given(2, 1))
    frame = {name: [value] for name, value in zip(NAMES, row, strict=True)}
    assert np.exp(model.predict_joint_log_proba(frame))[0] == pytest.approx([float(p) for p in expected], rel=1e-13)
    assert model.evidence(frame).joint == pytest.approx(model.predict_joint_log_proba(frame), rel=1e-13)


def test_an_explanation_shows_what_columns_depend_on():
    model = db.TAN(strength=5.0, temperature=1.0).fit(TABLE, LABELS)
    text = model.explain({"Outlook": "sunny", "Temperature": "hot", "Humidity": "high", "Wind": "weak"}).to_text()
    assert "P(no)·P(sunny|no)·P(hot|no, sunny)·P(high|no, hot)·P(weak|no, sunny) = 0.3571 · 0.5 · " in text
    gaps = model.explain({"Outlook": "sunny", "Temperature": None, "Humidity": "high", "Wind": "weak"}).to_text()
    assert "P(no)·P(sunny|no)·P(high|no, …)·P(weak|no, sunny) = " in gaps


def test_the_root_can_be_named():
    model = db.TAN(root="Wind").fit(TABLE, LABELS)
    assert model.tree_.parents("Wind") == frozenset()
    assert model.tree_.skeleton() == db.TAN().fit(TABLE, LABELS).tree_.skeleton()
    with pytest.raises(ColumnMismatchError, match="root is 'Rain'"):
        db.TAN(root="Rain").fit(TABLE, LABELS)


def test_the_order_of_rows_and_columns_changes_no_tree():
    order = np.random.default_rng(0).permutation(14)
    turned = {name: [TABLE[name][i] for i in order] for name in NAMES[::-1]}
    model = db.TAN().fit(turned, [LABELS[i] for i in order])
    assert set(model.tree_.directed_edges) == set(db.TAN().fit(TABLE, LABELS).tree_.directed_edges)


def test_independent_columns_make_naive_bayes():
    """Where columns are independent given the class, in the counts themselves, a tree adds nothing."""
    rng = np.random.default_rng(1)
    grid = np.array(np.meshgrid([0, 1, 1], [0, 0, 1, 2], [0, 1])).reshape(3, -1).T
    X, y = np.concatenate([grid, 2 - grid]), np.repeat([0, 1], len(grid))
    model = db.TAN(db.Categorical(), smoothing=db.MLE(), strength=5.0, temperature=1.0).fit(X, y)
    naive = db.NaiveBayes(db.Categorical(), smoothing=db.MLE(), weights=None).fit(X, y)
    assert max(model.conditional_mutual_information().values()) == pytest.approx(0.0, abs=1e-12)
    some = X[rng.permutation(len(X))]
    assert model.predict_proba(some) == pytest.approx(naive.predict_proba(some), abs=1e-12)


def test_a_column_that_repeats_another_counts_once():
    """Naive Bayes counts evidence twice that comes twice; a tree does not."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 4_000)
    x = (rng.uniform(size=4_000) < np.where(y == 1, 0.7, 0.3)).astype(int)
    once, thrice = x[:, None], np.repeat(x[:, None], 3, axis=1)
    right = db.NaiveBayes(db.Categorical(), weights=None).fit(once, y).predict_proba(once)
    tree = db.TAN(db.Categorical(), strength=5.0, temperature=1.0).fit(thrice, y).predict_proba(thrice)
    naive = db.NaiveBayes(db.Categorical(), weights=None).fit(thrice, y).predict_proba(thrice)
    assert abs(tree - right).max() < 0.005
    assert abs(naive - right).max() > 0.2


def test_ignored_columns_and_single_ones_make_no_trouble():
    ignored = {"Wind": db.Ignore(), "Humidity": db.Ignore(), "Temperature": db.Ignore()}
    model = db.TAN(ignored, temperature=1.0).fit(TABLE, LABELS)
    assert model.tree_.nodes == ("Outlook",)
    naive = db.NaiveBayes(weights=None).fit({"Outlook": TABLE["Outlook"]}, LABELS)
    assert model.predict_proba(TABLE) == pytest.approx(naive.predict_proba({"Outlook": TABLE["Outlook"]}))
    nothing = db.TAN(db.Ignore()).fit(TABLE, LABELS)
    assert nothing.predict_proba(TABLE)[0] == pytest.approx([5 / 14, 9 / 14])
