"""Saving and loading: a model is its parameters, its tally and the form of its data; estimates follow from these.

A file is a safetensors file whose header is JSON (`codec.py`). Nothing is ever pickled: reading a file
never runs code from it. A calibration was fitted on rows, so it is written as well.

A file may also hold notes: JSON that is not part of the model, under the name of the program that wrote them. The
service notes there which part of its journal the model includes (`deciban.serve.learning`). `load` ignores notes and
`save` writes none, so a model that was saved again has no notes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from deciban import nets, storage
from deciban.decide.calibration import Isotonic, Temperature
from deciban.errors import FileError, ParameterError
from deciban.estimate import ColumnDistribution
from deciban.files import as_path, read_whole, write_whole
from deciban.models.base import BayesClassifier, Estimator
from deciban.models.schema import Form, Schema
from deciban.storable import require
from deciban.storage.codec import Encoder, Json, checksum_in, decode, own_version, pack, unpack
from deciban.tallies import Tally
from deciban.types import AnyArray

__all__ = ["ModelFile", "file_bytes", "load", "read_file", "read_notes", "save"]


_NETS = {"BayesNet": "deciban.nets.bayesnet", "GaussianNet": "deciban.nets.gaussian_net"}
_TALLIES = {
    "Tally": "deciban.tallies.tally",
    "FamilyTally": "deciban.nets.learning.families",
    "GaussianTally": "deciban.nets.learning.linear_gaussian",
    "MixedTally": "deciban.nets.learning.mixed",
}
_RESULTS = {
    "Discovery": "deciban.nets.discovery.result",
    "SearchResult": "deciban.nets.search.result",
    "Confidence": "deciban.nets.graphs.confidence",
}
_MODULES = {
    "AODE": "deciban.models.families.aode",
    "AutoBayes": "deciban.models.auto",
    "CountForest": "deciban.models.families.count_forest",
    "AutoText": "deciban.models.text.auto_text",
    "KDB": "deciban.models.families.kdb",
    "TAN": "deciban.models.families.tan",
    "BayesNetClassifier": "deciban.models.families.bayes_net_classifier",
    "BernoulliNB": "deciban.models.drop_ins",
    "CategoricalNB": "deciban.models.drop_ins",
    "ComplementNB": "deciban.models.drop_ins",
    "GaussianNB": "deciban.models.drop_ins",
    "Discriminant": "deciban.models.discriminant",
    "JointBayes": "deciban.models.joint_bayes",
    "LogCountRatio": "deciban.models.text.log_count_ratio",
    "MultinomialNB": "deciban.models.drop_ins",
    "NaiveBayes": "deciban.models.naive_bayes",
    "TextEM": "deciban.models.text.text_em",
    "TextNB": "deciban.models.text.text_nb",
    **_NETS,
    **_TALLIES,
    **_RESULTS,
}
"""The module of each kind; only that of the kind which a file holds is imported, since all of them take long."""
# The keys of a header that are no state of the model.
_ENVELOPE = ("format", "version", "deciban", "model", "parameters", "notes")


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model, a net, a tally or a learned graph to a file, atomically: an old file stays until then.

    The tally is written, not the estimates: a loaded model predicts the same, bit for bit, and can learn more. The
    parameters are those that the model was fitted with. Of a learned graph the rows are not written.

    Parameters
    ----------
    model : fitted model, net, tally or result
        Any fitted model of deciban; a Bayes net (`BayesNet`, `GaussianNet`) that was fitted or given its tables; a
        tally; or what `discover`, `search` or their ``bootstrap`` returned.
    path : str or path
        Where to write; an existing file is replaced.

    See Also
    --------
    load : Read the file.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from deciban import GaussianNB
    >>> model = GaussianNB().fit([[1.0], [2.0], [8.0], [9.0]], ["low", "low", "high", "high"])
    >>> with TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/sizes.deciban")
    ...     load(f"{folder}/sizes.deciban").partial_fit([[7.0]], ["high"]).predict(
    ...         [[6.5]]
    ...     ).tolist()
    ['high']
    """
    write_whole(as_path(path), file_bytes(model))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model, a net, a tally or a learned graph that `save` has written.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    model : fitted model, net or tally
        What was saved.

    Raises
    ------
    FileError
        The file is not deciban's, is truncated or damaged, or comes from a newer version; the message gives the reason.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from deciban import tally
    >>> with TemporaryDirectory() as folder:
    ...     save(
    ...         tally({"sky": ["sun", "rain"], "play": ["yes", "no"]}, target="play"),
    ...         f"{folder}/days.deciban",
    ...     )
    ...     load(f"{folder}/days.deciban")
    Tally(2 rows, 1 column, 2 classes of 'play')
    """
    return read_file(as_path(path)).model


@dataclass(frozen=True)
class ModelFile:
    """What a file holds: the model, the notes beside it, and the checksum of the file."""

    model: Any
    notes: Mapping[str, Any]
    checksum: str


def file_bytes(model: object, notes: Mapping[str, Json] | None = None) -> bytes:
    """The bytes of a file with a model and notes: JSON values, by the name of the program that wrote them."""
    content, arrays = _content_of(model)
    if notes:
        content["notes"] = dict(notes)
    return pack(content, arrays)


def read_notes(path: Path) -> tuple[Mapping[str, Any], str]:
    """The notes in a file and its checksum; the model is not made."""
    raw = read_whole(path)
    return _notes_in(unpack(raw, str(path))[0]), checksum_in(raw)


def read_file(path: Path) -> ModelFile:
    """Read a model as `load` does, with the notes in its file."""
    name, raw = str(path), read_whole(path)
    header, arrays = unpack(raw, name)
    try:
        model = _model_of(header, arrays)
    except Exception as error:  # any error that an undamaged but invalid file may cause
        raise FileError(
            f"{name} was made by deciban {header.get('deciban')}, and deciban {own_version()} cannot read it: {error}."
        ) from error
    return ModelFile(model, _notes_in(header), checksum_in(raw))


def _content_of(model: object) -> tuple[dict[str, Json], dict[str, AnyArray]]:
    """The JSON and the arrays of a file; an error where the model cannot be saved."""
    kind = type(model).__name__
    if _MODULES.get(kind) != type(model).__module__:
        raise ParameterError(f"a {kind} cannot be saved; these models can: {', '.join(_MODULES)}.")
    encoder, state = Encoder(), _state(model)
    settings = model._settings if isinstance(model, Estimator) else model
    # A net and a tally have no parameters: the graph is part of their state.
    parameters = settings.get_params(deep=False) if isinstance(settings, BaseEstimator) else {}
    content: dict[str, Json] = {
        "model": kind,
        "parameters": {
            name: encoder.encode(_plain(value), f"parameters.{name}", f"parameter {name!r}")
            for name, value in parameters.items()
        },
        **{name: encoder.encode(value, name, f"the {name}") for name, value in state.items()},
    }
    return content, encoder.arrays


def _notes_in(header: Mapping[str, Any]) -> Mapping[str, Any]:
    """The notes in a header; none where they are not a JSON object."""
    notes = header.get("notes")
    return notes if isinstance(notes, dict) else {}


def _model_of(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> object:
    """The model that a header and arrays describe."""
    # By the table of modules alone: a file cannot name a class of another module.
    kind = _class_of(header["model"])
    state = {name: decode(v, arrays) for name, v in header.items() if name not in _ENVELOPE}
    if kind.__name__ in _TALLIES:
        return storage.net_files.restored_tally(kind, state)
    if kind.__name__ in _NETS:
        return storage.net_files.restored_net(kind, state)
    if kind.__name__ in _RESULTS:
        return storage.result_files.restored_result(kind, state)
    parameters = {name: decode(value, arrays) for name, value in header["parameters"].items()}
    if kind.__name__ == "TextEM" and parameters["model"] is not None:
        parameters["model"] = _class_of("TextNB")(**parameters["model"])
    model = kind(**parameters)
    # As `fit` does: a file with a right checksum may still have been written by another program.
    model._check_parameters()
    _restore(model, state)
    return model


def _class_of(name: str) -> Any:
    return getattr(import_module(_MODULES[name]), name)


def _state(model: Any) -> dict[str, object]:
    """What a file holds beside the parameters, by name; an error where the model is not fitted."""
    if type(model).__name__ in _TALLIES:
        return storage.net_files.tally_state(model)
    if type(model).__name__ in _NETS:
        return storage.net_files.net_state(model)
    if type(model).__name__ in _RESULTS:
        return storage.result_files.result_state(model)
    model._check_fitted()
    if not isinstance(model, BayesClassifier):
        state: dict[str, object] = model._state()
        return state
    return {"form": model._form, "tally": model.tally_, "calibration": getattr(model, "calibration_", None)}


def _restore(model: Any, state: Mapping[str, Any]) -> None:
    if not isinstance(model, BayesClassifier):
        model._restore(state)
        return
    # Checked against one another first: the model indexes the columns of one by those of the other.
    tally, form, calibration = state["tally"], state["form"], state["calibration"]
    require(isinstance(form, Form) and isinstance(tally, Tally), "it holds no tally, or no form")
    model._accepted(tally)
    require(form.columns == len(model._names_in(tally)), "its form does not have the tally's columns")
    model._check_fits(tally, form)
    model._adopt(tally, form)
    if hasattr(model, "schema_"):
        is_planned = isinstance(model.schema_, Schema) and len(model.schema_) == form.columns
        require(is_planned, "its plans do not fit its columns")
    if calibration is not None:
        require(isinstance(calibration, Isotonic | Temperature), "its calibration is of an unknown kind")
        is_whole = not isinstance(calibration, Isotonic) or len(calibration.points) == len(model.classes_)
        require(is_whole, "its calibration does not fit")
        model.calibration_ = calibration


def _plain(value: object) -> object:
    """A parameter as a value that can be encoded: a Series as an array, a TextNB as its parameters, a DAG as edges."""
    if isinstance(value, nets.DAG):
        return value.directed_edges
    if isinstance(value, BayesClassifier):  # the TextNB that a TextEM fits
        return value.get_params(deep=False)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, type) and issubclass(value, ColumnDistribution):  # a class means its default instance
        return value()
    is_other = hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic)
    return np.asarray(value) if is_other else value
