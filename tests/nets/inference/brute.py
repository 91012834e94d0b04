"""Small nets, and their answers by going through every outcome."""

import itertools
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

import deciban as db
from deciban.nets.network import Network
from tests.nets.named_graphs import ASIA, SPRINKLER, dags

YES = ("yes", "no")


@st.composite
def nets(draw, max_nodes=5, min_states=1, max_states=3, zeros=True):
    """A net whose tables often have zeros, so that much is impossible."""
    g = draw(dags(max_nodes=max_nodes))
    names = {node: f"n{node}" for node in g.nodes}
    g = db.DAG([(names[a], names[b]) for a, b in g.directed_edges], names.values())
    cards = {node: draw(st.integers(min_states, max_states)) for node in g.nodes}
    tables = {}
    for node in g.nodes:
        parents = [up for up in g.nodes if up in g.parents(node)]
        shape = [*(cards[up] for up in parents), cards[node]]
        cells = draw(
            st.lists(st.integers(0 if zeros else 1, 4), min_size=int(np.prod(shape)), max_size=int(np.prod(shape)))
        )
        table = np.array(cells, dtype=float).reshape(shape)
        table[table.sum(axis=-1) == 0] = 1
        tables[node] = table / table.sum(axis=-1, keepdims=True)
    return db.BayesNet.from_tables(g, {node: [f"s{code}" for code in range(cards[node])] for node in g.nodes}, tables)


@st.composite
def asked(draw, net, max_evidence=3):
    """Evidence and likelihoods for a net, in names; perhaps impossible."""
    known = draw(st.lists(st.sampled_from(net.nodes), unique=True, max_size=max_evidence))
    evidence = {node: draw(st.sampled_from(net.states[node])) for node in known}
    heard = draw(st.lists(st.sampled_from(net.nodes), unique=True, max_size=1))
    weights = {node: {state: draw(st.sampled_from([0.1, 0.5, 2.0])) for state in net.states[node]} for node in heard}
    return evidence, weights


def joint(net, evidence=None, likelihoods=None):
    """P(x, e) · L(x) for every outcome x, an axis for each node."""
    network = net.network
    out = np.zeros(network.cards)
    for outcome in itertools.product(*map(range, network.cards)):
        number = 1.0
        for factor, axes in zip(network.factors, network.families, strict=True):
            number *= factor[tuple(outcome[axis] for axis in axes)]
        for node, state in (evidence or {}).items():
            number *= outcome[net.nodes.index(node)] == net.states[node].index(state)
        for node, weights in (likelihoods or {}).items():
            number *= weights[net.states[node][outcome[net.nodes.index(node)]]]
        out[outcome] = number
    return out


def marginal(table, net, targets):
    """Sum all but the targets out of a joint table; axes in the order of the targets."""
    places = [net.nodes.index(node) for node in targets]
    summed = table.sum(axis=tuple(axis for axis in range(table.ndim) if axis not in places))
    return summed.transpose([sorted(places).index(place) for place in places])


def asia():
    """Lauritzen and Spiegelhalter's chest clinic (1988)."""
    return db.BayesNet.from_tables(
        ASIA,
        dict.fromkeys(ASIA.nodes, YES),
        {
            "asia": [0.01, 0.99],
            "tub": [[0.05, 0.95], [0.01, 0.99]],
            "smoke": [0.5, 0.5],
            "lung": [[0.1, 0.9], [0.01, 0.99]],
            "bronc": [[0.6, 0.4], [0.3, 0.7]],
            "either": [[[1, 0], [1, 0]], [[1, 0], [0, 1]]],
            "xray": [[0.98, 0.02], [0.05, 0.95]],
            "dysp": [[[0.9, 0.1], [0.7, 0.3]], [[0.8, 0.2], [0.1, 0.9]]],
        },
        parents={"either": ("tub", "lung"), "dysp": ("either", "bronc")},
    )


CHANCES = {
    "season": Fraction(1, 2),
    "sprinkler": {(0,): Fraction(1, 10), (1,): Fraction(3, 5)},
    "rain": {(0,): Fraction(7, 10), (1,): Fraction(1, 5)},
    "wet": {(0, 0): Fraction(1, 50), (0, 1): Fraction(9, 10), (1, 0): Fraction(4, 5), (1, 1): Fraction(99, 100)},
    "slippery": {(0,): Fraction(1, 20), (1,): Fraction(3, 4)},
}


def exact_tables():
    """The sprinkler's tables in fractions: an axis for each parent, the node's own last; 0 is no, 1 is yes."""
    tables = {}
    for node, chance in CHANCES.items():
        if isinstance(chance, Fraction):
            tables[node] = np.array([1 - chance, chance])
            continue
        parents = len(next(iter(chance)))
        table = np.empty((2,) * (parents + 1), dtype=object)
        for key, one in chance.items():
            table[key] = [1 - one, one]
        tables[node] = table
    return tables


def exact_sprinkler():
    """A network whose factors are fractions, exact through every sum and product."""
    tables = exact_tables()
    order = {"wet": ("sprinkler", "rain")}
    floats = {node: table.astype(float) for node, table in tables.items()}
    network = Network(SPRINKLER, dict.fromkeys(SPRINKLER.nodes, (0, 1)), floats, order)
    vars(network)["factors"] = tuple(tables[node] for node in network.nodes)
    return network
