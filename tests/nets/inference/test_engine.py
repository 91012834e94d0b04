"""An engine is compiled once and belongs to its network alone."""

import pickle

import pytest

from deciban.errors import TooLargeError
from deciban.nets.inference.clique_tree import engine, made_engine
from tests.nets.inference.brute import asia


def test_it_is_made_once_when_it_is_needed():
    net = asia()
    net.query("lung")
    assert made_engine(net.network) is None
    net.marginals()
    made = made_engine(net.network)
    assert made is not None and engine(net.network) is made


def test_a_copy_is_compiled_anew():
    """What is kept with a network is not written to files nor sent to other processes."""
    network = asia().network
    engine(network)
    assert made_engine(pickle.loads(pickle.dumps(network))) is None  # noqa: S301  our own
    assert pickle.loads(pickle.dumps(network)) == network  # noqa: S301


def test_it_takes_no_more_than_the_memory_limit(monkeypatch):
    monkeypatch.setenv("DECIBAN_MEMORY_LIMIT", "100")
    with pytest.raises(TooLargeError, match="the limit is 100"):
        engine(asia().network)
