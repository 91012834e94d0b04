"""Greedy equivalence search that asks a graph instead of a sample finds exactly its class."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ParameterError
from tests.nets.named_graphs import ASIA, dags, random_dag, read_structure
from tests.nets.search.samples import oracle


@settings(max_examples=60, deadline=None)
@given(dags(min_nodes=1, max_nodes=6))
def test_ges_asking_a_graph_gives_its_class(dag):
    assert db.search(oracle(dag), method="ges").graph == dag.cpdag()


@settings(max_examples=8, deadline=None)
@given(st.integers(10, 30), st.sampled_from([0.7, 1.0, 1.4]), st.integers(0, 1000))
def test_ges_asking_a_larger_graph_gives_its_class(count, density, seed):
    dag = random_dag(np.random.default_rng(seed), count, density)
    assert db.search(oracle(dag), method="ges").graph == dag.cpdag()


@pytest.mark.parametrize(
    "name",
    "alarm andes asia barley cancer child diabetes earthquake hailfinder hepar2 insurance mildew munin1 pathfinder "
    "pigs sachs survey water win95pts".split(),
)
def test_ges_asking_a_published_network_gives_its_class(shared_data, name):
    dag = read_structure(shared_data / "nets" / f"{name}.bif.gz")
    assert db.search(oracle(dag), method="ges").graph == dag.cpdag()


def test_what_an_oracle_cannot_answer_is_said():
    with pytest.raises(ParameterError, match="not scores"):
        db.search(oracle(ASIA), method="hc")
