"""Small samples of nets: a graph, rows of codes, perhaps gaps and weights."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from tests.nets.named_graphs import SPRINKLER, dags

__all__ = ["DAYS", "SPRINKLER", "as_table", "by_hand", "mixed_samples", "net_samples"]

_DAYS = """
summer on  no  yes yes
summer on  no  yes yes
summer on  no  yes no
summer off no  no  no
summer off yes yes yes
winter off yes yes yes
winter off yes yes no
winter off no  no  no
winter on  yes yes yes
winter off yes yes yes
"""
_COLUMNS = ("season", "sprinkler", "rain", "wet", "slippery")

DAYS = dict(zip(_COLUMNS, zip(*(day.split() for day in _DAYS.strip().splitlines()), strict=True), strict=True))
"""Ten days of the sprinkler, two of whose four configurations of `wet` have a few days."""


def by_hand(node, parents, alpha=0, data=DAYS):
    """{(parents' states, state): (n + α) / (N + r·α)} as fractions, by going through the days."""
    days = list(zip(*(data[name] for name in (*parents, node)), strict=True))
    states = sorted(set(data[node]))
    found = {}
    for *given, _ in days:
        own = [day[-1] for day in days if list(day[:-1]) == given]
        for state in states:
            whole = Fraction(len(own)) + len(states) * Fraction(alpha)
            found[*given, state] = (own.count(state) + Fraction(alpha)) / whole
    return found


@st.composite
def net_samples(draw, max_rows=12, has_gaps=True):
    """A graph, {node: its column of codes or None} and weights or None."""
    g = draw(dags(max_nodes=4))
    rows = draw(st.integers(1, max_rows))
    cells = st.sampled_from([0, 1, 2, None] if has_gaps else [0, 1, 2])
    columns = {}
    for node in g.nodes:
        column = draw(st.lists(cells, min_size=rows, max_size=rows))
        columns[node] = column if any(value is not None for value in column) else [0] * rows
    weights = draw(st.none() | st.lists(st.sampled_from([0.5, 1.0, 2.25]), min_size=rows, max_size=rows))
    return g, columns, None if weights is None else np.array(weights)


@st.composite
def mixed_samples(draw, **options):
    """The same with some of the nodes numbers, and {"columns": …, "cuts": …} for ``fit``."""
    g, columns, weights = draw(net_samples(**options))
    numbers = draw(st.sets(st.sampled_from(g.nodes), min_size=1)) if g.nodes else set()
    kinds = {node: "number" if node in numbers else "category" for node in g.nodes}
    halves = {node: [None if x is None else x / 2 for x in column] for node, column in columns.items()}
    table = {node: halves[node] if node in numbers else columns[node] for node in g.nodes}
    cuts = {
        node: {up: [0.25, 0.75] for up in g.parents(node) if up in numbers} for node in g.nodes if node not in numbers
    }
    return g, table, weights, {"columns": kinds, "cuts": cuts}


def as_table(columns, rows=slice(None)):
    return {node: column[rows] for node, column in columns.items()}
