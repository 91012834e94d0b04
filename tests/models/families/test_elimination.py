"""Missing columns are summed out exactly: the posterior is that of the Bayes net with the same tables."""

from itertools import product

import numpy as np
import pytest

import deciban as db

GRAPH = db.DAG([("c", "a"), ("c", "b"), ("a", "b"), ("b", "d"), ("s", "c")])
NAMES = ["a", "b", "d", "s"]
ROWS = np.random.default_rng(3).integers(0, 2, (300, 5)).astype(str)
TABLE, Y = dict(zip(NAMES, ROWS[:, :4].T, strict=True)), ROWS[:, 4]


@pytest.mark.parametrize("known", list(product([False, True], repeat=4)), ids=str)
def test_a_posterior_with_gaps_is_that_of_the_net(known):
    model = db.BayesNetClassifier(GRAPH, target="c", smoothing=db.MLE(), strength=0, temperature=1.0).fit(TABLE, Y)
    net = db.BayesNet(GRAPH).fit(TABLE | {"c": Y}, smoothing=db.MLE())
    for state in "01":
        values = {name: state for name, is_known in zip(NAMES, known, strict=True) if is_known}
        expected = net.query("c", values)
        found = model.predict_proba({name: [values.get(name)] for name in NAMES})[0]
        assert found == pytest.approx([expected["0"], expected["1"]], rel=1e-9)
