"""Weights of evidence, and the units they are given in.

A weight of evidence is the logarithm of an odds ratio. Turing and Good weighed in decibans,

    decibans = 10 · log10(odds) = (10 / ln 10) · nats,

so that 10 decibans are odds of ten to one and 3 decibans about two to one.
"""

from __future__ import annotations

import math
from typing import TypeVar

import numpy as np

from deciban.types import Floats

__all__ = ["bits_from_nats", "decibans_from_nats", "nats_from_decibans"]

Number = TypeVar("Number", float, Floats)

_NAT = 10.0 / math.log(10.0)  # decibans: one nat is about 4.34


def decibans_from_nats(weight: Number) -> Number:
    """Convert a natural log-odds to decibans.

    Parameters
    ----------
    weight : float or array
        In nats.

    Returns
    -------
    weight_db : float or array
        In decibans.

    Examples
    --------
    >>> round(decibans_from_nats(math.log(2)), 2)
    3.01
    """
    return np.multiply(weight, _NAT) if isinstance(weight, np.ndarray) else weight * _NAT


def nats_from_decibans(weight_db: Number) -> Number:
    """Convert decibans to a natural log-odds.

    Parameters
    ----------
    weight_db : float or array
        In decibans.

    Returns
    -------
    weight : float or array
        In nats.

    Examples
    --------
    >>> round(nats_from_decibans(10.0), 4)  # odds of ten to one
    2.3026
    """
    return np.divide(weight_db, _NAT) if isinstance(weight_db, np.ndarray) else weight_db / _NAT


def bits_from_nats(weight: Number) -> Number:
    """Convert a natural log-odds to bits.

    Parameters
    ----------
    weight : float or array
        In nats.

    Returns
    -------
    weight_bits : float or array
        In bits.

    Examples
    --------
    >>> bits_from_nats(math.log(8))
    3.0
    """
    ln2 = math.log(2.0)
    return np.divide(weight, ln2) if isinstance(weight, np.ndarray) else weight / ln2
