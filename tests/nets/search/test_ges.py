"""Greedy equivalence search finds the class of a large sample."""

import pytest

import deciban as db
from tests.nets.named_graphs import SPRINKLER
from tests.nets.search.samples import sampled


@pytest.mark.parametrize("name", ["bic", "bdeu"])  # K2 scores the graphs of a class differently
def test_ges_finds_the_class_of_a_large_sample(name):
    table = sampled(SPRINKLER, 20000, 3)
    assert db.search(table, name, method="ges").graph == SPRINKLER.cpdag()
