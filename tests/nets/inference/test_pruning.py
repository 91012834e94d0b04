"""Tables that a question does not need are not touched; those that it needs are never left out."""

import pytest

from deciban.nets.inference.evidence import Findings
from deciban.nets.inference.queries import may_vanish, needed_factors, needed_nodes, parts
from tests.nets.inference.brute import asia


def names(network, mask):
    return set(network.dag._names(mask))


def test_barren_nodes_go():
    network = asia().network
    assert names(network, needed_nodes(network, network.dag._mask("lung"))) == {"smoke", "lung"}
    assert names(network, needed_nodes(network, network.dag._mask(["lung", "xray"]))) == set(network.nodes) - {
        "bronc",
        "dysp",
    }


def test_what_the_evidence_cuts_off_is_kept_apart():
    network = asia().network
    target, smoke = network.dag._mask("bronc"), network.dag.index("smoke")
    near, far = parts(needed_factors(network, target, Findings({smoke: 0, network.dag.index("xray"): 0})), target)
    assert [factor.scope for factor in near] == [(network.dag.index("bronc"),)]
    assert len(far) == 6 and may_vanish(far) == far, "either has zeros, so this evidence could be impossible"
    assert may_vanish(near) == []


def test_a_question_on_one_side_costs_nothing_of_the_other():
    net = asia()
    assert net.cost("bronc", {"smoke": "yes"}).cells == 0
    assert net.query("bronc", {"smoke": "yes", "xray": "yes"})["yes"] == pytest.approx(0.6)
