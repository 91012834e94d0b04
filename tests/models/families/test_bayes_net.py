"""A Bayes net as a classifier: any structure, any pattern of missing values, against sums over all rows."""

import re
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ColumnMismatchError, DecibanWarning, ParameterError
from tests.textbook.tables import TENNIS

TABLE = {name: column for name, column in TENNIS.items() if name != "PlayTennis"}
LABELS = TENNIS["PlayTennis"]
NAMES = ["a", "b", "c", "d", "e"]
NET = db.DAG([("a", "class"), ("class", "b"), ("c", "b"), ("a", "c"), ("b", "d"), ("class", "d"), ("d", "e")])
rng = np.random.default_rng(0)
CODES = pd.DataFrame(rng.integers(0, [2, 3, 2, 3, 2], (80, 5)), columns=NAMES).astype(str)
Y = np.array(["no", "yes", "perhaps"])[(CODES["a"].astype(int) + CODES["b"].astype(int) + rng.integers(0, 2, 80)) % 3]


def fitted(structure=NET, **parameters):
    return db.BayesNetClassifier(structure, **{"strength": 1.0, "temperature": 1.0, **parameters}).fit(CODES, Y)


def joint_of_all(model):
    """P(class, row) of every row, from the families' tables one by one: the definition."""
    tables = model._tables
    rows = list(product(*(range(len(v)) for v in model.tally_.parts[0].variables)))
    joint = np.zeros((len(rows), len(model.classes_)))
    for factor in [tables._of_class, *tables._of_columns]:
        logs = np.array([factor.logs[tuple(row[c] for c in factor.columns)] for row in rows])
        joint += logs if factor.has_class else logs[:, None]
    return np.array(rows), np.exp(joint)


def test_all_rows_and_classes_together_have_probability_one():
    assert joint_of_all(fitted())[1].sum() == pytest.approx(1.0)


@given(st.sets(st.sampled_from(range(5))), st.integers(0, 71))
def test_missing_columns_are_summed_out_exactly(missing, which):
    model = fitted()
    rows, joint = joint_of_all(model)
    row = rows[which]
    agrees = np.all([(rows[:, c] == row[c]) | (c in missing) for c in range(5)], axis=0)
    expected = joint[agrees].sum(axis=0)
    variables = model.tally_.parts[0].variables
    shown = {n: None if i in missing else variables[i].labels[row[i]] for i, n in enumerate(NAMES)}
    assert list(model.predict_proba_one(shown).values()) == pytest.approx((expected / expected.sum()).tolist())
    frame = {name: [value] for name, value in shown.items()}
    assert model.evidence(frame).joint == pytest.approx(model.predict_joint_log_proba(frame))


def test_rows_with_gaps_have_the_posteriors_of_the_bayes_net():
    """Two rows may lack the same columns, of those that matter, and yet need different families."""
    names = ["smoke", "tub", "bronc", "either", "xray", "dysp"]
    arrows = [("smoke", "lung"), ("smoke", "bronc"), ("lung", "either"), ("tub", "either"), ("either", "xray")]
    net = db.DAG([*arrows, ("either", "dysp"), ("bronc", "dysp")])
    draws = np.random.default_rng(0)
    table = pd.DataFrame(draws.integers(0, 2, (400, 7)), columns=["lung", *names]).astype(str)
    table["either"] = np.where((table["lung"] == "1") | (table["tub"] == "1"), "1", table["either"])
    gaps = table[names].mask(draws.random((400, 6)) < 0.5)
    exact = {"smoothing": db.MLE(), "strength": 0, "temperature": 1.0}
    model = db.BayesNetClassifier(net, target="lung", **exact).fit(table[names], table["lung"])
    whole = db.BayesNet(net).fit(table, smoothing=db.MLE(), unseen_parents="marginal")
    assert model.predict_proba(gaps) == pytest.approx(whole.predict_proba(gaps, "lung"), abs=1e-12)


def test_rows_with_many_patterns_are_scored_as_one_by_one():
    gaps = CODES.mask(rng.uniform(size=CODES.shape) < 0.4)
    model = db.BayesNetClassifier(NET).fit(gaps, Y)
    together = model.predict_proba(gaps)
    for i in range(0, 80, 7):
        assert model.predict_proba(gaps[i : i + 1]) == pytest.approx(together[i : i + 1], rel=1e-12)


def test_a_star_is_naive_bayes_and_a_tree_is_tan():
    star = db.DAG([("class", name) for name in TABLE])
    found = db.BayesNetClassifier(star, temperature=1.0).fit(TABLE, LABELS).predict_proba(TABLE)
    assert found == pytest.approx(db.NaiveBayes(weights=None).fit(TABLE, LABELS).predict_proba(TABLE))
    tan = db.TAN(strength=5.0, temperature=1.0).fit(TABLE, LABELS)
    tree = db.DAG([*star.directed_edges, *tan.tree_.directed_edges])
    gaps = {name: [None if i % 3 == k else v for i, v in enumerate(TABLE[name])] for k, name in enumerate(TABLE)}
    model = db.BayesNetClassifier(tree, strength=5.0, temperature=1.0).fit(TABLE, LABELS)
    assert model.predict_proba(gaps) == pytest.approx(tan.predict_proba(gaps))


