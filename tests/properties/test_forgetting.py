"""forget(B) after fit(A + B) is fit(A), also where B had the only rows of a class, a category or a token."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db

SKIES, WINDS = ["sun", "rain", "snow", "hail"], ["calm", "breeze", "storm"]
WORDS = ["alpha", "beta", "gamma", "delta", "only", "rare"]

MIXED = {"sky": db.Categorical(), "wind": db.Categorical(), "heat": db.Gaussian(), "rows": db.Kernel()}
PLAIN = {"sky": db.Categorical(), "wind": db.Categorical(), "heat": db.Categorical(), "rows": db.Categorical()}


def table(rows):
    return {
        "sky": [SKIES[r[0]] for r in rows],
        "wind": [WINDS[r[1]] for r in rows],
        "heat": [float(r[2]) for r in rows],
        "rows": [float(r[0] + r[2]) for r in rows],
    }


def codes(rows):
    return np.array([r[:3] for r in rows])


def documents(rows):
    return [" ".join([WORDS[r[0]], WORDS[r[1]], WORDS[5] if r[2] > 6 else WORDS[3]]) for r in rows]


EVERY = [(a, b, c, "abc"[c % 3]) for a in range(4) for b in range(3) for c in range(10)]
CHAINS = db.KDB(columns=PLAIN, members=2).fit(table(EVERY), [row[3] for row in EVERY]).structure_
SCORES = db.Discriminant(columns=MIXED).fit(table(EVERY), [row[3] for row in EVERY]).structure_
TREES = db.CountForest(columns=PLAIN, n_trees=2).fit(table(EVERY), [row[3] for row in EVERY]).structure_

MODELS = {
    "naive": (lambda: db.NaiveBayes(columns=MIXED, weights=None), table),
    "naive, missing as a state": (lambda: db.NaiveBayes(columns=MIXED, missing="state", weights=None), table),
    "joint": (db.JointBayes, table),
    "gaussian": (db.GaussianNB, codes),
    "categorical": (db.CategoricalNB, codes),
    "categorical, at least": (lambda: db.CategoricalNB(min_categories=12), codes),
    "multinomial": (db.MultinomialNB, codes),
    "complement": (db.ComplementNB, codes),
    "bernoulli": (db.BernoulliNB, codes),
    "tan": (lambda: db.TAN(columns=PLAIN, temperature=1.0), table),
    "aode": (lambda: db.AODE(columns=PLAIN, weights=None, temperature=1.0), table),
    "kdb": (lambda: db.KDB(columns=PLAIN, structure=CHAINS), table),
    "discriminant": (lambda: db.Discriminant(columns=MIXED, structure=SCORES), table),
    "forest": (lambda: db.CountForest(columns=PLAIN, structure=TREES), table),
    "net": (
        lambda: db.BayesNetClassifier([("class", "sky"), ("sky", "wind")], columns=PLAIN, temperature=1.0),
        table,
    ),
    "text": (lambda: db.TextNB(temperature=None), documents),
    "text in a column": (
        lambda: db.NaiveBayes(columns={"words": db.Text()}, weights=None),
        lambda rows: {"words": documents(rows)},
    ),
}

ROW = st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 9), st.sampled_from("abc"))


@pytest.mark.parametrize("name", MODELS)
@given(kept=st.lists(ROW, min_size=6, max_size=14), gone=st.lists(ROW, min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_what_is_forgotten_was_never_there(name, kept, gone):
    make, form = MODELS[name]
    kept = [(*row[:3], "ab"[i % 2]) for i, row in enumerate(kept)]
    gone = [*gone, (3, 2, 9, "z")]
    both = make().fit(form(kept + gone), [row[3] for row in kept + gone])
    left = both.forget(form(gone), [row[3] for row in gone])
    fresh = make().fit(form(kept), [row[3] for row in kept])
    assert left.classes_.tolist() == fresh.classes_.tolist() == ["a", "b"]
    assert left.tally_ == fresh.tally_
    asked = form(kept + gone)
    np.testing.assert_allclose(left.predict_proba(asked), fresh.predict_proba(asked), rtol=1e-9, atol=1e-12)
    assert left.predict(asked).tolist() == fresh.predict(asked).tolist()


@given(kept=st.lists(ROW, min_size=3, max_size=14), gone=st.lists(ROW, min_size=1, max_size=8))
@settings(max_examples=25, deadline=None)
def test_a_net_forgets_states(kept, gone):
    gone = [*gone, (3, 2, 9, "z")]
    kept = [(row[0] % 3, *row[1:]) for row in kept]
    net = db.BayesNet([("sky", "wind"), ("sky", "label")])

    def rows(held):
        return {"sky": [SKIES[r[0]] for r in held], "wind": [WINDS[r[1]] for r in held], "label": [r[3] for r in held]}

    left, fresh = net.fit(rows(kept + gone)).forget(rows(gone)), db.BayesNet(net.dag).fit(rows(kept))
    assert left.tally_ == fresh.tally_
    assert left.states == fresh.states
    assert left.marginals()["label"] == fresh.marginals()["label"]


def test_declared_classes_stay():
    X, y = [[1.0], [2.0], [5.0], [6.0]], ["a", "a", "b", "b"]
    model = db.GaussianNB().partial_fit(X, y, classes=["a", "b", "c"])
    model.partial_fit([[9.0]], ["d"]).forget(X[2:], y[2:]).forget([[9.0]], ["d"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.predict_proba([[1.0]]).tolist() == [[1.0, 0.0, 0.0]]
    other = db.GaussianNB().partial_fit([[3.0], [3.5]], ["a", "e"], classes=["a", "e"])
    assert model.merge(other).forget([[3.5]], ["e"]).classes_.tolist() == ["a", "b", "c", "e"]


def test_a_class_without_weight_counts_as_forgotten():
    X, y = [[1.0], [2.0], [5.0], [6.0]], ["a", "a", "b", "b"]
    model = db.GaussianNB().fit(X, y, sample_weight=[1.0, 1.0, 0.0, 2.0])
    assert model.forget([[6.0]], ["b"], sample_weight=[2.0]).classes_.tolist() == ["a"]


def test_declared_classes_are_in_the_file(tmp_path):
    model = db.GaussianNB().partial_fit([[1.0], [2.0], [9.0]], ["a", "a", "b"], classes=["a", "b", "c"])
    db.save(model, tmp_path / "model")
    assert db.load(tmp_path / "model").forget([[9.0]], ["b"]).classes_.tolist() == ["a", "b", "c"]
