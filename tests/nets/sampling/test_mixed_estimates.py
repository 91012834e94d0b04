"""Estimates from weighted rows of nets with numbers agree with exact answers, within their standard errors."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError, ParameterError
from deciban.nets import Between, MixedNetwork, NumberEstimate, Regressions

NET = db.BayesNet.of(
    MixedNetwork(
        db.DAG([("sex", "height"), ("height", "weight"), ("weight", "size")]),
        {"sex": ("f", "m"), "size": ("small", "large")},
        {"sex": [0.5, 0.5], "size": [[0.9, 0.1], [0.2, 0.8]]},
        {
            "height": Regressions(("sex",), (), [165.0, 178.0], [[], []], [40.0, 50.0]),
            "weight": Regressions((), ("height",), -90.0, [0.9], 60.0),
        },
        {"size": {"weight": [70.0]}},
    )
)

EVIDENCE = [
    {},
    {"sex": "m"},
    {"weight": 82.0},
    {"weight": Between(75, 85)},
    {"size": "large", "height": Between(None, 170)},
]


@pytest.mark.parametrize("evidence", EVIDENCE)
def test_the_mean_of_a_number_is_the_exact_one(evidence):
    found, exact = NET.estimate("height", evidence, n=40_000, random_state=0), NET.query("height", evidence)
    assert isinstance(found, NumberEstimate)
    assert found.mean == pytest.approx(exact.mean, abs=5 * found.standard_error)
    assert found.sd == pytest.approx(exact.sd, rel=0.05)
    for p in (0.1, 0.5, 0.9):
        assert exact.cdf(found.quantile(p)) == pytest.approx(p, abs=0.02)
    assert found.cdf(exact.mean) + found.sf(exact.mean) == pytest.approx(1)


@pytest.mark.parametrize("evidence", EVIDENCE[2:])
def test_the_probability_of_the_evidence_is_that_of_the_weights(evidence):
    drawn = NET.sample_weighted(40_000, evidence, random_state=1)
    assert drawn.log_probability == pytest.approx(NET.log_probability(evidence), abs=0.03)


def test_rows_given_an_interval_lie_in_it():
    drawn = NET.sample_weighted(1000, {"height": Between(180, 190)}, random_state=0, as_="codes")
    heights = np.asarray(drawn.rows)[:, NET.nodes.index("height")]
    assert ((heights > 180) & (heights <= 190)).all()


def test_rows_without_weights_need_values_and_states():
    with pytest.raises(InputError, match="sample_weighted"):
        NET.sample(10, evidence={"height": Between(180, 190)})
    with pytest.raises(ParameterError, match="between 0 and 1"):
        NET.estimate("height", n=10, random_state=0).quantile(2)


def test_questions_and_beliefs_of_a_net_with_numbers():
    assert NET.ask("P(height > 180)") == pytest.approx(NET.query("height").sf(180))
    assert NET.ask("P(sex=m | height > 180)") == pytest.approx(NET.query("sex", {"height": Between(180, None)})["m"])
    held = NET.beliefs({"size": "large"})
    assert held["weight"].mean > held.prior["weight"].mean
    assert "<polygon" in NET._repr_html_()
