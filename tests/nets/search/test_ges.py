"""Greedy equivalence search makes the steps of its twin, and finds the class of a large sample."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.nets.search.climbing import scale_of
from deciban.nets.search.rules import Rules
from deciban.nets.search.search import in_data_order
from tests.nets.named_graphs import SPRINKLER, random_dag
from tests.nets.search.samples import KINDS, Own, sampled, small_table, some_knowledge
from tests.reference.equivalence_search import equivalence_search


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(KINDS), st.booleans(), st.sampled_from([None, 1, 2]), st.data())
def test_ges_makes_the_steps_of_its_twin(seed, score, is_own, most, data):
    table = small_table(seed, score)
    scores = in_data_order(score.on(table))
    names = scores.names
    knowledge = some_knowledge(names, data) if data.draw(st.booleans()) else None
    rules = Rules.of(names, knowledge, most)

    def gain(y, x, parents):
        before, after = scores.local([(y, parents), (y, parents | 1 << x)])
        return after - before

    up, free, steps = equivalence_search(gain, scale_of(scores), rules)
    found = db.search(table, Own(score) if is_own else score, method="ges", knowledge=knowledge, max_parents=most)
    kinds = [(one.kind, one.child, one.parent, set(one.moved)) for one in found.moves]
    assert kinds == [
        (kind, names[y], names[x], {name for i, name in enumerate(names) if part >> i & 1})
        for kind, y, x, part, _ in steps
    ]
    np.testing.assert_allclose([one.gain for one in found.moves], [step.gain for step in steps], rtol=1e-6, atol=1e-7)
    graph = found.graph._reordered(names)
    assert [*graph._parent_masks] == up and [*graph._neighbour_masks] == free


@pytest.mark.parametrize("name", ["bic", "bdeu"])  # K2 scores the graphs of a class differently
def test_ges_finds_the_class_of_a_large_sample(name):
    table = sampled(SPRINKLER, 20000, 3)
    assert db.search(table, name, method="ges").graph == SPRINKLER.cpdag()


def test_threads_change_nothing(any_threads):
    rng = np.random.default_rng(2)
    numbers = pd.DataFrame(rng.normal(size=(100, 30)) @ (np.eye(30) + 0.3 * (rng.random((30, 30)) < 0.1)))
    for table in (numbers, sampled(random_dag(rng, 30, 2), 300, 2)):
        results = []
        for threads in (1, 2, 7):
            any_threads(threads)
            found = db.search(table)
            results.append((found.graph, found.moves, found.score))
        assert results[0] == results[1] == results[2]
