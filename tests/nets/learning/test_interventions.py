"""Nets that were fitted on rows in some of which nodes were set."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import NegativeCountError, ParameterError

ROWS = {"rain": ["no", "no", "yes", "yes", "no"], "wet": ["no", "no", "yes", "no", "yes"]}
SETS = ["", "", "", "wet", "wet"]


def test_a_set_node_counts_in_other_families_alone():
    net = db.BayesNet([("rain", "wet")]).fit(ROWS, interventions=SETS, smoothing=db.MLE())
    assert net.tally_["rain"].tolist() == [3, 2]
    assert net.tally_["wet"].tolist() == [[2, 0], [0, 1]]
    assert net.tally_.totals["wet"].tolist() == [2, 1]
    assert {node: counts.tolist() for node, counts in net.tally_.actions.items()} == {"wet": [1, 1]}
    assert net.tally_.rows == 5


def test_what_nodes_were_set_to_is_saved(tmp_path):
    for columns in ({}, {"rain": "number"}):
        rows = {**ROWS, "rain": [1.5, 2, 3, 5, 8]} if columns else ROWS
        net = db.BayesNet([("rain", "wet")]).fit(rows, interventions=SETS, columns=columns)
        db.save(net, tmp_path / "net")
        assert db.load(tmp_path / "net").tally_ == net.tally_


def test_regressions_leave_out_the_rows_in_which_the_node_was_set():
    rng = np.random.default_rng(5000)
    x, noise = rng.normal(size=(2, 60))
    sets = ["y"] * 20 + [None] * 40
    y = np.where(np.arange(60) < 20, 9.0, 2 * x + noise)
    net = db.GaussianNet([("x", "y")]).fit({"x": x, "y": y}, interventions=sets)
    alone = db.GaussianNet([("x", "y")]).fit({"x": x[20:], "y": y[20:]})
    assert net.parameters["y"] == alone.parameters["y"]
    assert net.parameters["x"].intercept == pytest.approx(x.mean())
    assert net.forget({"x": x[:20], "y": y[:20]}, interventions=sets[:20]).tally_["y"].weight == 40


def test_errors():
    with pytest.raises(ParameterError, match="'west', which is not a node"):
        db.BayesNet([("rain", "wet")]).fit(ROWS, interventions=["west"] * 5)
    with pytest.raises(ParameterError, match='pass missing="skip" with interventions'):
        db.BayesNet([("rain", "wet")]).fit(ROWS, interventions=SETS, missing="em")
    with pytest.raises(ParameterError, match="which is a node"):
        db.BayesNet([("rain", "wet")]).fit(ROWS, interventions="wet")
    net = db.BayesNet([("rain", "wet")]).fit(ROWS, interventions=SETS)
    with pytest.raises(NegativeCountError, match="'wet' set to 'no'"):
        net.forget({"rain": ["no"] * 2, "wet": ["no"] * 2}, interventions=["wet"] * 2)
