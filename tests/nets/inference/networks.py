"""Small random nets: zeros, deterministic tables, nodes of one state, nodes apart, none at all."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import strategies as st

import deciban as db
from deciban.nets import DAG, Network
from tests.nets.named_graphs import ASIA

NETS = Path(__file__).parents[4] / "shared" / "data" / "nets"

_KINDS = "generic", "generic", "zeros", "deterministic", "tiny"


def table_of(kind, shape, rng):
    """Random rows that sum to 1, of a kind."""
    if kind == "deterministic":
        table = np.zeros(shape)
        np.put_along_axis(table, rng.integers(shape[-1], size=(*shape[:-1], 1)), 1.0, axis=-1)
        return table
    table = rng.random(shape) + 1e-3
    if kind == "zeros":
        table *= rng.random(shape) < 0.5
        table[..., 0] += table.sum(axis=-1) == 0
    if kind == "tiny":
        table *= 10.0 ** -rng.integers(0, 60, size=shape)
    return table / table.sum(axis=-1, keepdims=True)


def random_network(rng, count, *, arrows=0.4, most_states=3, most_parents=3):
    """A net of so many nodes."""
    cards = rng.integers(1, most_states + 1, size=count)
    order = rng.permutation(count)
    parents = {}
    for place, node in enumerate(order):
        ups = [int(up) for up in order[:place] if rng.random() < arrows]
        parents[int(node)] = ups[:most_parents]
    dag = DAG([(up, node) for node, ups in parents.items() for up in ups], range(count))
    states = {node: tuple(range(cards[node])) for node in range(count)}
    tables = {node: table_of(rng.choice(_KINDS), tuple(cards[[*parents[node], node]]), rng) for node in range(count)}
    return Network(dag, states, tables, parents)


def random_rows(rng, network, rows, part=0.4):
    """Rows of evidence, some of it impossible."""
    codes = np.stack([rng.integers(card, size=rows) for card in network.cards], axis=1) if network.cards else []
    codes = np.asarray(codes, dtype=np.int32).reshape(rows, len(network.cards))
    return np.where(rng.random(codes.shape) < part, codes, -1).astype(np.int32)


def networks(max_nodes=8):
    """Pairs of a net and a generator of numbers."""
    return st.tuples(st.integers(0, max_nodes), st.integers(0, 2**32)).map(_drawn)


def _drawn(key):
    count, seed = key
    rng = np.random.default_rng(seed)
    return random_network(rng, count, most_states=3 if count < 8 else 2), rng


def asia():
    """Lauritzen and Spiegelhalter's net."""
    yes = {
        "asia": 0.01, "tub": [0.05, 0.01], "smoke": 0.5, "lung": [0.1, 0.01], "bronc": [0.6, 0.3],
        "either": [[1.0, 1.0], [1.0, 0.0]], "xray": [0.98, 0.05], "dysp": [[0.9, 0.7], [0.8, 0.1]],
    }  # fmt: skip
    tables = {node: np.stack([np.array(p), 1 - np.array(p)], axis=-1) for node, p in yes.items()}
    parents = {"either": ("lung", "tub"), "dysp": ("either", "bronc")}
    return Network(ASIA, dict.fromkeys(yes, ("yes", "no")), tables, parents)


def real(name):
    """One of the repository's nets."""
    path = NETS / f"{name}.bif.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return db.read_net(path)
