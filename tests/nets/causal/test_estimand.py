"""A formula is a value: compared, asked what it needs, and evaluated where that is there."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError, UnknownNodeError
from tests.nets.causal.models import random_net

FOUND = db.identify(db.DAG([("z", "x"), ("z", "y"), ("x", "y"), ("y", "late")]), cause="x", effect="y")


def test_equal_formulas_are_equal():
    again = db.identify(db.DAG([("z", "x"), ("z", "y"), ("x", "y"), ("y", "late")]), cause="x", effect="y")
    assert FOUND.estimand == again.estimand
    assert len({FOUND.estimand, again.estimand}) == 1


def test_a_net_without_what_the_formula_needs_is_refused():
    with pytest.raises(UnknownNodeError, match="the formula needs 'z'"):
        FOUND.evaluate(random_net(np.random.default_rng(0), db.DAG([("x", "y")])))


def test_a_net_may_have_more_or_fewer_nodes_than_the_graph():
    net = random_net(np.random.default_rng(0), db.DAG([("z", "x"), ("z", "y"), ("x", "y"), ("y", "more")]))
    assert len(FOUND.evaluate(net)) == len(net.states["x"])


@pytest.mark.parametrize("draws", [-1, 1.5, True, "many"])
def test_draws_are_a_number(draws):
    with pytest.raises(ParameterError, match="bootstrap is a number of samples"):
        FOUND.estimate({}, bootstrap=draws)
