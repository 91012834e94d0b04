"""What a user plans by: the cost of a query, the strength of an arrow, the next observation, the entry that matters."""

from deciban.nets.inference.clique_tree import clique_tree
from tests.nets.inference.brute import asia


def test_the_cost_is_known_beforehand():
    net = asia()
    assert net.cost().cells == 46 and net.cost("lung", {"smoke": "yes"}).cliques == 0
    assert net.cost(["lung", "tub"], {"xray": "yes"}).largest <= net.cost(["lung", "tub"]).largest * 8
    assert net.cost().largest_clique == ("tub", "lung", "either")
    assert net.network._clique_tree is None, "asking for the cost compiles nothing"
    assert clique_tree(net.network) is clique_tree(net.network) is net.network._clique_tree


def test_the_analyses_of_one_net_agree():
    """A node without information about the target has no arrow strength or sensitivity either."""
    net = asia()
    about = net.information("lung", {"smoke": "yes"})
    assert about[0].node == "either" and about["asia"].bits < 1e-12
    assert net.arrow_strengths()["smoke", "lung"].bits > net.arrow_strengths()["asia", "tub"].bits
    entries = {found.entry.node for found in net.sensitivity({"lung": "yes"}, {"smoke": "yes"})}
    assert entries == {"smoke", "lung"}
