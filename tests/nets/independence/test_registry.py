"""Tests of independence by name, and tests of one's own by the protocol."""

from typing import get_args

import numpy as np
import pytest

import deciban as db
from deciban.errors import ParameterError
from deciban.nets import TESTS, DataTest, FisherZ, GSquared, IndependenceTest
from deciban.nets.discovery.discover import TestName as Names
from deciban.nets.discovery.discover import read_test
from tests.nets.discovery.test_discover import sprinkler


class Copied(DataTest):
    """G², called one test at a time."""

    name, reads = "G²", "categories"

    def values(self, x, y, given):
        return GSquared(self.sample).values(x, y, given)


class Bare:
    """No more than the protocol asks for."""

    reads = "numbers"

    def on(self, data, *, alpha):
        inner = FisherZ(data, alpha)

        class Answers:
            nodes = inner.nodes

            def independent(self, x, y, given=()):
                return inner.independent(x, y, given)

        return Answers()


def test_the_names_are_the_registry():
    assert get_args(Names) == ("auto", *TESTS)
    assert all(isinstance(make(), IndependenceTest) for make in TESTS.values())


def test_a_subclass_finds_what_the_test_that_it_copies_finds():
    data = sprinkler(2_000)
    wanted = db.discover(data, test=GSquared(power=0, rows_per_df=0, unsure="dependent"))
    found = db.discover(data, test=Copied())
    assert found.graph == wanted.graph and found.removed == wanted.removed
    assert db.discover(data, test=Copied).graph == wanted.graph  # the class itself will do
    assert found.bootstrap(3).draws == 3


def test_the_protocol_is_enough():
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 500))
    data = {"a": a, "b": b, "c": a + b + 0.1 * rng.normal(size=500)}
    assert db.discover(data, test=Bare()).graph == db.discover(data, test="fisher_z", collider_rule="first").graph


def test_a_registered_test_has_a_name(monkeypatch):
    monkeypatch.setitem(TESTS, "copied", Copied)
    assert isinstance(read_test("copied"), Copied)


def test_what_is_no_test_is_said():
    with pytest.raises(ParameterError, match="Did you mean 'fisher_z'"):
        read_test("fisherz")
    with pytest.raises(ParameterError, match="an object with the attribute reads"):
        read_test(0.5)
    with pytest.raises(ParameterError, match="no rows to weigh"):
        db.discover(db.Oracle(db.DAG([("a", "b")])), sample_weight=1)
