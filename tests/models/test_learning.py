"""The first batch declares the classes, and a batch without weight teaches nothing."""

import numpy as np
import pytest

import deciban as db
from deciban.errors import InputError, ParameterError
from deciban.models.base import check_within, known_classes
from deciban.read import Variable

AB = Variable.of("y", np.array(["a", "b"]))


def test_the_first_batch_needs_classes_and_later_ones_the_same():
    with pytest.raises(ParameterError, match="on the first call"):
        known_classes(None, None)
    assert (
        known_classes(["b", "a"], None).labels.tolist() == ["a", "b"] == known_classes(["b", "a"], AB).labels.tolist()
    )
    assert known_classes(None, AB) is AB
    with pytest.raises(ParameterError, match="not the same as on last call"):
        known_classes(["a", "c"], AB)


def test_classes_that_were_not_declared():
    check_within(AB, AB)
    with pytest.raises(InputError, match="'c'"):
        check_within(Variable.of("y", np.array(["a", "c"])), AB)


def test_rows_without_weight():
    with pytest.raises(InputError, match="nothing to learn from"):
        db.GaussianNB().fit([[1.0], [2.0]], [0, 1], sample_weight=[0, 0])
