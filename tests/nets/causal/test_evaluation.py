"""Terms become tables; what is undefined and needed is noted, and nothing else is."""

import numpy as np
import pytest

from deciban.errors import TooLargeError
from deciban.nets.causal import estimand as evaluation
from deciban.nets.causal.estimand import Evaluation
from deciban.nets.causal.terms import multiply, probability, sum_out


class Table:
    """A joint table over x, y, z."""

    def __init__(self, joint):
        self.joint = np.asarray(joint, dtype=float)
        self.states = {name: tuple(range(size)) for name, size in zip("xyz", self.joint.shape, strict=True)}

    def conditional(self, of, given):
        kept = ["xyz".index(name) for name in (*given, *of)]
        table = np.einsum(self.joint, [0, 1, 2], kept)
        whole = table.sum(axis=tuple(range(len(given), table.ndim)), keepdims=True)
        return table / np.where(whole > 0, whole, np.nan)


BACK_DOOR = sum_out("z", multiply([probability("y", "xz"), probability("z")]))


def test_sums_and_products():
    joint = np.random.default_rng(0).dirichlet(np.ones(12)).reshape(2, 2, 3)
    got, _ = Evaluation(Table(joint), "xyz").table(BACK_DOOR, ("x", "y"))
    right = (joint / joint.sum(axis=1, keepdims=True) * joint.sum(axis=(0, 1))).sum(axis=2)
    assert got == pytest.approx(right)


def test_what_is_undefined_and_needed_is_noted():
    joint = np.ones((2, 2, 3))
    joint[1, :, 2] = 0
    table, unsupported = Evaluation(Table(joint / joint.sum()), "xyz").table(BACK_DOOR, ("x", "y"))
    assert not np.isnan(table[0]).any() and np.isnan(table[1]).all()
    assert np.argwhere(unsupported["x", "z"]).tolist() == [[1, 2]]


def test_what_is_undefined_and_weighs_nothing_is_not():
    joint = np.ones((2, 2, 3))
    joint[:, :, 2] = 0
    table, unsupported = Evaluation(Table(joint / joint.sum()), "xyz").table(BACK_DOOR, ("x", "y"))
    assert not np.isnan(table).any()
    assert not unsupported


def test_axes_that_a_term_does_not_have_are_constant():
    joint = np.random.default_rng(0).dirichlet(np.ones(8)).reshape(2, 2, 2)
    table, _ = Evaluation(Table(joint), "xyz").table(probability("y"), ("x", "y"))
    assert table[0].tolist() == table[1].tolist() == pytest.approx(joint.sum(axis=(0, 2)))


def test_what_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(evaluation, "MOST_CELLS", 4)
    with pytest.raises(TooLargeError, match="needs 8 cells, more than 4"):
        Evaluation(Table(np.ones((2, 2, 2)) / 8), "xyz").table(BACK_DOOR, ("x", "y"))
