"""What an identification says, and how it says no."""

import pickle

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputTypeError, NotIdentifiedError
from tests.nets.causal.models import random_net

SMOKING = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")])


def test_every_method_that_works_has_a_formula():
    found = db.identify(db.DAG([("u", "x"), ("u", "y"), ("x", "z"), ("z", "y")]), cause="x", effect="y")
    assert {method: one.formula for method, one in found.estimands.items()} == {
        "adjustment": "Σ_u P(y | x, u) P(u)",
        "front-door": "Σ_z P(z | x) Σ_x′ P(y | x′, z) P(x′)",
        "id": "Σ_{u, z} P(u) P(y | u, z) P(z | x)",
    }
    assert str(found).endswith("by adjustment for {u}")


def test_no_path_no_effect():
    found = db.identify(db.DAG([("y", "x")]), cause="x", effect="y", confounded=[("x", "y")])
    assert (found.method, found.estimand.formula) == ("no effect", "P(y)")
    assert str(found).endswith("no directed path leads from cause to effect")


def test_no_is_explained():
    found = db.identify(SMOKING, cause="smoking", effect="cancer", latent="gene")
    assert not found and found.method is None
    assert found.hedge == ({"cancer"}, {"smoking", "cancer"})
    assert str(found) == found.why == found._repr_html_()
    assert "smoking ↔ cancer" in found.why
    for ask in (lambda: found.estimand, lambda: found.evaluate(None), lambda: found.estimate({})):
        with pytest.raises(NotIdentifiedError, match="is not identified"):
            ask()


def test_yes_has_no_why():
    assert db.identify(SMOKING, cause="smoking", effect="cancer").why == ""
    assert db.identify(SMOKING, cause="smoking", effect="cancer").hedge is None


def test_a_table_is_estimated_and_a_net_evaluated():
    found = db.identify(SMOKING, cause="smoking", effect="cancer")
    with pytest.raises(InputTypeError, match=r"use estimate\(data\)"):
        found.evaluate({"smoking": [0], "cancer": [1], "gene": [0]})
    net = random_net(np.random.default_rng(0), SMOKING)
    assert found.evaluate(net.network)[0] == found.evaluate(net)[0] == db.effect(
        net, SMOKING, effect="cancer", cause="smoking"
    )[0]  # fmt: skip


def test_what_the_formula_does_not_name_need_not_be_in_the_data():
    g = db.DAG([("z", "x"), ("z", "y"), ("x", "y"), ("x", "late")])
    assert db.identify(g, cause="x", effect="y").estimand.variables == {"x", "y", "z"}


def test_within_strata_adjustment_keeps_to_what_is_before_the_cause():
    g = db.DAG([("w", "x"), ("w", "y"), ("z", "x"), ("z", "y"), ("x", "y"), ("x", "m")])
    found = db.identify(g, cause="x", effect="y", given="w")
    assert found.estimand.formula == "Σ_z P(y | x, w, z) P(z | w)"
    assert found.adjust_for("z") == found.estimand
    with pytest.raises(NotIdentifiedError):
        found.adjust_for(["z", "m"])


def test_an_identification_is_equal_to_its_copy():
    graph = db.DAG([("gene", "smoking"), ("gene", "cancer"), ("smoking", "cancer")])
    found, hidden = (db.identify(graph, cause="smoking", effect="cancer", latent=latent) for latent in ((), "gene"))
    assert pickle.loads(pickle.dumps(found)) == found != hidden and len({found, hidden}) == 2  # noqa: S301  our own
