"""Exact distributions: joint tables of fractions that a DAG draws, or that nothing does."""

import itertools
from fractions import Fraction

from hypothesis import strategies as st

from deciban.nets import JointTable
from tests.nets.named_graphs import dags


def joint_of(g, chance):
    """The joint table of binary variables with P(x = 1 | parents) = chance(x, states of the parents)."""
    table = {}
    for outcome in itertools.product((0, 1), repeat=len(g.nodes)):
        state, weight = dict(zip(g.nodes, outcome, strict=True)), Fraction(1)
        for x in g.nodes:
            one = chance(x, tuple((up, state[up]) for up in sorted(g.parents(x), key=str)))
            weight *= one if state[x] else 1 - one
        table[outcome] = weight
    return JointTable(table, g.nodes)


def generic(g, rng):
    """A joint table with chances drawn by lot among many fractions: almost surely stable."""
    chances = {}
    return joint_of(g, lambda *key: chances.setdefault(key, Fraction(int(rng.integers(1, 10_007)), 10_007)))


@st.composite
def drawn(draw, max_nodes=4, is_positive=False):
    """A DAG and a table that it is compatible with, often with more independences than it shows."""
    g = draw(dags(max_nodes=max_nodes))
    sure = [] if is_positive else [Fraction(0), Fraction(1)]
    chances, choices = {}, st.sampled_from([Fraction(1, 3), Fraction(1, 2), *sure])
    return g, joint_of(g, lambda *key: chances[key] if key in chances else chances.setdefault(key, draw(choices)))


@st.composite
def tables(draw, variables=4):
    """Tables of small counts; ones, zeros and symmetric ones often have independences."""
    cells = draw(st.lists(st.integers(0, 2), min_size=2**variables, max_size=2**variables).filter(any))
    outcomes = itertools.product((0, 1), repeat=variables)
    return JointTable(dict(zip(outcomes, cells, strict=True)))
