"""A fitted model as an ONNX graph, which any ONNX runtime can score without Python.

The graph computes in double precision and has a dynamic number of rows. Under onnxruntime its posteriors equal those of
`predict_proba` to 1e-9. It cannot raise errors: a value that `predict` would refuse, such as a missing one where
``missing="error"`` or an unseen label where ``unseen="error"``, is no evidence, or is smoothed.

The log-likelihoods of the models that can be exported, as nodes of a graph: one function a kind of model.

Each function returns the tensor of log-likelihoods, rows × classes, and what is added to it: the log priors, with the
constants of the likelihood where it has some.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import singledispatch
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from deciban.decide import Calibration, Isotonic, Reject, Temperature, check_loss
from deciban.errors import ParameterError
from deciban.estimate.values import Markers
from deciban.export.onnx.columns import Group, add_columns, add_normal, input_kinds, rows_of_states
from deciban.export.onnx.graph import Columns, Graph, Kind, Numbers, common_kind, kind_of_labels, sum_rows
from deciban.files import as_path, write_whole
from deciban.models.decider import Decider
from deciban.models.table_classifier import markers_of
from deciban.read import Variable
from deciban.read.column import EXACT
from deciban.storage.envelope import own_version
from deciban.types import AnyArray, Floats, Ints

__all__ = ["bernoulli_scores", "categorical_scores", "column_scores", "gaussian_scores", "linear_scores", "onnx_graph"]


def onnx_graph(classifier: Any, path: str | PathLike[str] | None) -> Any:
    """The graph of a fitted classifier; it is written to the path, where there is one."""
    classifier._check_fitted()
    graph = Graph()
    classes, kind = classifier.classes_, kind_of_classes(classifier.classes_)
    scores = classifier._onnx_scores(graph)
    joint = graph.add("Add", scores.likelihood, scores.start)
    plain = add_posterior(graph, joint, classifier._prior, has_certain=scores.has_certain)
    posterior = add_calibration(classifier._calibration(), graph, plain)
    decider = classifier._decider()
    believed = posterior
    if decider.rule == "ml":
        believed = add_posterior(graph, scores.likelihood, np.zeros(len(classes)), has_certain=scores.has_certain)
    best, decided = add_decision(graph, decider, believed, classes)
    graph.output("label", graph.add("Gather", graph.constant(_labels(classes, kind)), best), kind)
    graph.output("probabilities", posterior, "double", len(classes))
    if decided is not None:
        graph.output("is_decided", decided, "bool")
    metadata = {"classes": json.dumps(classes.tolist()), "model": type(classifier).__name__}
    model = graph.model(type(classifier).__name__, own_version(), metadata)
    if path is not None:
        write_whole(as_path(path), model.SerializeToString())
    return model


def _labels(classes: Any, kind: str) -> Any:
    types = {"string": object, "bool": np.bool_, "int64": np.int64, "double": np.float64}
    return np.array(classes.tolist(), dtype=types[kind])


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


_TINY = float(np.finfo(np.float64).tiny)
_KINDS: dict[Kind, type | tuple[type, ...]] = {"string": str, "bool": bool, "int64": int, "double": (int, float)}


def add_posterior(graph: Graph, joint: str, fallback: Floats, *, has_certain: bool = False) -> str:
    """The posteriors of joint log-probabilities, rows × classes; `fallback` for rows that no class can have made.

    `has_certain` where joint log-probabilities may be +∞: these classes alone remain, weighed by `fallback`.
    """
    largest = graph.add("ReduceMax", joint, axes=[1], keepdims=1)
    usable = graph.add("Where", graph.add("Equal", largest, -np.inf), fallback, joint)
    if has_certain:
        certain = graph.add("Where", graph.add("Equal", joint, np.inf), fallback, -np.inf)
        usable = graph.add("Where", graph.add("Equal", largest, np.inf), certain, usable)
    return graph.add("Softmax", usable, axis=1)


@singledispatch
def add_calibration(calibration: Calibration | None, graph: Graph, posterior: str) -> str:  # noqa: ARG001
    """Add what a calibration makes of the posteriors."""
    raise ParameterError(f"the calibration {type(calibration).__name__} has no form in ONNX.")


@add_calibration.register
def _(calibration: None, graph: Graph, posterior: str) -> str:  # noqa: ARG001
    return posterior


@add_calibration.register
def _(calibration: Temperature, graph: Graph, posterior: str) -> str:
    logs = graph.add("Log", graph.add("Max", posterior, _TINY))
    return graph.add("Softmax", graph.add("Div", logs, calibration.value), axis=1)


@add_calibration.register
def _(calibration: Isotonic, graph: Graph, posterior: str) -> str:
    mapped = [
        _interpolate(graph, graph.add("Gather", posterior, np.array([j]), axis=1), *points)
        for j, points in enumerate(calibration.points)
    ]
    together = graph.add("Concat", *mapped, axis=1)
    whole = graph.add("ReduceSum", together, np.array([1]), keepdims=1)
    is_positive = graph.add("Greater", whole, 0.0)
    shares = graph.add("Div", together, graph.add("Where", is_positive, whole, 1.0))
    return graph.add("Where", is_positive, shares, posterior)


def add_decision(graph: Graph, decider: Decider, posterior: str, classes: AnyArray) -> tuple[str, str | None]:
    """The code of each row's class, and whether it is decided; None where no decision is rejected."""
    reject = Reject(posterior=decider.reject) if isinstance(decider.reject, float) else decider.reject or Reject()
    if decider.rule == "ml" or decider.loss is None:
        best, risk = graph.add("ArgMax", posterior, axis=1, keepdims=0), None
    else:
        risk = graph.add("MatMul", posterior, check_loss(decider.loss, classes.tolist()))
        best = graph.add("ArgMin", risk, axis=1, keepdims=0)
    decided = []
    if reject.posterior is not None:
        decided.append(graph.add("GreaterOrEqual", _of_best(graph, posterior, best), reject.posterior))
    if reject.loss is not None and risk is not None:
        decided.append(graph.add("LessOrEqual", _of_best(graph, risk, best), reject.loss))
    if not decided:
        return best, None
    return best, decided[0] if len(decided) == 1 else graph.add("And", *decided)


