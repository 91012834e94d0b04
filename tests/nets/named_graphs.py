"""Named graphs, all small DAGs, and random ones."""

from __future__ import annotations

import gzip
import itertools
import re

from hypothesis import strategies as st

from deciban.nets import DAG
from deciban.nets.graphs.bits import find_cycle

SPRINKLER = DAG(
    [("season", "sprinkler"), ("season", "rain"), ("sprinkler", "wet"), ("rain", "wet"), ("wet", "slippery")]
)
ASIA = DAG(
    [
        ("asia", "tub"),
        ("smoke", "lung"),
        ("smoke", "bronc"),
        ("tub", "either"),
        ("lung", "either"),
        ("either", "xray"),
        ("either", "dysp"),
        ("bronc", "dysp"),
    ]
)


def all_dags(count):
    """Every DAG on the nodes 0 … count − 1."""
    pairs = list(itertools.combinations(range(count), 2))
    for states in itertools.product(range(3), repeat=len(pairs)):
        parents = [0] * count
        for (a, b), state in zip(pairs, states, strict=True):
            if state:
                parents[b if state == 1 else a] |= 1 << (a if state == 1 else b)
        if not find_cycle(parents):
            yield DAG._from_masks(parents, range(count))


@st.composite
def dags(draw, min_nodes=1, max_nodes=7):
    """DAGs whose order is not that of their nodes."""
    count = draw(st.integers(min_nodes, max_nodes))
    order = draw(st.permutations(range(count)))
    pairs = list(itertools.combinations(order, 2))
    kept = draw(st.lists(st.booleans(), min_size=len(pairs), max_size=len(pairs)))
    return DAG([pair for pair, keep in zip(pairs, kept, strict=True) if keep], range(count))


def random_dag(rng, count, mean_parents):
    """A DAG of some size and density; the nodes are in no telling order."""
    order = rng.permutation(count)
    edges = [
        (int(a), int(b)) for a, b in itertools.combinations(order, 2) if rng.random() < 2 * mean_parents / (count - 1)
    ]
    return DAG(edges, range(count))


def read_structure(path):
    """The graph of a BIF file; the tables are not read."""
    text = gzip.decompress(path.read_bytes()).decode()
    nodes = re.findall(r"^\s*variable\s+(\S+)\s*\{", text, re.MULTILINE)
    heads = re.findall(r"^\s*probability\s*\(\s*([^|)\s]+)\s*(?:\|([^)]*))?\)", text, re.MULTILINE)
    edges = [(parent.strip(), child) for child, given in heads for parent in given.split(",") if parent.strip()]
    return DAG(edges, nodes)
