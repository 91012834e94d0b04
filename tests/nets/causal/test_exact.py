"""Sums over a net's tables are those over its whole joint table."""

import numpy as np
import pytest

from deciban.errors import TooLargeError
from deciban.nets.causal import exact
from deciban.nets.causal.exact import marginal
from tests.nets.causal.models import joint, random_net
from tests.nets.graphs import random_dag


def test_marginals_are_those_of_the_joint():
    rng = np.random.default_rng(0)
    for _ in range(40):
        net = random_net(rng, random_dag(rng, 7, 1.5))
        kept = [int(node) for node in rng.permutation(7)[: rng.integers(0, 5)]]
        whole = joint(net)
        right = np.einsum(whole, range(7), kept)
        assert marginal(net.network, kept) == pytest.approx(right, abs=1e-14)


def test_what_is_too_large_is_refused_before_it_is_made(monkeypatch):
    rng = np.random.default_rng(0)
    net = random_net(rng, random_dag(rng, 6, 1.0))
    monkeypatch.setattr(exact, "MOST_CELLS", 10)
    with pytest.raises(TooLargeError, match="cells; at most 10 fit"):
        marginal(net.network, net.nodes)
