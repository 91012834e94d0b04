"""What a question takes is one value, whoever answers it, and it names the nodes that make it large."""

import deciban as db
from deciban.nets.inference.clique_tree import CliqueTree
from deciban.nets.inference.elimination import Cost
from tests.nets.inference.networks import asia


def test_elimination_and_tree_tell_their_cost_in_the_same_words():
    network = asia()
    net = db.BayesNet.of(network)
    for cost in (net.cost(), CliqueTree.compile(network).cost):
        assert isinstance(cost, Cost)
        assert cost.largest == 8 == 2 ** len(cost.largest_clique)
        assert set(cost.largest_clique) <= set(net.nodes)
        assert cost.bytes >= 8 * cost.cells


def test_many_nodes_are_not_all_shown():
    assert "9, 10, 11, …)" in str(Cost(1, 1 << 20, 1 << 20, 1 << 23, tuple(range(20))))
    assert str(Cost(0, 1, 0, 0)) == "0 products, the largest of 1 entries, 0 entries in all (0 bytes)"
