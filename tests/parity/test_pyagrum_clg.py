"""Numbers given numbers, against pyAgrum's CLG, which has nets of Gaussian nodes without categories.

Its canonical forms invert covariances, so the nets here have variances of about 1.
"""

import numpy as np
import pytest

from deciban.nets.inference.mixed_queries import MixedQueries
from tests.reference.mixed import random_network

clg = pytest.importorskip("pyagrum.clg", reason="pyAgrum is not installed", exc_type=ImportError)


def as_clg(net):
    """The same net in pyAgrum, whose nodes have the mean of their noise and its standard deviation."""
    model = clg.CLG()
    for node in net.numbers:
        own = net.regressions[node]
        model.add(clg.GaussianVariable(node, float(own.intercepts), float(np.sqrt(own.variances))))
    for node in net.numbers:
        own = net.regressions[node]
        for parent, slope in zip(own.numbers, own.slopes, strict=True):
            model.addArc(parent, node, float(slope))
    return model


@pytest.mark.parametrize("seed", range(8))
def test_posteriors_of_gaussian_nets_are_those_of_pyagrum(seed):
    rng = np.random.default_rng(seed)
    net = random_network(rng, 0, 7, density=0.5, variances=(0.5, 2.0))
    queries = MixedQueries(net)
    values = {node: float(rng.normal()) for node in net.numbers[::3]}
    engine = clg.CLGVariableElimination(as_clg(net))
    engine.updateEvidence(values)
    for node in net.numbers:
        if node not in values:
            theirs, ours = engine.posterior(node), queries.posterior(node, queries.read(values))
            assert ours.mean == pytest.approx(theirs.mu(), abs=1e-9)
            assert ours.sd == pytest.approx(theirs.sigma(), abs=1e-9)
