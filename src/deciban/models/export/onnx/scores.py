"""The log-likelihoods of the models that can be exported, as nodes of a graph: one function a kind of model.

Each function returns the tensor of log-likelihoods, rows × classes, and what is added to it: the log priors, with the
constants of the likelihood where it has some.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from deciban.estimate.columns.values import Markers
from deciban.models.export.onnx.columns import Group, add_columns, add_normal, input_kinds, rows_of_states
from deciban.models.export.onnx.graph import Graph, Kind, sum_rows
from deciban.models.export.onnx.inputs import Columns, Numbers, common_kind, kind_of_labels
from deciban.models.parts.tables import markers_of
from deciban.read import Variable
from deciban.read.objects import EXACT
from deciban.types import Floats, Ints

__all__ = ["Scores", "bernoulli_scores", "categorical_scores", "column_scores", "gaussian_scores", "linear_scores"]

_LEAST_ABSENCE = 1e-9
"""As in `BernoulliNB`: an amount of presence that is this much below 1 is an absence."""


class Scores(NamedTuple):
    """log P(row | class) as a tensor, and what is added to it; `has_certain` where it may be +∞."""

    likelihood: str
    start: Floats
    has_certain: bool = False


def gaussian_scores(model: Any, graph: Graph) -> Scores:
    """GaussianNB."""
    x, columns = _matrix(model, graph), model.n_features_in_
    mean, half, norm = (table[:, :columns] for table in model._packed)
    return Scores(add_normal(graph, x, mean, half, norm), model._prior)


def linear_scores(model: Any, graph: Graph) -> Scores:
    """MultinomialNB and ComplementNB: b_j + Σ_k x_k·w_kj, where 0·(±∞) is 0."""
    weight = _of_classes(model._weight, model)
    product, has_certain = _product(graph, _matrix(model, graph).values, weight)
    return Scores(product, model._base, has_certain)


def bernoulli_scores(model: Any, graph: Graph) -> Scores:
    """BernoulliNB: as `linear_scores`, of terms that are present; a missing value takes the absence out again."""
    x, weight = _matrix(model, graph), _of_classes(model._weight, model)
    amount = x.values
    if model.binarize is not None:
        amount = graph.as_doubles(graph.add("And", x.known, graph.add("Greater", amount, float(model.binarize))))
    product, _ = _product(graph, amount, weight)
    absent, _ = model._log_absent(model.tally_, model._check_alpha())
    known = graph.as_doubles(x.known)
    of_missing = graph.add("MatMul", graph.add("Sub", 1.0, known), _of_classes(absent, model))
    scores = graph.add("Sub", product, of_missing)
    if model._sure is not None:  # a class all of whose rows have some term does not make rows without it
        lacking = graph.add("MatMul", graph.add("Sub", known, amount), model._sure.astype(np.float64))
        scores = graph.add("Where", graph.add("Greater", lacking, _LEAST_ABSENCE), -np.inf, scores)
    return Scores(scores, model._base)


def categorical_scores(model: Any, graph: Graph) -> Scores:
    """CategoricalNB: whole numbers that are their own codes, or labels."""
    variables, table = [part.variable for part in model._parts], _of_classes(model._table, model)
    starts = np.concatenate([[0], np.cumsum(model._sizes + 2)[:-1]])
    if all(variable.is_dense for variable in variables):
        codes = _rows_of_codes(graph, _matrix(model, graph), model._sizes, starts)
        return Scores(sum_rows(graph, table, codes), model._prior)
    kinds = [_kind_of_codes(variable) for variable in variables]
    columns = _columns(model, graph, kinds, is_matrix=True)
    rows = []
    for i, (variable, start) in enumerate(zip(variables, starts.tolist(), strict=True)):
        states, unseen, missing = rows_of_states(variable, start, missing_is_state=False)
        rows.append(columns.rows_of_labels(i, states, unseen=unseen, missing=missing))
    return Scores(sum_rows(graph, table, graph.beside(rows)), model._prior)


def column_scores(model: Any, graph: Graph) -> Scores:
    """NaiveBayes: the sum over the groups of columns that have one distribution."""
    groups, plans = model._estimates.groups, list(model.schema_)
    kinds: list[Kind | None] = [None] * len(plans)
    for likelihood, indices in groups:
        for i, kind in zip(indices, input_kinds(likelihood, len(indices)), strict=True):
            kinds[i] = kind
    is_matrix = model._form.names is None
    columns = _columns(model, graph, kinds, is_matrix=is_matrix, markers=markers_of(model.na_values))
    logs = [
        add_columns(likelihood, Group(columns, indices, plans[indices[0]].distribution), np.ones(len(indices)))
        for likelihood, indices in groups
        if kinds[indices[0]] is not None
    ]
    return Scores(graph.total(logs), model._prior)


def _matrix(model: Any, graph: Graph) -> Numbers:
    """The numbers of all columns, in one input."""
    columns = _columns(model, graph, ["double"] * model.n_features_in_, is_matrix=True)
    return columns.numbers(range(model.n_features_in_))


def _columns(
    model: Any, graph: Graph, kinds: Sequence[Kind | None], *, is_matrix: bool, markers: Markers = frozenset()
) -> Columns:
    """The inputs of a model: one for all columns, if it should be and their types permit it; else one for each."""
    common = common_kind(kinds)
    if is_matrix and common is not None:
        kinds = [None if kind is None else common for kind in kinds]
    return Columns(graph, model._names(), kinds, is_matrix=is_matrix and common is not None, markers=markers)


def _of_classes(packed: Floats, model: Any) -> Floats:
    """A packed table without the padding: rows × classes."""
    return packed[:, : len(model.classes_)]


def _product(graph: Graph, x: str, weight: Floats) -> tuple[str, bool]:
    """x·weight, where 0·(±∞) is 0; and whether it may be +∞."""
    product = graph.add("MatMul", x, np.where(np.isfinite(weight), weight, 0.0))
    for infinity in (-np.inf, np.inf):
        if (weight == infinity).any():
            is_there = graph.as_doubles(graph.add("Not", graph.add("Equal", x, 0.0)))
            hits = graph.add("MatMul", is_there, (weight == infinity).astype(np.float64))
            product = graph.add("Where", graph.add("Greater", hits, 0.0), infinity, product)
    return product, bool((weight == np.inf).any())


def _rows_of_codes(graph: Graph, x: Numbers, sizes: Ints, starts: Ints) -> str:
    """The row of the table for each code; a number that is no code of its column is an unseen one."""
    is_whole = graph.add("Equal", x.values, graph.add("Floor", x.values))
    inside = graph.add("And", graph.add("GreaterOrEqual", x.values, 0.0), graph.add("Less", x.values, 1.0 * sizes))
    codes = graph.add("Where", graph.add("And", inside, is_whole), x.values, 1.0 * sizes)
    return graph.add("Add", graph.as_integers(graph.add("Where", x.known, codes, sizes + 1.0)), starts)


def _kind_of_codes(variable: Variable) -> Kind:
    """The type of a column of `CategoricalNB`: doubles for whole numbers, too, as scikit-learn's matrices have them."""
    kind = kind_of_labels(variable)
    is_exact = kind == "int64" and np.abs(variable.labels.astype(np.float64)).max(initial=0.0) <= EXACT
    return "double" if is_exact or kind == "bool" else kind
