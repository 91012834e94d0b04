"""What is in a model, a net or a tally, as plain values and as text."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from inspect import signature
from typing import Any

from deciban.choices import counted
from deciban.errors import InputTypeError
from deciban.files import as_path, read_whole
from deciban.models.base import BayesClassifier, form_of, schema_of, target_in_fit
from deciban.models.schema import ColumnPlan
from deciban.models.text.auto_text import AutoText
from deciban.models.text.log_count_ratio import LogCountRatio
from deciban.models.text.text_em import TextEM
from deciban.nets import BayesNet, Confidence, Discovery, SearchResult
from deciban.nets.bayesnet import read_net
from deciban.nets.io.formats import is_network
from deciban.nets.learning.families import FamilyTally
from deciban.nets.learning.fit import GaussianFit, MixedFit, TableFit
from deciban.nets.learning.linear_gaussian import GaussianTally
from deciban.nets.learning.mixed import MixedTally
from deciban.read import plain
from deciban.storage.codec import is_packed, unpack
from deciban.storage.model_files import load
from deciban.tallies import Tally

__all__ = ["ColumnDescription", "Description", "FileDescription", "describe", "describe_file"]


@dataclass(frozen=True)
class ColumnDescription:
    """A column or a node: what the model takes it for, and why.

    `kind` is its distribution, what is counted of it, or its states; `note` the reason for a distribution, or the
    parents of a node; `weight` the weight of its evidence in the model, None where columns have none or it is ignored.
    """

    name: str
    kind: str
    note: str = ""
    weight: float | None = None


@dataclass(frozen=True)
class FileDescription:
    """A file: its name, its size in bytes, the version of its format, and the deciban that wrote it."""

    name: str
    size: int
    version: int | None = None
    deciban: str | None = None


@dataclass(frozen=True)
class Description:
    """What is in a model, a net or a tally; it prints as a text.

    Attributes
    ----------
    kind : the class, such as "NaiveBayes"
    rows : the number of rows that were counted, or their weight; None where nothing was counted
    target : the name of the column of classes, where it is known
    classes : the labels, and the rows of each
    columns : the columns of a table, the nodes of a net
    settings : the parameters that differ from their defaults, and what was learned besides counts, as text
    file : the file that it was read from
    """

    kind: str
    rows: float | None
    target: str | None
    classes: Mapping[Any, float]
    columns: tuple[ColumnDescription, ...]
    settings: Mapping[str, str]
    file: FileDescription | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values, for JSON; classes are a list, since labels may be numbers."""
        return asdict(self) | {"classes": [{"label": label, "rows": rows} for label, rows in self.classes.items()]}

    @property
    def headline(self) -> str:
        """The kind and the sizes, on one line."""
        return f"{self.kind}{self._size()}"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield self.headline
        if self.file is not None:
            made = "" if self.file.deciban is None else f", written by deciban {self.file.deciban}"
            version = "" if self.file.version is None else f", format {self.file.version}"
            yield f"{self.file.name}: {_bytes(self.file.size)}{version}{made}"
        for name, value in self.settings.items():
            yield f"{name}: {value}"
        if self.classes:
            yield ""
            share = sum(self.classes.values()) or 1.0
            rows = [(str(label), _number(n), f"{n / share:.1%}") for label, n in self.classes.items()]
            yield from _aligned((self.target or "class", "rows", "share"), rows, right=(1, 2))
        if self.columns:
            yield ""
            yield from self._column_lines()

    def _size(self) -> str:
        rows = [] if self.rows is None else [counted(self.rows, "row")]
        classes = [counted(len(self.classes), "class", "classes")] if self.classes else []
        noun = "column" if self.classes else "node"
        columns = [counted(len(self.columns), noun)] if self.columns else []
        sizes = ", ".join([*rows, *columns, *classes])
        return f" of {sizes}" if sizes else ""

    def _column_lines(self) -> Iterator[str]:
        """The table of columns or nodes; a weight or a note has a place where some column has one."""
        heads = (
            ("column", "weight", "distribution", "reason") if self.classes else ("node", "weight", "states", "parents")
        )
        shown = [0, 2]
        if any(column.weight is not None for column in self.columns):
            shown.insert(1, 1)
        if any(column.note for column in self.columns):
            shown.append(3)
        rows = []
        for column in self.columns:
            weight = "" if column.weight is None else f"{column.weight:.2f}"
            cells = (column.name, weight, column.kind, column.note)
            rows.append([cells[k] for k in shown])
        yield from _aligned([heads[k] for k in shown], rows, right=[k for k, cell in enumerate(shown) if cell == 1])


