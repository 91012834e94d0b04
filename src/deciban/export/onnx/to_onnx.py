"""A fitted model as an ONNX graph, which any ONNX runtime can score without Python.

The graph computes in double precision and has a dynamic number of rows. Under onnxruntime its posteriors equal those of
`predict_proba` to 1e-9. It cannot raise errors: a value that `predict` would refuse, such as a missing one where
``missing="error"`` or an unseen label where ``unseen="error"``, is no evidence, or is smoothed.

The stages are those of `predict`: log P(row | class) from the closed form of the model, posteriors, calibration, and a
decision.
"""

from __future__ import annotations

import json
from functools import singledispatch
from typing import TYPE_CHECKING

import numpy as np

from deciban.decide import Calibration, Isotonic, Reject, Temperature, check_loss
from deciban.decide.rules import Decider
from deciban.errors import ParameterError
from deciban.estimate.closed_form import Average, ClosedForm, Tree
from deciban.export.onnx.columns import Columns, add_columns
from deciban.export.onnx.graph import Graph, Kind
from deciban.export.onnx.structures import add_average, add_sums, add_tree
from deciban.storage.codec import own_version
from deciban.types import AnyArray, Floats

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["write_graph"]


def write_graph(
    form: ClosedForm, classes: AnyArray, decider: Decider, calibration: Calibration | None, name: str
) -> ModelProto:
    """The graph of a model, from what it computes posteriors by; `name` is that of its class."""
    graph = Graph()
    kind = kind_of_classes(classes)
    likelihood = _likelihood(Columns(graph, form), form)
    joint = graph.add("Add", likelihood, form.start)
    posterior = add_posterior(graph, joint, form.prior, has_certain=form.has_certain)
    posterior = believed = add_calibration(calibration, graph, posterior)
    if decider.rule == "ml":
        believed = add_posterior(graph, likelihood, np.zeros(len(classes)), has_certain=form.has_certain)
    # As `predict`: posteriors are shown as the priors make them, and the rule "ml" decides without the priors.
    best, decided = add_decision(graph, decider, believed, classes)
    graph.output("label", graph.add("Gather", graph.constant(_labels(classes, kind)), best), kind)
    graph.output("probabilities", posterior, "double", len(classes))
    if decided is not None:
        graph.output("is_decided", decided, "bool")
    return graph.model(name, own_version(), {"classes": json.dumps(classes.tolist()), "model": name})


def _likelihood(columns: Columns, form: ClosedForm) -> str:
    """log P(row | class), at the temperature of the model: rows × classes."""
    graph, structure = columns.graph, form.structure
    if structure is None:
        logs = add_columns(columns)
    elif isinstance(structure, Tree):
        logs = add_tree(columns, structure)
    elif isinstance(structure, Average):
        logs = add_average(columns, structure)
    else:
        logs = add_sums(columns, structure)
    return logs if form.temperature == 1.0 else graph.add("Div", logs, form.temperature)


def _labels(classes: AnyArray, kind: Kind) -> AnyArray:
    types: dict[Kind, type] = {"string": object, "bool": np.bool_, "int64": np.int64, "double": np.float64}
    return np.array(classes.tolist(), dtype=types[kind])


# As in `Temperature`: a posterior of 0 would stay 0 at every temperature.
_TINY = float(np.finfo(np.float64).tiny)
# bool before int and int before float: the first type that all labels have is the most specific.
_KINDS: dict[Kind, type | tuple[type, ...]] = {"string": str, "bool": bool, "int64": int, "double": (int, float)}


def add_posterior(graph: Graph, joint: str, fallback: Floats, *, has_certain: bool = False) -> str:
    """The posteriors of joint log-probabilities, rows × classes; `fallback` for rows that no class can have made.

    `has_certain` where joint log-probabilities may be +∞: these classes alone remain, weighed by `fallback`.
    """
    # Softmax subtracts the largest: NaN where all are −∞ or one is +∞, so these rows are replaced before it.
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
    # Where every class is mapped to 0, the posterior stays, as in `Isotonic`.
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
    for kind, types in _KINDS.items():
        if all(isinstance(label, types) and (kind == "bool" or not isinstance(label, bool)) for label in labels):
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
    if len(points) == 1:  # times 0, for the shape of x: a constant has no rows
        return graph.add("Add", graph.add("Mul", x, 0.0), heights)
    reached = graph.as_integers(graph.add("GreaterOrEqual", x, points))
    count = graph.add("ReduceSum", reached, np.array([1]), keepdims=1)
    left = graph.add("Clip", graph.add("Sub", count, 1), 0, len(points) - 2)
    start, slope = (graph.add("Gather", table, left) for table in (heights[:-1], np.diff(heights) / np.diff(points)))
    beyond = graph.add("Sub", graph.add("Clip", x, points[0], points[-1]), graph.add("Gather", points, left))
    return graph.add("Add", start, graph.add("Mul", slope, beyond))
