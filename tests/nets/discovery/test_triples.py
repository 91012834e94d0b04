"""A common effect is one that opens a way, not one whose p happens to be the larger."""

import pytest

import deciban as db
from deciban.nets.independence.independence_test import TestResult


class Told:
    """Tests whose p-values are given; what is not, is dependent."""

    nodes = ("w", "x", "y", "z")
    rules = (0.01, 0.0, True)

    def __init__(self, p):
        self.p = {frozenset(key.split()): value for key, value in p.items()}

    def test(self, x, y, given=()):
        p = self.p.get(frozenset((x, y, *given)), 0.0) if {x, y} == {"x", "y"} else 0.0
        p = 1.0 if "w" in (x, y) and given == [] else p
        return TestResult(x, y, tuple(given), 0.0, 1, 100, p, "independent" if p > 0.01 else "dependent")

    def independent(self, x, y, given=()):
        return self.test(x, y, given).verdict == "independent"


def arrows(p, rule):
    found = db.discover(Told(p), collider_rule=rule)
    return {edge for edge in found.graph.directed_edges if "w" not in edge}


@pytest.mark.parametrize(("without", "with_z"), [(0.9, 0.5), (0.5, 0.9)])
def test_a_weak_chain_is_no_collider_by_chance(without, with_z):
    """Whatever is given, x and y look independent: which p is larger says nothing."""
    p = {"x y": without, "x y z": with_z}
    assert arrows(p, "opening") == set()
    assert bool(arrows(p, "max_p")) == (without > with_z)


def test_what_opens_is_a_collider():
    assert arrows({"x y": 0.4}, "opening") == {("x", "z"), ("y", "z")}


def test_what_closes_is_none():
    assert arrows({"x y z": 0.4}, "opening") == set()
