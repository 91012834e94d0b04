"""Nets as hypothesis draws them, for tests of files."""

import numpy as np
from hypothesis import strategies as st

from deciban.nets import DAG, Network

NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from('\t\n\r"\\/*%#{}()|;,= '), max_size=6)


@st.composite
def networks(draw, names=NAMES):
    """A net of up to four nodes with tables of any doubles."""
    nodes = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    states = {node: tuple(draw(st.lists(names, min_size=1, max_size=3, unique=True))) for node in nodes}
    parents = {
        node: tuple(draw(st.permutations(draw(st.lists(st.sampled_from(nodes[:at]), unique=True, max_size=2)))))
        if at
        else ()
        for at, node in enumerate(nodes)
    }
    tables = {}
    for node in nodes:
        shape = tuple(len(states[axis]) for axis in (*parents[node], node))
        seed = draw(st.integers(0, 2**32))
        rows = np.random.default_rng(seed).gamma(0.3, size=shape) + 1e-300
        tables[node] = rows / rows.sum(axis=-1, keepdims=True)
    dag = DAG([(up, node) for node, ups in parents.items() for up in ups], nodes)
    return Network(dag, states, tables, parents)
