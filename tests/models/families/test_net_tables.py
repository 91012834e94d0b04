"""The posterior of a class is the product of the tables in its Markov blanket, by hand."""

import numpy as np
import pytest

import deciban as db

GRAPH = db.DAG([("c", "a"), ("c", "b"), ("a", "b")])
A, B, C = list("001101"), list("xyxyxx"), list("nnnyyy")


def product(label):
    """P(label)·P(a=1 | label)·P(b=x | a=1, label), by counting rows."""
    own = [(a, b) for a, b, c in zip(A, B, C, strict=True) if c == label]
    ones = [b for a, b in own if a == "1"]
    return len(own) / len(C) * len(ones) / len(own) * ones.count("x") / len(ones)


def test_the_product_of_counted_tables():
    model = db.BayesNetClassifier(GRAPH, target="c", smoothing=db.MLE(), strength=0, temperature=1.0).fit(
        {"a": A, "b": B}, C
    )
    found = model.predict_proba({"a": ["1"], "b": ["x"]})[0]
    assert found == pytest.approx(np.array([product("n"), product("y")]) / (product("n") + product("y")))


def test_evidence_sums_to_the_joint():
    model = db.BayesNetClassifier(GRAPH, target="c", strength=1.0, temperature=1.0).fit({"a": A, "b": B}, C)
    rows = {"a": ["0", "1", None], "b": ["x", None, None]}
    np.testing.assert_allclose(model.evidence(rows).joint, model.predict_joint_log_proba(rows), rtol=1e-9)
