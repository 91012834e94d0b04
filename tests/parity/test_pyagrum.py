"""Beliefs are pyAgrum's, to the last digits, on a real net with evidence.

Known differences: pyAgrum's reader of BIF files keeps float32, so the net is built from deciban's own numbers.
"""

import numpy as np
import pytest

from benchmarks.inference.agrum import Agrum
from deciban.nets.inference.clique_tree import CliqueTree
from tests.nets.inference.networks import real

pytest.importorskip("pyagrum", reason="pyAgrum is not installed")


@pytest.mark.parametrize("name", ["alarm", "hailfinder", "win95pts"])
def test_beliefs_after_evidence(name):
    net = real(name)
    network, rows = net.network, net.sample(3, random_state=1, as_="codes")
    rows = np.where(np.random.default_rng(2).random(rows.shape) < 0.2, rows, -1)
    beliefs = CliqueTree.compile(network).marginals(rows)[1]
    peer = Agrum(network)
    for row, found in zip(rows, beliefs, strict=True):
        wanted = np.concatenate([belief.toarray() for belief in peer.posteriors(row)])
        np.testing.assert_allclose(found, wanted, atol=1e-12)
