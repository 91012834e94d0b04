"""The exact search is the best of all graphs, and refuses what it cannot go through."""

import numpy as np
import pandas as pd
import pytest

import deciban as db
from deciban.errors import ParameterError
from tests.nets.named_graphs import all_dags, random_dag
from tests.nets.search.samples import METHODS, SCORES, sampled


@pytest.mark.parametrize("name", SCORES)
def test_exact_is_the_best_of_all_graphs(name):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        table = sampled(random_dag(rng, 4, 1.2), 60, seed)
        local = SCORES[name].on(table)
        best = max(float(local.local(list(enumerate(dag._parent_masks))).sum()) for dag in all_dags(4))
        found = db.search(table, name, method="exact")
        assert found.score == pytest.approx(best, abs=1e-8)
        assert local.local(list(enumerate(found.graph._parent_masks))).sum() == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("name", [*SCORES, "gaussian_bic"])
def test_no_search_beats_the_exact_one(name):
    table = sampled(random_dag(np.random.default_rng(1), 7, 1.5), 300, 1)
    best = db.search(table, name, method="exact").score
    for method in METHODS:
        assert db.search(table, name, method=method).score <= best + 1e-7


def test_too_many_variables_for_an_exact_search_are_said():
    with pytest.raises(ParameterError, match="exact search over 30 variables would need 128"):
        db.search(pd.DataFrame(np.zeros((3, 30), dtype=int)), method="exact")
