"""Decibans, bits and nats."""

import math

import numpy as np
import pytest

from deciban.units import bits_from_nats, decibans_from_nats, nats_from_decibans


def test_ten_decibans_are_odds_of_ten_to_one():
    assert decibans_from_nats(math.log(10)) == pytest.approx(10)
    assert nats_from_decibans(20.0) == pytest.approx(math.log(100))
    assert bits_from_nats(math.log(8)) == pytest.approx(3)
    assert decibans_from_nats(np.log([10.0, 100.0])) == pytest.approx([10, 20])
    assert nats_from_decibans(np.array([10.0])) == pytest.approx([math.log(10)])
    assert bits_from_nats(np.log([2.0])) == pytest.approx([1])
