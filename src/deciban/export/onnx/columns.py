"""log P(value | class) of the columns of a naive Bayes model, as nodes of a graph: one function a kind of likelihood.

A term that is the same in all classes, such as the −log x! of a Poisson distribution, cancels in the posterior and is
left out. A value that a distribution cannot produce makes every class impossible.

`add_columns` is open: ``add_columns.register(MyLikelihood)`` adds the nodes of a distribution of your own.

The negative binomial distribution as nodes of a graph. ONNX has neither log Γ nor log1p, so they are built here.

    log Γ(z) = (s − ½)·log s − s + ½·log 2π + 1/12s − 1/360s³ + … − log z(z + 1)…(z + 7),   s = z + 8

for z below 8, and with s = z and without the product above (Stirling's series, here to 10⁻¹⁴).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

import numpy as np
import scipy

from deciban.errors import ParameterError
from deciban.estimate.column import ColumnDistribution
from deciban.estimate.distributions.bernoulli import PresenceLikelihood
from deciban.estimate.distributions.binned import BinnedLikelihood
from deciban.estimate.distributions.categorical import CategoricalLikelihood
from deciban.estimate.distributions.gaussian import GaussianLikelihood
from deciban.estimate.distributions.ignore import NoEvidence
from deciban.estimate.distributions.lognormal import LogNormalLikelihood
from deciban.estimate.distributions.mean_only import (
    LARGEST_COUNT,
    ExponentialLikelihood,
    NegativeBinomialLikelihood,
    PoissonLikelihood,
)
from deciban.estimate.likelihood import Likelihood, WeightedLikelihood
from deciban.estimate.missing import MissingLikelihood
from deciban.export.onnx.graph import Columns, Graph, Kind, Numbers, kind_of_labels, sum_rows
from deciban.read import MISSING_LABEL, Variable
from deciban.types import Floats, Ints

__all__ = ["Group", "add_columns", "add_normal", "add_rising", "input_kinds", "log_gamma", "rows_of_states"]


@dataclass(frozen=True)
class Group:
    """The columns that have one distribution, by their indices in the inputs."""

    columns: Columns
    indices: Sequence[int]
    kind: ColumnDistribution

    @property
    def graph(self) -> Graph:
        return self.columns.graph

    def numbers(self) -> Numbers:
        """The numbers of all columns of the group."""
        return self.columns.numbers(self.indices)


@singledispatch
def add_columns(likelihood: Likelihood, group: Group, weights: Floats) -> str:  # noqa: ARG001
    """Add the sum of log P(value | class) over the columns of a group: rows × classes.

    `weights` are those of the columns, where the parameters of the likelihood do not include them; else ones.
    """
    name, kind = group.columns.names[group.indices[0]], type(group.kind).__name__
    raise ParameterError(
        f"column {name!r} is {kind}(), which ONNX has no operators for. Give it another distribution, such as "
        "Gaussian() or Binned(), or Ignore()."
    )


@add_columns.register
def _(likelihood: WeightedLikelihood, group: Group, weights: Floats) -> str:
    return add_columns(likelihood.plain, group, weights * likelihood.weights)


@add_columns.register
def _(likelihood: MissingLikelihood, group: Group, weights: Floats) -> str:
    """The likelihood of the known values, and of each column the log-probability that it is known or missing."""
    graph, columns = group.graph, likelihood.logs.shape[0]
    table = likelihood.logs.reshape(2 * columns, -1)
    known = graph.as_integers(group.numbers().known)
    rows = graph.add("Sub", 2 * np.arange(columns) + 1, known)
    return graph.add("Add", add_columns(likelihood.of_known, group, weights), sum_rows(graph, table, rows))


@add_columns.register
def _(likelihood: CategoricalLikelihood, group: Group, weights: Floats) -> str:  # noqa: ARG001
    rows, tables, start = [], [], 0
    for i, index in enumerate(group.indices):
        variable, table = likelihood.table_of(i)
        is_state = likelihood.kind.missing == "state"
        states, unseen, missing = rows_of_states(variable, start, missing_is_state=is_state)
        rows.append(group.columns.rows_of_labels(index, states, unseen=unseen, missing=missing))
        tables.append(table)
        start += len(table)
    return sum_rows(group.graph, np.concatenate(tables), group.graph.beside(rows))


@add_columns.register
def _(likelihood: PresenceLikelihood, group: Group, weights: Floats) -> str:  # noqa: ARG001
    graph, x, columns = group.graph, group.numbers(), len(group.indices)
    tables = [likelihood.table_of(i)[1] for i in range(columns)]
    height = len(tables[0])  # absent, present, unseen, missing
    present = graph.as_integers(graph.add("Greater", x.values, likelihood.threshold))
    states = graph.add("Where", x.known, present, height - 1)
    return sum_rows(graph, np.concatenate(tables), graph.add("Add", states, height * np.arange(columns)))


@add_columns.register
def _(likelihood: BinnedLikelihood, group: Group, weights: Floats) -> str:  # noqa: ARG001
    """The bin of a number is how many cuts lie below it; the last row of the table is for missing numbers."""
    graph, x, columns = group.graph, group.numbers(), len(group.indices)
    cuts = np.full((columns, max(1, *map(len, likelihood.cuts))), np.inf)
    for i, of_column in enumerate(likelihood.cuts):
        cuts[i, : len(of_column)] = of_column
    table = np.concatenate([*likelihood.tables, np.zeros((1, likelihood.classes))])
    starts = np.cumsum([0, *map(len, likelihood.tables)])[:-1]
    above = graph.add("Greater", graph.add("Unsqueeze", x.values, np.array([2])), cuts)
    bins = graph.add("ReduceSum", graph.as_integers(above), np.array([2]), keepdims=0)
    return sum_rows(graph, table, graph.add("Where", x.known, graph.add("Add", bins, starts), len(table) - 1))


@add_columns.register
def _(likelihood: GaussianLikelihood, group: Group, weights: Floats) -> str:
    parameters = likelihood.mean, weights * likelihood.half, weights * likelihood.norm
    return add_normal(group.graph, group.numbers(), *parameters)


@add_columns.register
def _(likelihood: LogNormalLikelihood, group: Group, weights: Floats) -> str:
    """The normal likelihood of the logarithms; the −log x that makes it a density of x is the same in all classes."""
    graph, x = group.graph, group.numbers()
    is_positive = graph.add("Greater", x.values, 0.0)
    logs = graph.add("Log", graph.add("Where", is_positive, x.values, 1.0))
    of_logs = likelihood.of_logs
    parameters = of_logs.mean, weights * of_logs.half, weights * of_logs.norm
    return _possible(graph, add_normal(graph, Numbers(logs, x.known), *parameters), x, is_positive, weights)


@add_columns.register
def _(likelihood: PoissonLikelihood, group: Group, weights: Floats) -> str:
    """x·log λ − λ; log x! is the same in all classes."""
    graph, x = group.graph, group.numbers()
    logs = _linear(graph, x, np.log(likelihood.means) * weights, -likelihood.means * weights)
    return _possible(graph, logs, x, _is_count(graph, x), weights)


@add_columns.register
def _(likelihood: NegativeBinomialLikelihood, group: Group, weights: Floats) -> str:
    """As Poisson, with log Γ(x + r) − log Γ(r), which is not linear."""
    graph, x = group.graph, group.numbers()
    is_count = _is_count(graph, x)
    used = graph.add("And", x.known, is_count)
    count = Numbers(graph.add("Min", graph.add("Where", used, x.values, 0.0), LARGEST_COUNT), used)
    slopes, starts = negative_binomial_lines(likelihood)
    rising = add_rising(graph, graph.add("Unsqueeze", count.values, np.array([1])), likelihood.sizes)
    of_known = graph.add("Where", graph.add("Unsqueeze", used, np.array([1])), graph.add("Mul", rising, weights), 0.0)
    logs = graph.add("ReduceSum", of_known, np.array([2]), keepdims=0)
    logs = graph.add("Add", logs, _linear(graph, count, slopes * weights, starts * weights))
    return _possible(graph, logs, x, is_count, weights)


@add_columns.register
def _(likelihood: ExponentialLikelihood, group: Group, weights: Floats) -> str:
    graph, x = group.graph, group.numbers()
    logs = _linear(graph, x, -weights / likelihood.means, -np.log(likelihood.means) * weights)
    return _possible(graph, logs, x, graph.add("GreaterOrEqual", x.values, 0.0), weights)


@singledispatch
def input_kinds(likelihood: Likelihood, columns: int) -> list[Kind | None]:  # noqa: ARG001
    """The types of the inputs of some columns; None for columns that are not used."""
    return ["double"] * columns


@input_kinds.register
def _(likelihood: NoEvidence, columns: int) -> list[Kind | None]:  # noqa: ARG001
    return [None] * columns


@input_kinds.register
def _(likelihood: WeightedLikelihood, columns: int) -> list[Kind | None]:
    return input_kinds(likelihood.plain, columns)


@input_kinds.register
def _(likelihood: CategoricalLikelihood, columns: int) -> list[Kind | None]:
    return [kind_of_labels(likelihood.table_of(i)[0]) for i in range(columns)]


@input_kinds.register
def _(likelihood: PresenceLikelihood, columns: int) -> list[Kind | None]:  # noqa: ARG001
    return ["double"] * columns


def add_normal(graph: Graph, x: Numbers, mean: Floats, half: Floats, norm: Floats) -> str:
    """Σ norm − half·(x − mean)² over the known numbers of each row; parameters are classes × columns."""
    norms = graph.add("MatMul", graph.as_doubles(x.known), norm.T)
    used = np.flatnonzero((half > 0).any(axis=0))  # of columns with weight 0, squares of huge numbers would be 0·∞
    if len(used) == 0:
        return norms
    values, known = (_some_columns(graph, tensor, used, len(half.T)) for tensor in x)
    deviation = graph.add("Sub", graph.add("Unsqueeze", values, np.array([1])), mean[:, used])
    squares = graph.add("Mul", graph.add("Mul", deviation, deviation), half[:, used])
    of_known = graph.add("Where", graph.add("Unsqueeze", known, np.array([1])), squares, 0.0)
    return graph.add("Sub", norms, graph.add("ReduceSum", of_known, np.array([2]), keepdims=0))


def rows_of_states(variable: Variable, start: int, *, missing_is_state: bool) -> tuple[dict[object, int], int, int]:
    """The row of each label in a table that begins at `start`, the row of unseen labels, and of missing values.

    The rows of the labels are followed by that of an unseen label, and by that of a missing value.
    """
    labels = variable.labels.tolist()
    rows = {label: start + row for row, label in enumerate(labels)}
    unseen = start + len(labels)
    state = rows.pop(MISSING_LABEL, unseen)
    return rows, unseen, state if missing_is_state else unseen + 1


def _some_columns(graph: Graph, tensor: str, indices: Ints, columns: int) -> str:
    return tensor if len(indices) == columns else graph.add("Gather", tensor, indices, axis=1)


def _linear(graph: Graph, x: Numbers, slopes: Floats, starts: Floats) -> str:
    """Σ start + slope·x over the known numbers of each row; parameters are classes × columns."""
    of_known = graph.add("MatMul", graph.as_doubles(x.known), starts.T)
    return graph.add("Add", graph.add("MatMul", x.values, slopes.T), of_known)


def _is_count(graph: Graph, x: Numbers) -> str:
    is_whole = graph.add("Equal", x.values, graph.add("Floor", x.values))
    return graph.add("And", graph.add("GreaterOrEqual", x.values, 0.0), is_whole)


def _possible(graph: Graph, logs: str, x: Numbers, is_possible: str, weights: Floats) -> str:
    """The logs, and −∞ in rows that have a number which is not possible; columns of weight 0 are ignored."""
    wrong = graph.add("And", graph.add("And", x.known, graph.add("Not", is_possible)), weights > 0)
    count = graph.add("ReduceSum", graph.as_integers(wrong), np.array([1]), keepdims=1)
    return graph.add("Where", graph.add("Greater", count, 0), -np.inf, logs)


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
