"""The negative binomial distribution as nodes of a graph. ONNX has neither log Γ nor log1p, so they are built here.

    log Γ(z) = (s − ½)·log s − s + ½·log 2π + 1/12s − 1/360s³ + … − log z(z + 1)…(z + 7),   s = z + 8

for z below 8, and with s = z and without the product above (Stirling's series, here to 10⁻¹⁴).
"""

from __future__ import annotations

import numpy as np
import scipy

from deciban.estimate.distributions.negative_binomial import NegativeBinomialLikelihood
from deciban.models.export.onnx.graph import Graph
from deciban.types import Floats

__all__ = ["add_rising", "log_gamma", "negative_binomial_lines"]

_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)
_SHIFT = 8
_LARGE = 100.0
"""Sizes from here on are scored by a series in which nothing cancels, as in the model."""


def negative_binomial_lines(likelihood: NegativeBinomialLikelihood) -> tuple[Floats, Floats]:
    """Slopes and starts, classes × columns, of the part of log P that is linear in the count.

    r·log (r / (r + m)) + x·log (m / (r + m)), or −m + x·log m where the size r is infinite: there it is Poisson.
    """
    wide, means = np.isfinite(likelihood.sizes), likelihood.means
    sizes = np.where(wide, likelihood.sizes, 1.0)
    both = np.logaddexp(np.log(sizes), np.log(means))
    slopes = np.where(wide, np.log(means) - both, np.log(means))
    return slopes, np.where(wide, sizes * (np.log(sizes) - both), -means)


def add_rising(graph: Graph, x: str, sizes: Floats) -> str:
    """log Γ(x + r) − log Γ(r) of counts, rows × 1 × columns, for sizes r, classes × columns; 0 where r is infinite."""
    small = np.where(sizes <= _LARGE, sizes, 1.0)
    rising = graph.add("Sub", log_gamma(graph, graph.add("Add", x, small)), scipy.special.gammaln(small))
    is_large = (sizes > _LARGE) & np.isfinite(sizes)
    if is_large.any():
        rising = graph.add("Where", is_large, _rising_of_large(graph, x, np.where(is_large, sizes, _LARGE)), rising)
    return graph.add("Where", np.isfinite(sizes), rising, 0.0)


def log_gamma(graph: Graph, z: str) -> str:
    """log Γ(z), of numbers above 0."""
    is_small = graph.add("Less", z, float(_SHIFT))
    low = graph.add("Where", is_small, z, 1.0)
    product = low
    for step in range(1, _SHIFT):
        product = graph.add("Mul", product, graph.add("Add", low, float(step)))
    taken = graph.add("Where", is_small, graph.add("Log", product), 0.0)
    s = graph.add("Where", is_small, graph.add("Add", low, float(_SHIFT)), z)
    main = graph.add("Sub", graph.add("Mul", graph.add("Sub", s, 0.5), graph.add("Log", s)), s)
    inverse = graph.add("Div", 1.0, s)
    square, series = graph.add("Mul", inverse, inverse), graph.constant(_STIRLING[-1])
    for coefficient in reversed(_STIRLING[:-1]):
        series = graph.add("Add", graph.add("Mul", series, square), coefficient)
    constant = graph.add("Add", graph.add("Mul", series, inverse), 0.5 * float(np.log(2.0 * np.pi)))
    return graph.add("Sub", graph.add("Add", main, constant), taken)


def _rising_of_large(graph: Graph, x: str, sizes: Floats) -> str:
    """(r − ½)·log1p(x/r) + x·(log (x + r) − 1) + …, the difference of two of Stirling's series."""
    whole = graph.add("Add", x, sizes)
    first = graph.add("Mul", sizes - 0.5, _log1p(graph, graph.add("Div", x, sizes)))
    second = graph.add("Mul", x, graph.add("Sub", graph.add("Log", whole), 1.0))
    third = graph.add("Div", graph.add("Sub", graph.add("Div", 1.0, whole), 1.0 / sizes), 12.0)
    fourth = graph.add("Div", graph.add("Sub", graph.add("Pow", whole, -3.0), sizes**-3.0), 360.0)
    return graph.add("Sub", graph.total([first, second, third]), fourth)


def _log1p(graph: Graph, u: str) -> str:
    """log (1 + u) without loss for small u: log(w)·u / (w − 1) with w the rounded 1 + u (Kahan)."""
    w = graph.add("Add", u, 1.0)
    ratio = graph.add("Div", graph.add("Mul", graph.add("Log", w), u), graph.add("Sub", w, 1.0))
    return graph.add("Where", graph.add("Equal", w, 1.0), u, ratio)
