"""A reader of a net wants to know which arrows matter: a parent that changes nothing has strength 0."""

import numpy as np
import pytest

import deciban as db
from deciban.nets.inference.information import mutual_information
from tests.nets.inference.networks import asia


def chain():
    return db.BayesNet.from_tables(
        [("a", "b"), ("c", "b")],
        {"a": (0, 1), "b": (0, 1), "c": (0, 1)},
        {"a": [0.3, 0.7], "c": [0.5, 0.5], "b": [[[0.9, 0.1], [0.9, 0.1]], [[0.2, 0.8], [0.2, 0.8]]]},
        parents={"b": ("a", "c")},
    )


def test_a_parent_without_influence_has_no_strength():
    found = chain().arrow_strengths()
    assert found["c", "b"].nats == pytest.approx(0, abs=1e-12) and found["c", "b"].share == pytest.approx(0, abs=1e-12)
    assert list(found) == [("a", "b"), ("c", "b")], "the strongest first"


def test_an_only_parent_has_its_mutual_information():
    net = db.BayesNet.of(asia())
    found = net.arrow_strengths()
    assert set(found) == set(net.dag.directed_edges)
    joint = net.query(["smoke", "lung"]).array
    assert found["smoke", "lung"].nats == pytest.approx(mutual_information(joint), rel=1e-9)
    assert found["smoke", "lung"].share == pytest.approx(found["smoke", "lung"].bits / net.query("lung").entropy)


def test_given_the_other_parents_it_is_the_conditional_mutual_information():
    net = db.BayesNet.of(asia())
    joint = net.query(["bronc", "either", "dysp"]).array
    total = sum(mutual_information(joint[:, k] / joint[:, k].sum()) * joint[:, k].sum() for k in range(2))
    assert net.arrow_strengths()["bronc", "dysp"].nats == pytest.approx(total, rel=1e-9)


def test_normal_variables_have_their_squared_partial_correlation():
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=(2, 500))
    data = {"a": a, "c": c, "b": a + 0.5 * c + rng.normal(size=500), "d": 2 * a}
    net = db.GaussianNet([("a", "b"), ("c", "b"), ("a", "d")]).fit(data)
    found = net.arrow_strengths()
    b, v = net.parameters["b"], net.parameters["a"].variance
    explained = b.coefficients["a"] ** 2 * v  # a and c are independent in the net
    share = explained / (explained + b.variance)
    assert found["a", "b"].share == pytest.approx(share)
    assert found["a", "b"].nats == pytest.approx(-np.log(1 - share) / 2)
    assert found["a", "d"].share == 1 and found["a", "d"].nats == np.inf and next(iter(found)) == ("a", "d")


def test_it_shows_itself():
    found = db.BayesNet.of(asia()).arrow_strengths()
    assert repr(found).startswith("ArrowStrengths(8 arrows, strongest ")
    assert len(str(found).splitlines()) == 8 and str(found).splitlines()[0].endswith("%")
    assert repr(db.BayesNet.from_tables([], {}, {}).arrow_strengths()) == "ArrowStrengths(0 arrows)"
