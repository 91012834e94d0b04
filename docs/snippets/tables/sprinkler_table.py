"""The tables of the sprinkler network as exact fractions, and their joint table."""

from fractions import Fraction
from itertools import product

from sprinkler import graph

from deciban.nets import JointTable

p_true = {  # P(node = 1 | parents)
    "season": {(): Fraction(1, 2)},  # 1: the dry season
    "sprinkler": {(0,): Fraction(1, 10), (1,): Fraction(3, 5)},
    "rain": {(0,): Fraction(7, 10), (1,): Fraction(1, 5)},
    "wet": {
        (0, 0): Fraction(1, 50),
        (0, 1): Fraction(9, 10),
        (1, 0): Fraction(4, 5),
        (1, 1): Fraction(99, 100),
    },
    "slippery": {(0,): Fraction(1, 20), (1,): Fraction(3, 4)},
}


def probability(outcome):
    """P(x₁ … xₙ) = Π P(xᵢ | parents of xᵢ)."""
    state, result = dict(zip(graph.nodes, outcome, strict=True)), Fraction(1)
    for x in graph.nodes:
        one = p_true[x][
            tuple(state[parent] for parent in graph.nodes if parent in graph.parents(x))
        ]
        result *= one if state[x] else 1 - one
    return result


outcomes = product((0, 1), repeat=len(graph.nodes))
table = JointTable({outcome: probability(outcome) for outcome in outcomes}, graph.nodes)
