"""The order of columns and rows changes no graph."""

import numpy as np
import pytest

import deciban as db
from tests.nets.named_graphs import random_dag
from tests.nets.search.samples import METHODS, SCORES, sampled


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", [*SCORES, "gaussian_bic"])
def test_the_order_of_columns_and_rows_changes_nothing(method, name):
    table = sampled(random_dag(np.random.default_rng(5), 8, 1.3), 400, 5)
    table["copy"] = table["3"]  # ties everywhere
    first = db.search(table, name, method=method)
    for seed in range(3):
        columns = np.random.default_rng(seed).permutation(table.columns)
        again = db.search(table[columns].sample(frac=1, random_state=seed), name, method=method)
        assert again.graph == first.graph
        assert again.score == pytest.approx(first.score, rel=1e-12)
