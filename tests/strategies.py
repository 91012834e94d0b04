"""Hypothesis strategies for samples: rows, classes and weights."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

__all__ = ["CodeSample", "code_samples", "number_samples", "term_samples"]


@dataclass
class CodeSample:
    X: Any
    y: Any
    classes: int
    weights: Any


@st.composite
def _labels(draw, rows: int, classes: int):
    return np.array(draw(st.lists(st.integers(0, classes - 1), min_size=rows, max_size=rows)), dtype=np.int32)


@st.composite
def _weights(draw, rows: int):
    if draw(st.booleans()):
        return None
    return np.array(draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.25]), min_size=rows, max_size=rows)))


@st.composite
def _sample(draw, cells, dtypes):
    rows, columns, classes = draw(st.integers(1, 12)), draw(st.integers(1, 9)), draw(st.integers(1, 4))
    dtype = draw(st.sampled_from(dtypes))
    values = draw(st.lists(cells, min_size=rows * columns, max_size=rows * columns))
    X = np.array(values, dtype=dtype).reshape(rows, columns)
    layout = draw(st.sampled_from(["C", "F", "reversed", "read-only"]))
    if layout == "F":
        X = np.asfortranarray(X)
    elif layout == "reversed":
        X = np.repeat(X, 2, axis=0)[::-2, ::-1]
    elif layout == "read-only":
        X.flags.writeable = False
    return CodeSample(X, draw(_labels(rows, classes)), classes, draw(_weights(rows)))


_INTEGERS = ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]


def code_samples():
    return _sample(st.integers(0, 6), _INTEGERS)


def term_samples():
    return _sample(st.integers(0, 5), _INTEGERS)


def number_samples():
    return _sample(st.integers(-1000, 1000).map(lambda n: n / 8), ["f4", "f8"])
