"""Laws of acting: what a graph lets one tell from observations is what acting would show."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import deciban as db
from deciban.errors import ImpossibleEvidenceError
from tests.nets.causal.models import joint, random_model, random_net, table_of, truth

SEEDS = st.integers(0, 2**32 - 1)


def question(rng, observed, most_given=1):
    """Causes, effects and strata, none of them twice; None where there are too few nodes."""
    sizes = rng.integers(1, 3), rng.integers(1, 3), rng.integers(0, most_given + 1)
    nodes = [int(node) for node in rng.permutation(observed)]
    if sum(sizes) > len(nodes):
        return None
    ends = np.cumsum([0, *sizes])
    return tuple(nodes[a:b] for a, b in pairwise(ends))


@given(SEEDS)
@settings(max_examples=300)
def test_whatever_is_identified_is_the_truth(seed):
    """Random graphs, hidden nodes and tables: every formula, on the observed part, gives the whole model's effect."""
    rng = np.random.default_rng(seed)
    dag, latent = random_model(rng, int(rng.integers(2, 6)), int(rng.integers(0, 4)), rng.uniform(0.7, 2))
    asked = question(rng, [node for node in dag.nodes if node not in latent])
    if asked is None:
        return
    x, y, w = asked
    found = db.identify(dag, cause=x, effect=y, given=w, latent=latent)
    net = random_net(rng, dag)
    for method, estimand in found.estimands.items():
        assert not estimand.variables & set(latent)
        assert table_of(estimand.evaluate(net)) == pytest.approx(truth(net, y, x, w), abs=1e-12), method


@given(SEEDS)
def test_doing_is_the_truth_of_an_identified_effect(seed):
    """``net.do`` and ``identify`` agree, state by state."""
    rng = np.random.default_rng(seed)
    dag, _ = random_model(rng, 5, 0)
    net, (x, y) = random_net(rng, dag), map(int, rng.permutation(5)[:2])
    found = db.effect(net, dag, effect=y, cause=x)
    for state in net.states[x]:
        acted = joint(net.do({x: state}))
        assert list(found[state].values()) == pytest.approx(np.einsum(acted, range(5), [y]), abs=1e-12)


@given(SEEDS)
def test_doing_what_has_no_causes_is_seeing_it(seed):
    rng = np.random.default_rng(seed)
    dag, _ = random_model(rng, 5, 0)
    net = random_net(rng, dag)
    root = next(node for node in dag.topological_order())
    seen = np.moveaxis(joint(net), root, 0)[1]
    done = np.moveaxis(joint(net.do({root: 1})), root, 0)[1]
    assert done == pytest.approx(seen / seen.sum(), abs=1e-12)


@given(SEEDS)
def test_where_something_never_happens_an_answer_is_right_or_there_is_none(seed):
    """With zeros in the tables, what rests on what never occurs has no value; everything else is the truth."""
    rng = np.random.default_rng(seed)
    dag, latent = random_model(rng, 4, 1)
    x, y = (int(node) for node in rng.permutation([node for node in dag.nodes if node not in latent])[:2])
    found = db.identify(dag, cause=x, effect=y, latent=latent)
    if not found:
        return
    net = random_net(rng, dag, zeros=True)
    effect, right = found.evaluate(net), truth(net, [y], [x])
    for place, state in enumerate(net.states[x]):
        if state in list(effect):
            assert list(effect[state].values()) == pytest.approx(right[place], abs=1e-12)
        else:
            assert effect.unsupported or found.method == "id"
            with pytest.raises(ImpossibleEvidenceError):
                effect[state]


@given(SEEDS)
def test_counts_in_proportion_to_a_net_give_its_effect(seed):
    """Estimating from a table is evaluating on the distribution that the table has."""
    rng = np.random.default_rng(seed)
    dag, _ = random_model(rng, 4, 0)
    net = random_net(rng, dag, (2, 2))
    table = joint(net)
    cells = np.array(list(np.ndindex(table.shape)))
    rows = {str(node): cells[:, node] for node in dag.nodes}
    x, y = map(int, rng.permutation(4)[:2])
    found = db.identify(dag, cause=x, effect=y)
    got = found.estimate(rows, sample_weight=table.ravel() * 1000, bootstrap=0)
    assert table_of(got) == pytest.approx(table_of(found.evaluate(net)), abs=1e-12)
