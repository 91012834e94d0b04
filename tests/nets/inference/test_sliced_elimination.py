"""What answers where the clique tree is too large gives what going through every outcome gives."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deciban.nets.inference.elimination import SlicedElimination
from tests.nets.inference.brute import asia, joint, nets


@st.composite
def cases(draw):
    """A net, rows of codes with gaps, and likelihoods of one node for each row."""
    net = draw(nets())
    count = draw(st.integers(1, 5))
    rows = np.array([[draw(st.integers(-1, card - 1)) for card in net.network.cards] for _ in range(count)])
    heard = draw(st.integers(0, len(net.nodes) - 1))
    weights = np.array(
        [[draw(st.sampled_from([0.0, 0.5, 2.0])) for _ in range(net.network.cards[heard])] for _ in rows]
    )
    return net, rows, draw(st.sampled_from([None, {heard: weights}]))


def whole(net, row, weights):
    """P(x, row) for every outcome."""
    table = joint(net)
    for axis, code in enumerate(row):
        if code >= 0:
            keep = np.zeros(table.shape[axis])
            keep[code] = 1
            table = table * keep.reshape([-1 if other == axis else 1 for other in range(table.ndim)])
    for axis, held in (weights or {}).items():
        table = table * held.reshape([-1 if other == axis else 1 for other in range(table.ndim)])
    return table


@settings(max_examples=150)
@given(cases())
def test_all_answers_are_those_of_the_whole_table(case):
    net, rows, soft = case
    tree = SlicedElimination(net.network)
    logs, beliefs = tree.marginals(rows, soft)
    best, best_logs = tree.best(rows, soft)
    assert np.array_equal(logs, tree.log_probability(rows, soft))
    for number, row in enumerate(rows):
        table = whole(net, row, soft and {node: held[number] for node, held in soft.items()})
        total = table.sum()
        if total == 0:
            assert np.isneginf(logs[number]) and np.isneginf(best_logs[number]) and not beliefs[number].any()
            continue
        assert np.exp(logs[number]) == pytest.approx(total, rel=1e-12)
        wanted = [
            table.sum(axis=tuple(a for a in range(table.ndim) if a != axis)) / total for axis in range(table.ndim)
        ]
        assert np.abs(beliefs[number] - np.concatenate(wanted)).max() < 1e-12
        assert np.exp(best_logs[number]) == pytest.approx(table.max(), rel=1e-12)
        assert table[tuple(best[number])] == pytest.approx(table.max(), rel=1e-12)


def test_many_rows_are_done_in_parts(monkeypatch):
    monkeypatch.setattr("deciban.nets.inference.elimination._CELLS", 16)
    net, rng = asia(), np.random.default_rng(0)
    rows = rng.integers(-1, 2, (200, 8))
    whole_logs, _ = SlicedElimination(net.network).marginals(rows)
    one_by_one = [SlicedElimination(net.network).marginals(row[None])[0][0] for row in rows[:20]]
    assert np.allclose(whole_logs[:20], one_by_one, rtol=1e-14)
