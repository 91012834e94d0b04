"""A fitted model as an ONNX graph, which any ONNX runtime can score without Python.

The graph computes in double precision and has a dynamic number of rows. Under onnxruntime its posteriors equal those of
`predict_proba` to 1e-9. It cannot raise errors: a value that `predict` would refuse, such as a missing one where
``missing="error"`` or an unseen label where ``unseen="error"``, is no evidence, or is smoothed.
"""

from __future__ import annotations

import json
from os import PathLike
from typing import Any

import numpy as np

from deciban.files import as_path, write_whole
from deciban.models.export.onnx.conclusion import add_calibration, add_decision, add_posterior, kind_of_classes
from deciban.models.export.onnx.graph import Graph
from deciban.storage.envelope import own_version

__all__ = ["to_onnx"]


def to_onnx(self: Any, path: str | PathLike[str] | None = None) -> Any:
    """Make an ONNX graph of the fitted model. Needs ``pip install 'deciban[onnx]'``.

    **Inputs**: the drop-ins, and models of a matrix without column names, have one input, ``X``, of rows × columns.
    `NaiveBayes` has one input for each column that it uses, of rows × 1, with the name of the column. Numbers are
    doubles, labels are strings, int64 or booleans. NaN is a missing number, the empty string a missing label (unless it
    is a label of the column).

    **Outputs**: ``label``, as `predict` gives it; ``probabilities``, rows × classes, as `predict_proba` gives them, in
    the order of `classes_`, which the metadata contain as JSON under the key ``classes``. A model with `reject` has a
    third output, ``is_decided``: where it is False, `predict` gives None, and ``label`` is the class that was rejected.

    Parameters
    ----------
    path : str or path, optional
        A file to write the graph to, such as "model.onnx"; none is written when None.

    Returns
    -------
    graph : onnx.ModelProto
        The graph.

    Examples
    --------
    >>> from deciban import GaussianNB
    >>> graph = (
    ...     GaussianNB()
    ...     .fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    ...     .to_onnx()
    ... )
    >>> [each.name for each in graph.graph.output]
    ['label', 'probabilities']
    """
    self._check_fitted()
    graph = Graph()
    classes, kind = self.classes_, kind_of_classes(self.classes_)
    scores = self._onnx_scores(graph)
    joint = graph.add("Add", scores.likelihood, scores.start)
    plain = add_posterior(graph, joint, self._prior, has_certain=scores.has_certain)
    posterior = add_calibration(self._calibration(), graph, plain)
    decider = self._decider()
    believed = posterior
    if decider.rule == "ml":
        believed = add_posterior(graph, scores.likelihood, np.zeros(len(classes)), has_certain=scores.has_certain)
    best, decided = add_decision(graph, decider, believed, classes)
    graph.output("label", graph.add("Gather", graph.constant(_labels(classes, kind)), best), kind)
    graph.output("probabilities", posterior, "double", len(classes))
    if decided is not None:
        graph.output("is_decided", decided, "bool")
    metadata = {"classes": json.dumps(classes.tolist()), "model": type(self).__name__}
    model = graph.model(type(self).__name__, own_version(), metadata)
    if path is not None:
        write_whole(as_path(path), model.SerializeToString())
    return model


def _labels(classes: Any, kind: str) -> Any:
    types = {"string": object, "bool": np.bool_, "int64": np.int64, "double": np.float64}
    return np.array(classes.tolist(), dtype=types[kind])
