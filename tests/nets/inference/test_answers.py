"""The functions behind the methods of a net: they take a ``Network`` and give the same answers."""

import pytest

from deciban import BayesNet
from deciban.errors import ParameterError
from deciban.nets.inference.evidence import read_findings
from deciban.nets.inference.queries import cost_of, most_probable_explanation, most_probable_states, posterior
from tests.nets.inference.networks import asia


def test_functions_of_a_network_answer_as_the_net_does():
    net, evidence = BayesNet.of(asia()), {"xray": "yes", "smoke": "no"}
    findings = read_findings(net.network, evidence, None)
    assert dict(posterior(net.network, "lung", findings)) == dict(net.query("lung", evidence))
    assert dict(most_probable_explanation(net.network, findings)) == dict(net.mpe(evidence))
    assert dict(most_probable_states(net.network, ["lung", "tub"], findings)) == dict(
        net.map(["lung", "tub"], evidence)
    )
    assert cost_of(net.network, None, findings) == net.cost(evidence=evidence)


def test_a_target_is_not_observed():
    net = BayesNet.of(asia())
    with pytest.raises(ParameterError, match="is a target, but it is also observed"):
        posterior(net.network, "lung", read_findings(net.network, {"lung": "yes"}, None))
