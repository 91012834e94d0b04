"""Answers of nets against pgmpy's and pyAgrum's, on the chest clinic and on ALARM.

Known differences: pgmpy gives a posterior for evidence that is impossible; pyAgrum reads numbers of files as 32-bit
floats, so its net is made of our tables here.
"""

import warnings

import numpy as np
import pytest

import deciban as db
from deciban.errors import ImpossibleEvidenceError
from tests.nets.inference.brute import asia

CASES = [{}, {"xray": "yes"}, {"asia": "yes", "xray": "yes"}, {"dysp": "yes", "smoke": "no", "xray": "no"}]


def with_pgmpy(net):
    """The same net in pgmpy, and its elimination."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        models = pytest.importorskip("pgmpy.models", reason="pgmpy is not installed")
        factors = pytest.importorskip("pgmpy.factors.discrete")
        inference = pytest.importorskip("pgmpy.inference")
    model = models.DiscreteBayesianNetwork(net.dag.directed_edges)
    for node, table in zip(net.nodes, net.network.factors, strict=True):
        parents = list(net.parents[node])
        columns = table.reshape(-1, table.shape[-1]).T
        names = {other: list(map(str, net.states[other])) for other in (node, *parents)}
        cards = [len(net.states[up]) for up in parents]
        model.add_cpds(factors.TabularCPD(node, len(net.states[node]), columns, parents, cards, state_names=names))
    return inference.VariableElimination(model)


def with_agrum(net):
    """The same net in pyAgrum, and its lazy propagation."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gum = pytest.importorskip("pyagrum", reason="pyAgrum is not installed")
    made = gum.BayesNet()
    for node in net.nodes:
        made.add(gum.LabelizedVariable(node, node, list(net.states[node])))
    for a, b in net.dag.directed_edges:
        made.addArc(a, b)
    for node, table in zip(net.nodes, net.network.factors, strict=True):
        axes = [*net.parents[node], node]
        order = [axes.index(name) for name in reversed(made.cpt(node).names)]
        made.cpt(node).fillWith(table.transpose(order).ravel().tolist())
    return gum.LazyPropagation(made)


@pytest.mark.parametrize("seen", CASES, ids=str)
def test_the_clinic_as_in_pgmpy(seen):
    net = asia()
    peer = with_pgmpy(net)
    for node in (node for node in net.nodes if node not in seen):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = peer.query([node], evidence=seen, show_progress=False)
        assert np.abs(net.query(node, seen).as_array() - wanted.values).max() < 1e-12


@pytest.mark.parametrize("seen", CASES, ids=str)
def test_the_clinic_as_in_pyagrum(seen):
    net = asia()
    peer = with_agrum(net)
    peer.setEvidence(seen)
    assert net.probability(seen) == pytest.approx(peer.evidenceProbability(), rel=1e-12)
    for node, held in net.marginals(seen).items():
        assert np.abs(held.as_array() - peer.posterior(node).toarray()).max() < 1e-12


def test_alarm_as_in_pyagrum(shared_data):
    net = db.read_net(shared_data / "nets" / "alarm.bif.gz")
    peer = with_agrum(net)
    seen = {"HRBP": "HIGH", "CVP": "LOW"}
    peer.setEvidence(seen)
    for node, held in net.marginals(seen).items():
        assert np.abs(held.as_array() - peer.posterior(node).toarray()).max() < 1e-12


def test_impossible_evidence_is_an_error_here():
    with pytest.raises(ImpossibleEvidenceError):
        asia().query("lung", {"tub": "yes", "either": "no"})
