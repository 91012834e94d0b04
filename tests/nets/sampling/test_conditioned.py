"""The net that evidence gives is P(all | evidence)."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.errors import ImpossibleEvidenceError, TooLargeError
from deciban.nets import DAG, Network
from deciban.nets.sampling import conditioned
from tests.nets.io.nets import networks


def joint(cards, families, tables):
    """P of every row, by multiplication."""
    rows = np.array(list(product(*map(range, cards))), dtype=np.int64)
    out = np.ones(len(rows))
    for family, table in zip(families, tables, strict=True):
        out *= table[tuple(rows[:, list(family)].T)]
    return rows, out


@given(network=networks(), data=st.data())
@settings(max_examples=100)
def test_it_is_the_joint_divided_by_the_probability_of_the_evidence(network, data):
    places = data.draw(st.sets(st.integers(0, len(network.nodes) - 1), min_size=1))
    evidence = {place: data.draw(st.integers(0, network.cards[place] - 1)) for place in places}
    rows, whole = joint(network.cards, network.families, network.factors)
    whole = np.where((rows[:, list(evidence)] == list(evidence.values())).all(axis=1), whole, 0)
    if whole.sum() < 1e-250:
        return
    net = conditioned(network, evidence, 1 << 20)
    families = [(*net.parents[net.starts[i] : net.starts[i + 1]], i) for i in range(len(network.nodes))]
    free = [i for i in range(len(network.nodes)) if i not in evidence]
    found = joint(network.cards, [families[i] for i in free], [net.tables[i] for i in free])[1]
    found = np.where(whole > 0, found, 0)
    np.testing.assert_allclose(found, whole / whole.sum(), rtol=1e-9, atol=1e-280)


def test_what_cannot_be_is_told():
    network = Network(
        DAG([("a", "b")]), {"a": (0, 1), "b": (0, 1)}, {"a": [1, 0], "b": [[1, 0], [0, 1]]}
    )  # fmt: skip
    for evidence in ({1: 1}, {0: 1}, {0: 1, 1: 1}, {0: 0, 1: 1}):
        with pytest.raises(ImpossibleEvidenceError, match=r"P\(e\) = 0"):
            conditioned(network, evidence, 1 << 20)


def test_too_large_is_told_before_memory_is_taken():
    causes = [f"cause {i}" for i in range(16)]
    dag = DAG([(cause, "effect") for cause in causes])
    states = dict.fromkeys(dag.nodes, (0, 1))
    tables = {cause: [0.5, 0.5] for cause in causes} | {"effect": np.full((2,) * 17, 0.5)}
    network = Network(dag, states, tables)
    with pytest.raises(TooLargeError, match=r" 65,536 entries .* above the limit .* sample_weighted or sample_gibbs"):
        conditioned(network, {network.dag.index("effect"): 0}, 1 << 18)