def kind_of_classes(classes: AnyArray) -> Kind:
    """The type of the labels that a model predicts."""
    labels = classes.tolist()
    for kind, held in _KINDS.items():
        if all(isinstance(label, held) and (kind == "bool" or not isinstance(label, bool)) for label in labels):
            return kind
    kinds = ", ".join(sorted({type(label).__name__ for label in labels}))
    raise ParameterError(
        f"the classes have labels of type {kinds}: ONNX has strings, numbers and booleans, one type for all. Convert "
        "them to strings before fit."
    )


def _of_best(graph: Graph, table: str, best: str) -> str:
    """The entry of each row in the column `best`."""
    picked = graph.add("GatherElements", table, graph.add("Unsqueeze", best, np.array([1])), axis=1)
    return graph.add("Squeeze", picked, np.array([1]))


def _interpolate(graph: Graph, x: str, points: Floats, heights: Floats) -> str:
    """np.interp(x, points, heights), of rows × 1."""
    if len(points) == 1:
        return graph.add("Add", graph.add("Mul", x, 0.0), heights)
    reached = graph.as_integers(graph.add("GreaterOrEqual", x, points))
    count = graph.add("ReduceSum", reached, np.array([1]), keepdims=1)
    left = graph.add("Clip", graph.add("Sub", count, 1), 0, len(points) - 2)
    start, slope = (graph.add("Gather", table, left) for table in (heights[:-1], np.diff(heights) / np.diff(points)))
    beyond = graph.add("Sub", graph.add("Clip", x, points[0], points[-1]), graph.add("Gather", points, left))
    return graph.add("Add", start, graph.add("Mul", slope, beyond))
