"""With fractions in the tables every answer is exact: what differs is the algorithm, not rounding."""

import itertools
from fractions import Fraction

import numpy as np

from deciban.nets.inference.elimination import beliefs, completion, eliminate, sliced, summed_to
from tests.nets.inference.brute import exact_sprinkler


def outcomes(network):
    """Every outcome with its exact probability."""
    for outcome in itertools.product((0, 1), repeat=5):
        number = Fraction(1)
        for table, axes in zip(network.factors, network.families, strict=True):
            number *= table[tuple(outcome[axis] for axis in axes)]
        yield outcome, number


def test_the_sprinkler_in_fractions():
    network = exact_sprinkler()
    place = {node: spot for spot, node in enumerate(network.nodes)}
    slippery, rain = place["slippery"], place["rain"]
    seen = {slippery: np.array([1])}
    free = [spot for spot in range(5) if spot != slippery]
    passed = eliminate(sliced(network.factors, network.families, seen), free)
    total = sum(number for outcome, number in outcomes(network) if outcome[slippery])
    assert passed.rest.table[0] == total == Fraction(97283, 200000)
    wet = sum(number for outcome, number in outcomes(network) if outcome[slippery] and outcome[rain])
    found = summed_to(beliefs(passed)[rain], [rain]).table[0]
    assert found[1] == wet / total and found.sum() == 1


def test_every_order_gives_the_same_fractions():
    network = exact_sprinkler()
    factors = sliced(network.factors, network.families, {4: np.array([1])})
    totals = {eliminate(factors, order).rest.table[0] for order in itertools.permutations(range(4))}
    assert len(totals) == 1


def test_the_best_completion_in_fractions():
    network = exact_sprinkler()
    passed = eliminate(sliced(network.factors, network.families, {4: np.array([1])}), range(4), range(4))
    best, number = max(((o, p) for o, p in outcomes(network) if o[4]), key=lambda pair: pair[1])
    chosen = completion(passed, 1)
    assert tuple(int(chosen[spot][0]) for spot in range(4)) == best[:4] and passed.rest.table[0] == number