def test_only_the_markov_blanket_matters():
    model = fitted()
    other = CODES.assign(e="0")
    assert model.predict_proba(CODES).tolist() == model.predict_proba(other).tolist()
    assert model.evidence(CODES).columns[:, NAMES.index("e")].any() == np.False_


def test_found_nets_find_what_there_is():
    """The class copies x; z is noise; w copies the class."""
    x = rng.integers(0, 2, 2_000)
    flip = rng.uniform(size=(2, 2_000)) < 0.1
    y = x ^ flip[0]
    frame = pd.DataFrame({"x": x, "z": rng.integers(0, 3, 2_000), "w": y ^ flip[1]})
    for structure in ("search", "discover"):
        model = db.BayesNetClassifier(structure).fit(frame, y)
        assert model.dag_.adjacent_nodes("class") == {"x", "w"}
    augmented = db.BayesNetClassifier("augmented").fit(frame, y).dag_
    assert augmented.children("class") == {"x", "z", "w"}


def test_the_net_stays_and_its_counts_grow(tmp_path):
    first = db.BayesNetClassifier("search").fit(CODES[:40], Y[:40])
    net = first.dag_
    whole = db.BayesNetClassifier(net, temperature=1.0).fit(CODES, Y)
    parts = first.partial_fit(CODES[40:], Y[40:])
    assert parts.dag_ == net and parts.tally_ == whole.tally_
    second = db.BayesNetClassifier(net).fit(CODES[40:], Y[40:])
    assert db.BayesNetClassifier(net).fit(CODES[:40], Y[:40]).merge(second).tally_ == whole.tally_
    forgotten = parts.forget(CODES[:40], Y[:40])
    assert forgotten.tally_ == second.tally_.with_classes(forgotten.tally_.classes)
    db.save(whole, tmp_path / "net")
    loaded = db.load(tmp_path / "net")
    assert loaded.dag_ == whole.dag_
    assert loaded.predict_proba(CODES).tobytes() == whole.predict_proba(CODES).tobytes()
    again = db.BayesNetClassifier.from_tally(whole.tally_, structure=net)
    assert again.predict_proba(CODES).tobytes() == whole.predict_proba(CODES).tobytes()


def test_models_of_different_nets_are_not_merged():
    with pytest.raises(ColumnMismatchError, match="different nets"):
        fitted().merge(fitted([("class", "a")]))
    with pytest.raises(ParameterError, match=r"structure=model\.dag_"):
        db.BayesNetClassifier.from_tally(fitted().tally_)
    with pytest.raises(ParameterError, match="another net"):
        db.BayesNetClassifier.from_tally(fitted().tally_, structure=[("class", "a")])


def test_whole_weights_are_repetitions_also_for_the_search():
    times = rng.integers(0, 3, 80)
    weighted = db.BayesNetClassifier().fit(CODES, Y, sample_weight=times)
    rows = np.repeat(np.arange(80), times)
    repeated = db.BayesNetClassifier().fit(CODES.iloc[rows], Y[rows])
    assert weighted.dag_ == repeated.dag_ and weighted.tally_ == repeated.tally_


def test_what_cannot_be_is_said():
    with pytest.raises(ParameterError, match="structure is one of"):
        fitted("guess")
    with pytest.raises(ColumnMismatchError, match=r"the class, 'class', and columns"):
        fitted([("class", "wind")])
    with pytest.raises(ColumnMismatchError, match="Pass another target"):
        fitted(target="a")


@pytest.mark.parametrize("structure", ["search", "augmented", "discover"])
def test_the_net_is_found_from_rows_with_missing_values_too(structure):
    """No row is complete; a model of complete rows alone would predict the majority class, or nothing."""
    y = np.arange(600) % 3 % 2
    known = {"a": np.arange(600) % 2 == 0, "b": np.arange(600) % 2 == 1}
    table = pd.DataFrame({name: np.where(held, np.where(y, "x", "z"), None) for name, held in known.items()})
    with pytest.warns(DecibanWarning, match="one-to-one with the target"):
        model = db.BayesNetClassifier(structure).fit(table, y)
    assert (model.predict(table) == y).all()


def test_a_column_of_many_labels_is_ignored_with_a_note():
    """Passengers share tickets, but too few of them for a table of tickets."""
    ticket = np.array([f"t{i % 90}" for i in range(140)])
    table = pd.DataFrame({"ticket": ticket, "sex": np.arange(140) % 2})
    model = db.BayesNetClassifier().fit(table, np.arange(140) % 4 % 3 % 2)
    assert model.schema_["ticket"].reason == "90 distinct labels in 140 rows, left out"
    assert model.dag_.children("class") == {"sex"}
    assert not model.evidence(table).columns[:, 0].any()


def test_a_row_with_unseen_parents_falls_back():
    model = fitted()
    row = {"a": "7", "b": "1", "c": "9", "d": "0", "e": "0"}
    assert sum(model.predict_proba_one(row).values()) == pytest.approx(1.0)
    text = model.explain(row).to_text()
    assert "P(1|no, 9)·P(0|no, 1)·(parents, missing) = " in text
    assert re.search(r"^  e +0 ", text, re.MULTILINE)
