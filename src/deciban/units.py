"""Weights of evidence, and the units they are given in.

A weight of evidence is the logarithm of an odds ratio. Turing and Good weighed in decibans,

    decibans = 10 · log10(odds) = (10 / ln 10) · nats,

so that 10 decibans are odds of ten to one and 3 decibans about two to one.

>>> round(decibans_from_nats(0.6931471805599453), 2)
3.01
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from deciban.types import Floats

__all__ = ["bits_from_nats", "decibans_from_nats", "nats_from_decibans"]

Number = TypeVar("Number", float, Floats)

_NAT = 10.0 / math.log(10.0)


def decibans_from_nats(weight: Number) -> Number:
    """Turn a natural log-odds into decibans."""
    return np.multiply(weight, _NAT) if isinstance(weight, np.ndarray) else weight * _NAT


def nats_from_decibans(weight_db: Number) -> Number:
    """Turn decibans into a natural log-odds."""
    return np.divide(weight_db, _NAT) if isinstance(weight_db, np.ndarray) else weight_db / _NAT


def bits_from_nats(weight: Number) -> Number:
    """Turn a natural log-odds into bits."""
    ln2 = math.log(2.0)
    return np.divide(weight, ln2) if isinstance(weight, np.ndarray) else weight / ln2