def describe(value: object) -> Description:
    """Say what is in a fitted model, a net with tables or parameters, a tally, or a learned graph.

    Examples
    --------
    >>> from deciban import NaiveBayes
    >>> model = NaiveBayes().fit(
    ...     {"sky": ["sun", "sun", "rain"], "play": ["yes", "yes", "no"]}, "play"
    ... )
    >>> print(describe(model))
    NaiveBayes of 3 rows, 1 column, 2 classes
    <BLANKLINE>
    play  rows  share
    no       1  33.3%
    yes      2  66.7%
    <BLANKLINE>
    column  weight  distribution  reason
    sky       1.38  Categorical   labels: 2 distinct
    """
    if isinstance(value, TextEM):
        value._check_fitted()
        return replace(
            _of_model(value.model_),
            kind="TextEM",
            settings={**_changed(value), **value.model_._learned_beside_counts()},
        )
    if isinstance(value, BayesClassifier | LogCountRatio | AutoText):
        value._check_fitted()
        return _of_model(value)
    if isinstance(value, Tally):
        return Description("Tally", value.total, value.classes.name, _classes(value), _parts(value), {})
    if isinstance(value, FamilyTally | GaussianTally | MixedTally):
        columns = tuple(ColumnDescription(row[0], " ± ".join(row[2:]), row[1]) for row in value._shown())
        return Description(type(value).__name__, value.rows, None, {}, columns, {})
    if isinstance(value, BayesNet):
        return _of_net(value)
    if isinstance(value, Discovery | SearchResult | Confidence):
        return _of_learned(value)
    raise InputTypeError(f"a {type(value).__name__} is not a model, a net or a tally of deciban.")


def describe_file(path: str | os.PathLike[str]) -> Description:
    """Say what is in a file that `save` has written, or in a Bayes net of another format."""
    where = as_path(path)
    raw = read_whole(where)
    if not is_packed(raw) and is_network(where):
        return replace(describe(read_net(where)), file=FileDescription(str(where), len(raw)))
    header, _ = unpack(raw, str(where))
    file = FileDescription(str(where), len(raw), header["version"], header["deciban"])
    return replace(describe(load(where)), file=file)


def _of_model(model: BayesClassifier | LogCountRatio | AutoText) -> Description:
    tally = model.tally_
    columns: tuple[ColumnDescription, ...] = ()
    if isinstance(model, BayesClassifier) and form_of(model).names is not None:
        columns = _parts(tally)
    if isinstance(model, BayesClassifier) and schema_of(model):
        weights = model._column_weights()
        columns = tuple(
            ColumnDescription(plan.name, type(plan.distribution).__name__, plan.reason, _weight(plan, weights))
            for plan in schema_of(model)
        )
    settings = {**_changed(model), **model._learned_beside_counts()}
    return Description(type(model).__name__, tally.total, target_in_fit(model), _classes(tally), columns, settings)


def _weight(plan: ColumnPlan, weights: Mapping[str, object]) -> float | None:
    """The weight of a column, where the model has one number for it: one for each class is too much for a table."""
    weight = None if plan.distribution.is_ignored else weights.get(plan.name)
    return weight if isinstance(weight, float) else None


def _changed(model: TextEM | BayesClassifier | LogCountRatio | AutoText) -> dict[str, str]:
    """The parameters that differ from their defaults."""
    defaults = signature(type(model).__init__).parameters
    parameters = model.get_params(deep=False)
    # By what they show: arrays have no single truth value when they are compared.
    return {name: repr(value) for name, value in parameters.items() if repr(value) != repr(defaults[name].default)}


def _of_net(net: BayesNet) -> Description:
    parents = {node: [up for up, down in net.dag.directed_edges if down == node] for node in net.dag.nodes}
    states = net.states
    columns = tuple(
        ColumnDescription(str(node), ", ".join(map(str, states.get(node, ()))), ", ".join(map(str, parents[node])))
        for node in net.dag.nodes
    )
    fit = net._fitted
    rows = fit.tally.rows if isinstance(fit, TableFit | GaussianFit | MixedFit) else None
    return Description(type(net).__name__, rows, None, {}, columns, {"edges": f"{len(net.dag.directed_edges):,}"})


def _of_learned(found: Discovery | SearchResult | Confidence) -> Description:
    if isinstance(found, Confidence):
        return Description("Confidence", None, None, {}, (), {"edges": repr(found)})
    graph = found.graph
    of_node = {node: [f"{a} {kind} {b}" for a, kind, b in graph.edges if node in (a, b)] for node in graph.nodes}
    columns = tuple(ColumnDescription(str(node), ", ".join(edges)) for node, edges in of_node.items())
    settings = {"result": found.summary, **{f"note {n}": note for n, note in enumerate(found.notes, 1)}}
    return Description(type(found).__name__, found.rows, None, {}, columns, settings | {"citation": found.citation()})


def _classes(tally: Tally) -> dict[Any, float]:
    return dict(zip(map(plain, tally.classes.labels.tolist()), tally.class_counts.tolist(), strict=True))


def _parts(tally: Tally) -> tuple[ColumnDescription, ...]:
    """The columns of a tally, and what was counted of each."""
    columns = []
    for part in tally.parts:
        states = getattr(getattr(part, "variable", None), "labels", None)
        kind = type(part).__name__.lower() if states is None else f"counts of {counted(len(states), 'state')}"
        columns += [ColumnDescription(str(name), kind) for name in part.names]
    return tuple(columns)


def _aligned(heads: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> Iterator[str]:
    widths = [max(len(row[k]) for row in (heads, *rows)) for k in range(len(heads))]
    for row in (heads, *rows):
        cells = [c.rjust(w) if k in right else c.ljust(w) for k, (c, w) in enumerate(zip(row, widths, strict=True))]
        yield "  ".join(cells).rstrip()


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"


def _bytes(size: int) -> str:
    """A size with its unit.

    >>> _bytes(800), _bytes(25_300), _bytes(4_210_000)
    ('800 bytes', '25.3 kB', '4.2 MB')
    """
    if size < 1000:
        return f"{size} bytes"
    return f"{size / 1e3:.1f} kB" if size < 1e6 else f"{size / 1e6:.1f} MB"
