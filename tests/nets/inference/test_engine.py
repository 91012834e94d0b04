"""An engine is compiled once and belongs to its network alone."""

import pickle

import pytest

from deciban.errors import TooLargeError
from deciban.nets.inference.clique_tree import clique_tree
from tests.nets.inference.brute import asia


def test_it_is_made_once_when_it_is_needed():
    net = asia()
    net.query("lung")
    assert net.network._clique_tree is None
    net.marginals()
    made = net.network._clique_tree
    assert made is not None and clique_tree(net.network) is made


def test_a_copy_is_compiled_anew():
    """What is kept with a network is not written to files nor sent to other processes."""
    network = asia().network
    clique_tree(network)
    assert pickle.loads(pickle.dumps(network))._clique_tree is None  # noqa: S301  our own
    assert pickle.loads(pickle.dumps(network)) == network  # noqa: S301


def test_it_takes_no_more_than_the_memory_limit(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "100")
    with pytest.raises(TooLargeError, match="the limit is 100"):
        clique_tree(asia().network)
